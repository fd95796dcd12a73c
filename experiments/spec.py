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

Keys are strict: an unknown one is an error that names the file and the key.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from gangplan.datasets.kubernetes.text import quantity
from gangplan.experiments.choices import PlannerSpec as PlannerSpec
from gangplan.experiments.choices import choices as choices
from gangplan.experiments.record_checks import LONGEST, is_name, is_number, is_whole
from gangplan.experiments.sources import File, Generated, Source
from gangplan.models.errors import Fault, InputError
from gangplan.solvers.base import MOST_SECONDS, Limits


@dataclass(frozen=True, slots=True)
class Experiment:
    """What an experiment file says, every list expanded.

    Attributes
    ----------
    name : of the experiment and its file of records.
    sources : instances without their seed.
    planners : planner, solver, formulation, objective.
    limits : their seeds are those of ``seeds``, filled in cell by cell.
    seeds : at least one.
    """

    name: str
    sources: tuple[Source, ...]
    planners: tuple[PlannerSpec, ...]
    limits: tuple[Limits, ...]
    seeds: tuple[int, ...]


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
    return _Reader(str(path)).experiment(document)


Check = Callable[[object], bool]

_TOP = ("name", "instances", "planners", "limits", "seeds")
_INSTANCE = ("generator", "trace", "file", "nodes", "groups")
_PLANNER = ("planner", "solver", "formulation", "objective", "preemption", "pdb")
_LIMITS = ("seconds", "gap", "threads", "memory")


_BYTES = "bytes of at least 1, such as '4Gi' or '500M',"


class _Reader:
    """Reads one document and gathers its faults."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.faults: list[Fault] = []

    def experiment(self, document: Mapping[str, Any]) -> Experiment:
        self._known(document, "", _TOP)
        name = document.get("name", Path(self.path).stem)
        if not is_name(name):
            whose = "" if "name" in document else " (that of the file, as the file gives none)"
            self._fault(
                "name",
                f"letters, digits, '.', '_' and '-' expected, {LONGEST} bytes at most, not "
                f"{repr(name)[:60]}{whose}",
            )
        seeds = self._several(document, "seeds", "", _is_seed, "integers from 0 to 2^31 - 1")
        sources = [
            s for where, t in self._tables(document, "instances") for s in self._of(where, t)
        ]
        planners = [
            spec
            for where, table in self._tables(document, "planners")
            for spec in self._planners(where, table)
        ]
        limits = self._limits(document.get("limits", {}))
        if self.faults:
            raise InputError(self.faults)
        return Experiment(
            name,
            tuple(dict.fromkeys(sources)),
            tuple(dict.fromkeys(planners)),
            tuple(limits),
            tuple(dict.fromkeys(seeds)),
        )

    def _of(self, where: str, table: Mapping[str, Any]) -> Iterator[Source]:
        """Expand one table of instances."""
        self._known(table, where, _INSTANCE)
        kinds = [kind for kind in ("generator", "trace", "file") if kind in table]
        if len(kinds) != 1:
            self._fault(where, "exactly one of generator, trace and file expected")
            return
        kind = kinds[0]
        names = self._several(table, kind, where, _is_word, "names")
        sizes = {
            field: self._several(table, field, where, _is_size, "integers of at least 1")
            if field in table
            else [None]
            for field in ("nodes", "groups")
        }
        if kind == "file":
            if sizes != {"nodes": [None], "groups": [None]}:
                self._fault(where, "a file has its own size: no nodes, no groups")
            yield from map(self._file, names)
            return
        good = Generated.names(kind)
        for name in names:
            if name not in good:
                self._fault(f"{where}.{kind}", f"no {kind} {name!r}: one of {', '.join(good)}")
        for name, nodes, groups in product(names, sizes["nodes"], sizes["groups"]):
            yield Generated(kind, name, nodes, groups)

    def _file(self, name: str) -> Source:
        path = Path(self.path).parent / name
        try:
            there = path.exists()
        except OSError as error:
            self._fault(f"instances: file {name[:60]}", f"cannot be read: {error.strerror}")
        else:
            if not there:
                self._fault(f"instances: file {name}", f"no such file (looked for {path})")
        # As it stands there: two files of one name in two folders are two instances.
        return File(str(path), name)

    def _planners(self, where: str, table: Mapping[str, Any]) -> tuple[PlannerSpec, ...]:
        self._known(table, where, _PLANNER)
        before = len(self.faults)
        usual = ("exact", "highs", "counts", "groups", True, "soft")
        lists = [
            self._several(
                {field: default} | dict(table),
                field,
                where,
                *((_is_flag, "true or false") if default is True else (_is_word, "names")),
            )
            for field, default in zip(_PLANNER, usual, strict=True)
        ]
        if len(self.faults) > before:
            return ()
        try:
            return choices(*lists)
        except InputError as error:
            self.faults += [Fault(self.path, where, f.item, f.message) for f in error.faults]
            return ()

    def _limits(self, table: object) -> list[Limits]:
        if not isinstance(table, Mapping):
            self._fault("limits", "a table expected")
            return []
        self._known(table, "limits", _LIMITS)
        given = {"seconds": 60.0, "gap": 0.0, "threads": 1} | dict(table)
        seconds = self._several(
            given, "seconds", "limits", _is_seconds, f"numbers above 0, at most {MOST_SECONDS:,}"
        )
        gaps = self._several(given, "gap", "limits", _is_gap, "numbers from 0 to below 1")
        threads = self._several(given, "threads", "limits", _is_size, "integers of at least 1")
        sizes = self._several({"memory": None} | given, "memory", "limits", _is_memory, _BYTES)
        return [
            Limits(float(s), float(g), t, memory=None if m is None else _bytes(m))
            for s, g, t, m in product(seconds, gaps, threads, sizes)
        ]

    def _tables(self, document: Mapping[str, Any], key: str) -> list[tuple[str, Mapping[str, Any]]]:
        tables = document.get(key, [])
        if (
            not isinstance(tables, list)
            or not tables
            or not all(isinstance(t, dict) for t in tables)
        ):
            self._fault(key, f"at least one table [[{key}]] expected")
            return []
        return [(f"{key}[{number}]", table) for number, table in enumerate(tables)]

    def _several(
        self, table: Mapping[str, Any], key: str, where: str, good: Check, expected: str
    ) -> list[Any]:
        """Read one value or a list of them."""
        value = table.get(key, [])
        values = value if isinstance(value, list) else [value]
        field = f"{where}.{key}" if where else key
        if not values:
            self._fault(field, f"at least one expected ({expected})")
        bad = [value for value in values if not good(value)]
        if bad:
            self._fault(field, f"{expected} expected, not {repr(bad[0])[:60]}")
        return [] if bad else values

    def _known(self, table: Mapping[str, Any], where: str, known: Sequence[str]) -> None:
        for key in table:
            if key not in known:
                field = f"{where}.{key}" if where else key
                self._fault(field, f"unknown key: one of {', '.join(known)}")

    def _fault(self, field: str, message: str) -> None:
        self.faults.append(Fault(self.path, field, "", message))


def _is_size(value: Any) -> bool:
    return is_whole(value) and 1 <= value < 2**31


def _is_seed(value: Any) -> bool:
    return is_whole(value) and 0 <= value < 2**31


def _is_seconds(value: Any) -> bool:
    return is_number(value) and 0 < value <= MOST_SECONDS


def _is_gap(value: Any) -> bool:
    return is_number(value) and 0 <= value < 1


def _is_memory(value: Any) -> bool:
    try:
        return value is None or _bytes(value) > 0
    except ValueError:
        return False


def _bytes(value: object) -> int:
    return quantity.parse(value, round_up=False, minimum=1)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_word(value: object) -> bool:
    return isinstance(value, str) and bool(value)
