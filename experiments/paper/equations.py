"""The equations of a formulation, read out of the docstrings of its modules.

Lines indented by four are equations: the formula, then two or more spaces, then for which indices
it holds, then the name of its rows as ``(family.rule)``. Deeper lines go on with the line above.
Everything else is running text. A docstring without an equation is not for the paper; a title that
names its equations, ``(paper, eq. NAME).``, names them as the module is named.
"""

import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

from gangplan.experiments.paper.notation import RELATIONS, formula, prose
from gangplan.models.errors import Fault, InputError
from gangplan.models.formulation import FAMILIES

LABEL = re.compile(r" \(paper, eq\. ([a-z]+)\)$")
ROW = re.compile(r"\(([a-z]+\.[a-z-]+)\)$")
DEFINITIONS = ("pairs", "sizes")
"""Blocks that define what the rows of all families use; they come first."""


@dataclass(frozen=True, slots=True)
class Equation:
    """One line of a display.

    Attributes
    ----------
    maths : the formula, in the notation of the docstrings.
    note : for which indices it holds, or what a column means; may be empty.
    row : name of the row block that writes it; empty for definitions.
    """

    maths: str
    note: str
    row: str


@dataclass(frozen=True, slots=True)
class Block:
    """What the docstring of one module says.

    Attributes
    ----------
    module : dotted name.
    label : name of the module in its package.
    title : the first line, without label and full stop.
    parts : paragraphs in order: running text, or the equations of a display.
    """

    module: str
    label: str
    title: str
    parts: tuple[str | tuple[Equation, ...], ...]

    @property
    def equations(self) -> tuple[Equation, ...]:
        """Every equation of the block."""
        return tuple(e for part in self.parts if not isinstance(part, str) for e in part)

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the row blocks, in order, each once."""
        return tuple(dict.fromkeys(e.row for e in self.equations if e.row))

    @property
    def family(self) -> str:
        """The family that the block belongs to; empty for definitions."""
        return self.rows[0].split(".")[0] if self.rows else ""


def blocks_of(kind: str) -> tuple[Block, ...]:
    """Read the blocks of ``gangplan.models.KIND``: definitions first, then the families in order.

    Of a kind that is not written family by family (its rows are all called by its own name) the
    block of its ``formulation`` comes first, then the others, those without rows last.

    Raises
    ------
    InputError : no such formulation, or a docstring that does not keep the layout.
    """
    package = f"gangplan.models.{kind}"
    try:
        path = import_module(package).__path__
    except (ModuleNotFoundError, AttributeError):
        raise _refusal(kind, f"no package {package}") from None
    names = [f"{package}.{module.name}" for module in pkgutil.iter_modules(path)]
    found = [b for name in names if (b := parse(name, import_module(name).__doc__ or ""))]
    if any(block.family == kind for block in found):
        return tuple(sorted(found, key=_after_the_formulation))
    return tuple(sorted(found, key=_place))


def _after_the_formulation(block: Block) -> tuple[bool, bool, str]:
    return not block.rows, block.label != "formulation", block.label


def _place(block: Block) -> tuple[int, int, str]:
    """Order: definitions, then families as FAMILIES has them, each before its side blocks."""
    if block.label in DEFINITIONS:
        return 0, DEFINITIONS.index(block.label), ""
    if block.family not in FAMILIES:
        raise _refusal(block.module, "equations of no family")
    return 1 + FAMILIES.index(block.family), int(block.label != block.family), block.label


def parse(module: str, text: str) -> Block | None:
    """Read one docstring; None where it has no equation."""
    head, _, body = text.partition("\n\n")
    title = " ".join(head.split()).rstrip(".")
    label = module.rpartition(".")[2]
    said = LABEL.search(title)
    if ("(paper, eq." in title) if said is None else (said[1] != label):
        raise _refusal(module, f"a title that names its equations ends in (paper, eq. {label}).")
    parts: list[str | tuple[Equation, ...]] = []
    for paragraph in re.split(r"\n\s*\n", body.strip("\n")):
        for shown, lines in _runs(paragraph.split("\n")):
            parts.append(tuple(_display(module, lines)) if shown else " ".join(lines))
    block = Block(module, label, LABEL.sub("", title), tuple(parts))
    return block if block.equations else None


def _runs(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Split a paragraph where indented lines begin or end."""
    run: list[str] = []
    shown = False
    for line in lines:
        if run and line.startswith("    ") != shown:
            yield shown, run
            run = []
        shown = line.startswith("    ")
        run.append(line)
    if any(line.strip() for line in run):
        yield shown, run


def _display(module: str, lines: list[str]) -> Iterator[Equation]:
    joined: list[str] = []
    for line in lines:
        if line.startswith("     "):
            if not joined:
                raise _refusal(module, f"{line.strip()!r} goes on with nothing")
            joined[-1] += "  " + line.strip()
        else:
            joined.append(line.strip())
    return (_equation(line) for line in joined)


def _equation(line: str) -> Equation:
    """Take one line apart; a chunk beside a relation belongs to the formula."""
    row = ROW.search(line)
    chunks = re.split(r"\s{2,}", line[: row.start()].strip() if row else line)
    size = 1
    while size < len(chunks) and (_relates(chunks[size], 0) or _relates(chunks[size - 1], -1)):
        size += 1
    return Equation(" ".join(chunks[:size]), " ".join(chunks[size:]), row[1] if row else "")


def _relates(chunk: str, end: int) -> bool:
    return chunk.split(" ")[end] in RELATIONS


def _refusal(module: str, why: str) -> InputError:
    return InputError([Fault("", module, "docstring", why)])


def typeset(blocks: tuple[Block, ...], prefix: str = "eq") -> str:
    """Write the blocks in typst; each is a heading labelled ``<PREFIX:LABEL>`` and what follows."""
    out = ["// Generated from docstrings by gangplan.experiments.paper.", _IMPORT]
    for block in blocks:
        out.append(f"\n=== {prose(block.title)} <{prefix}:{block.label}>")
        for part in block.parts:
            out.append(prose(part) if isinstance(part, str) else _grid(part))
            out.append("")
    return "\n".join(out) + "\n"


_IMPORT = '#import "../style.typ": display'


def _grid(equations: tuple[Equation, ...]) -> str:
    lines = [f'  ($ {formula(e.maths)} $, [{prose(e.note)}], "{e.row}"),' for e in equations]
    return "\n".join(["#display(", *lines, ")"])
