"""Names of rows and columns in a model file: readable, safe for the format, and unique."""

import re
from collections.abc import Mapping

from gangplan.models.milp import Milp

LONGEST = 60
"""Characters of a block's name; CBC refuses names above 100."""

_UNSAFE = re.compile(r"[^A-Za-z0-9_.]")


def column_names(milp: Milp, ends: str = "[]") -> list[str]:
    """Return ``block[i]`` of each column (n,); columns outside all blocks are ``column[j]``."""
    return _names(milp.col_blocks, milp.n_cols, "column", ends)


def row_names(milp: Milp, ends: str = "[]") -> list[str]:
    """Return ``family.rule[i]`` of each row (m,); rows outside all blocks are ``row[i]``."""
    return _names(milp.row_blocks, milp.n_rows, "row", ends)


def _names(blocks: Mapping[str, tuple[int, int]], count: int, rest: str, ends: str) -> list[str]:
    """Write the index between the two characters ``ends``."""
    left, right = ends[0], ends[1]
    used: set[str] = set()
    safe = {name: _safe(name, used) for name in blocks}
    other = _safe(rest, used)
    names = [f"{other}{left}{i}{right}" for i in range(count)]
    for name, (start, end) in blocks.items():
        names[start:end] = [f"{safe[name]}{left}{i}{right}" for i in range(end - start)]
    return names


def _safe(name: str, used: set[str]) -> str:
    """Make a block's name of letters, digits, ``_`` and ``.`` that no other block has.

    It begins with two letters or is one letter before the index: an LP reader takes ``e5`` or
    ``.5`` for a number, and ``free`` for a keyword (none of ours is one with its index behind it).
    """
    text = _UNSAFE.sub("_", name)[:LONGEST] or "block"
    if not text[0].isalpha() or re.match(r"[eE][0-9eE.]", text):
        text = f"n_{text}"
    found, copy = text, 1
    while found.lower() in used:
        copy += 1
        found = f"{text}_{copy}"
    used.add(found.lower())
    return found
