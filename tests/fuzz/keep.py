"""What went wrong once is kept as a small case, which ``test_kept`` runs for ever."""

from dataclasses import replace
from pathlib import Path

from tests.fuzz.case import Case, write
from tests.fuzz.cell import compare
from tests.fuzz.contestants import contestants, everybody
from tests.fuzz.draw import draw
from tests.fuzz.judge import Disagreement
from tests.fuzz.shrink import shrink

KEPT = Path(__file__).parent / "kept"


def keep(seed: int, names: tuple[str, ...], wrong: Disagreement, folder: Path = KEPT) -> Path:
    """Shrink the case of a seed on which ``wrong`` was said, and write it down."""
    turn = contestants(seed, names)
    against = [who for who in turn if wrong.who.endswith(who.name) or wrong.who == "anytime"]

    def still(case: Case) -> bool:
        said = compare(case, against).wrong
        return any((one.who, one.what) == (wrong.who, wrong.what) for one in said)

    small = shrink(draw(seed), still)
    said = [one for one in compare(small, against).wrong if one.who == wrong.who] or [wrong]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{seed}-{wrong.who.replace('/', '-')}-{wrong.what}.json"
    write(replace(small, about=str(said[0])[:300]), path)
    return path


def again(case: Case, names: tuple[str, ...]) -> tuple[Disagreement, ...]:
    """Run a kept case over every formulation on every backend of ``names``."""
    return compare(case, everybody(names)).wrong
