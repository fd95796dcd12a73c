"""One case on a real API server: loaded, listed at one moment as ``snapshot`` does, planned."""

from pathlib import Path

from gangplan.cluster.listing import take
from gangplan.models.errors import GangplanError
from tests.cases import convert
from tests.cases.answer import answer
from tests.cases.expect import differences
from tests.cases.needs import needs, not_held
from tests.cases.read import Case
from tests.cases.run import FAIL, OK, TODO, Verdict
from tests.cases.variants import variants
from tests.cluster.cases.load import Refused, load, unload
from tests.cluster.live import Live


def run(live: Live, case: Case, folder: Path) -> Verdict:
    """Run a case with its variants; TODO where it cannot be said to this server."""
    made, unknown = variants(case)
    missing = {**needs(case), **{text: set() for text in unknown}}
    wrong: list[str] = []
    unchecked: dict[str, None] = {}
    for number, one in enumerate((case, *made)):
        unload(live)
        live.install()
        try:
            load(live, convert.documents(one))
        except Refused as error:
            return Verdict(case.id, TODO, f"the server does not take it: {error}")
        world = take(live.client, live.served)
        try:
            found = answer(one, list(world.documents()), convert.levels(one), folder / str(number))
        except (GangplanError, AssertionError) as error:
            wrong.append(f"an answer, came {type(error).__name__}: {error}")
            continue
        if missing:
            bad = not_held(found, missing)
        else:
            bad, left = differences(found, one.expect)
            unchecked |= dict.fromkeys(left)
        wrong += bad
    if wrong:
        return Verdict(case.id, FAIL, "; ".join(dict.fromkeys(wrong)), tuple(unchecked))
    if missing:
        return Verdict(case.id, TODO, f"needs {', '.join(missing)}", tuple(unchecked))
    return Verdict(case.id, OK, unchecked=tuple(unchecked))
