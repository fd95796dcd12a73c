"""An experiment file: which instances, planners, limits and seeds are combined.

::

    name = "solvers"                  # records go to results/solvers.jsonl
    seeds = [1, 2, 3]                 # of the generator and of the solver

    [[instances]]                     # generator = | trace = | file =
    generator = "training"
    nodes = [16, 32]                  # a list expands: every combination inside its table
    groups = 8

    [[planners]]
    planner = "exact"
    solver = ["highs", "cbc"]
    formulation = ["counts", "assignment"]
    objective = "weighted-gpus"
    preemption = false                # default: true
    pdb = "hard"                      # default: "soft"

    [limits]
    seconds = 20
    threads = 1
    memory = "4Gi"                    # of a solver's process; default: no limit

A file whose parts differ has ``[[blocks]]`` instead, each with instances, planners, limits and
seeds of its own (``[[blocks.instances]]``, ...); all of them are one run.

Keys are strict: an unknown one is an error that names the file and the key.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gangplan.experiments.choices import PlannerSpec as PlannerSpec
from gangplan.experiments.choices import choices as choices
from gangplan.experiments.record_checks import LONGEST, is_name
from gangplan.experiments.spec_tables import BLOCK, Block, Tables
from gangplan.models.errors import Fault, InputError


@dataclass(frozen=True, slots=True)
class Experiment:
    """What an experiment file says.

    Attributes
    ----------
    name : of the experiment and its file of records.
    blocks : at least one; in order.
    """

    name: str
    blocks: tuple[Block, ...]


def read(path: str | Path) -> Experiment:
    """Read an experiment file; paths in it are relative to it.

    Raises
    ------
    InputError : every fault of the file, one line each: not readable, not TOML, an unknown key,
        a value of another type or out of range, an unknown name, an empty list.
    """
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            [Fault(str(path), "", "", f"cannot be read: {error.strerror or error}")]
        ) from None
    except (ValueError, RecursionError) as error:
        # tomllib passes on what int() and its own recursion say of absurd values.
        said = "not UTF-8 text" if isinstance(error, UnicodeDecodeError) else f"not TOML: {error}"
        raise InputError([Fault(str(path), "", "", said)]) from None
    return _experiment(str(path), document)


def _experiment(path: str, document: Mapping[str, Any]) -> Experiment:
    tables = Tables(path)
    several = "blocks" in document
    tables.known(document, "", ("name", "blocks") if several else ("name", *BLOCK))
    name = document.get("name", Path(path).stem)
    if not is_name(name):
        whose = "" if "name" in document else " (that of the file, as the file gives none)"
        tables.fault(
            "name",
            f"letters, digits, '.', '_' and '-' expected, {LONGEST} bytes at most, not "
            f"{repr(name)[:60]}{whose}",
        )
    if several:
        parts = tables.tables(document, "blocks")
        for where, table in parts:
            tables.known(table, where, BLOCK)
        blocks = [tables.block(table, where) for where, table in parts]
    else:
        blocks = [tables.block(document)]
    if tables.faults:
        raise InputError(tables.faults)
    return Experiment(name, tuple(blocks))
