"""Builds the paper: what is generated goes to ``generated/``, then typst runs."""

from collections.abc import Sequence
from pathlib import Path

from gangplan.experiments import plots
from gangplan.experiments.paper.equations import blocks_of, typeset
from gangplan.experiments.paper.results import constants, losses, results, scale
from gangplan.experiments.records import DONE, Record, latest, load
from gangplan.files import cannot_write, whole_text
from gangplan.models.errors import Fault, InputError

MAIN = "gangplan.typ"

KINDS = ("counts", "assignment", "patterns", "configurations")
"""Formulations whose equations are printed, in order."""

EXPERIMENTS = ("solvers", "solvers-short")
"""Experiments that the comparison may be made of: the first one with a finished run is."""

EVICTING = "preemption"
"""Experiment that the table of losses is made of."""

SCALE = "scale"
"""Experiment that the table of large clusters is made of."""


def generate(source: Path, records: Path) -> tuple[str, ...]:
    """Write ``generated/*.typ``, and plots where matplotlib is installed.

    Parameters
    ----------
    source : folder of the paper.
    records : folder of the JSONL files; there may be none.

    Returns
    -------
    notes : sentences on lines of the records that were left out, or that there are none.

    Raises
    ------
    InputError : no such paper, records or docstrings that cannot be read, or nowhere to write.
    """
    if not (source / MAIN).is_file():
        raise _refusal(source / MAIN, "no such file: the paper is part of the repository")
    if any(records.glob("*.jsonl")):
        found, notes = load(records)
    else:
        found, notes = (), (f"{records}: no records: the paper has no comparison",)
    texts = {kind: typeset(blocks_of(kind), kind) for kind in KINDS}
    texts["code"] = constants()
    chosen = _comparison(latest(found))
    folder = source / "generated"
    try:
        folder.mkdir(exist_ok=True)
        drawn = plots.plot_all(chosen, folder, "solvers") if plots.available() else ()
        texts["losses"] = losses([one for one in latest(found) if one.experiment == EVICTING])
        texts["scale"] = scale([one for one in latest(found) if one.experiment == SCALE])
        texts["results"] = results(chosen, [path.name for path in drawn])
        for name, text in texts.items():
            with whole_text(folder / f"{name}.typ") as stream:
                stream.write(text)
    except OSError as error:
        raise cannot_write(folder, error) from None
    return notes


def _comparison(records: Sequence[Record]) -> list[Record]:
    for name in EXPERIMENTS:
        chosen = [record for record in records if record.experiment == name]
        if any(record.status == DONE for record in chosen):
            return chosen
    return []


def build(source: Path, records: Path, output: Path) -> tuple[str, ...]:
    """Write the PDF; nothing is fetched, and only the fonts that typst brings are used.

    Returns
    -------
    notes : see ``generate``.

    Raises
    ------
    InputError : see ``generate``; typst is missing, or refuses the sources.
    """
    try:
        import typst
    except ImportError:
        raise _refusal(source, "needs typst: pip install 'gangplan[paper]'") from None
    notes = generate(source, records)
    try:
        typst.compile(
            str(source / MAIN),
            output=str(output),
            root=str(source),
            ignore_system_fonts=True,
            timestamp=0,
        )
    except (typst.TypstError, OSError) as error:
        raise _refusal(source / MAIN, f"typst: {error}") from None
    return notes


def _refusal(file: Path, why: str) -> InputError:
    return InputError([Fault(str(file), "", "", why)])
