"""One case from question to verdict: ok, FAIL or todo."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gangplan.models.errors import GangplanError
from tests.cases import convert
from tests.cases.answer import Answer, answer
from tests.cases.expect import differences
from tests.cases.needs import needs, not_held
from tests.cases.read import Case
from tests.cases.stub import stub_rows
from tests.cases.variants import variants

OK, FAIL, TODO = "ok", "FAIL", "todo"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a case.

    Attributes
    ----------
    word : OK, FAIL or TODO.
    text : what was expected and what came, or what is missing; empty for OK.
    unchecked : sentences of the case that no program checks.
    """

    id: str
    word: str
    text: str = ""
    unchecked: tuple[str, ...] = ()

    def line(self) -> str:
        """Return the line that is printed."""
        return f"{self.word} {self.id}" + (f": {self.text}" if self.text else "")


def run(case: Case, folder: Path) -> Verdict:
    """Run a case with its variants, forwards and backwards, and its stubbed solver results."""
    made, unknown = variants(case)
    missing = {**needs(case), **{text: set() for text in unknown}}
    wrong: list[str] = []
    unchecked: dict[str, None] = {}
    for one in (case, *made):
        found, left = _run_one(one, missing, folder / one.id.replace(" ", "-"))
        wrong += found
        unchecked |= dict.fromkeys(left)
    wrong += stub_rows(case, folder / "stub")
    if wrong:
        return Verdict(case.id, FAIL, "; ".join(dict.fromkeys(wrong)), tuple(unchecked))
    if missing:
        return Verdict(case.id, TODO, f"needs {', '.join(missing)}", tuple(unchecked))
    return Verdict(case.id, OK, unchecked=tuple(unchecked))


def _run_one(case: Case, missing: dict[str, set[str]], folder: Path) -> tuple[list[str], list[str]]:
    """Answers must not depend on the order of the objects, nor on how levels are declared."""
    wrong: dict[str, str] = {}
    unchecked: list[str] = []
    for how, found in _answers(case, folder):
        if isinstance(found, str):
            bad = [f"an answer, came {found}"]
        elif missing:
            bad = not_held(found, missing)
        else:
            bad, unchecked = differences(found, case.expect)
        for text in bad:
            wrong.setdefault(text, how)
    head = f"{case.id.partition(' ')[2]} " if "(" in case.id else ""
    return [f"{head}{how}{text}" for text, how in wrong.items()], unchecked


def _answers(case: Case, folder: Path) -> Iterator[tuple[str, Answer | str]]:
    docs, levels = convert.documents(case), convert.levels(case)
    ways = [("", docs, levels), ("backwards: ", docs[::-1], levels)]
    if levels:
        ways.append(("Kueue Topology: ", [convert.topology_object(levels), *docs], ()))
    for number, (how, objects, keys) in enumerate(ways):
        try:
            yield how, answer(case, objects, keys, folder / str(number))
        except GangplanError as error:
            yield how, f"{type(error).__name__}: {str(error).splitlines()[0]}"
        except AssertionError as error:
            yield how, str(error)
        except Exception as error:  # a traceback is never an answer, and ends no other case
            yield how, f"a crash: {type(error).__name__}: {error}"
