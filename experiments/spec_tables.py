"""The tables of an experiment file, read one by one; every fault is gathered with its field."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from gangplan.datasets.kubernetes.text import quantity
from gangplan.experiments.choices import PlannerSpec, choices
from gangplan.experiments.record_checks import is_number, is_whole
from gangplan.experiments.sources import File, Generated, Source
from gangplan.models.errors import Fault, InputError
from gangplan.solvers.base import MOST_SECONDS, Limits


@dataclass(frozen=True, slots=True)
class Block:
    """Everything here is combined with everything else here, every list expanded.

    Attributes
    ----------
    sources : instances without their seed.
    planners : planner, solver, formulation, objective.
    limits : their seeds are those of ``seeds``, filled in cell by cell.
    seeds : at least one.
    """

    sources: tuple[Source, ...]
    planners: tuple[PlannerSpec, ...]
    limits: tuple[Limits, ...]
    seeds: tuple[int, ...]


Check = Callable[[object], bool]

BLOCK = ("instances", "planners", "limits", "seeds")
"""Keys of a block."""

_INSTANCE = ("generator", "trace", "file", "nodes", "groups")
_PLANNER = ("planner", "solver", "formulation", "objective", "preemption", "pdb")
_LIMITS = ("seconds", "gap", "threads", "memory")


_BYTES = "bytes of at least 1, such as '4Gi' or '500M',"


class Tables:
    """Reads the tables of one file and gathers its faults."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.faults: list[Fault] = []

    def block(self, document: Mapping[str, Any], where: str = "") -> Block:
        """Read the tables of one block; ``where`` is what its fields are called by."""
        seeds = self._several(document, "seeds", where, _is_seed, "integers from 0 to 2^31 - 1")
        sources = [
            source
            for field, table in self.tables(document, "instances", where)
            for source in self._of(field, table)
        ]
        planners = [
            spec
            for field, table in self.tables(document, "planners", where)
            for spec in self._planners(field, table)
        ]
        limits = self._limits(document.get("limits", {}), _field(where, "limits"))
        return Block(
            tuple(dict.fromkeys(sources)),
            tuple(dict.fromkeys(planners)),
            tuple(limits),
            tuple(dict.fromkeys(seeds)),
        )

    def _of(self, where: str, table: Mapping[str, Any]) -> Iterator[Source]:
        """Expand one table of instances."""
        self.known(table, where, _INSTANCE)
        kinds = [kind for kind in ("generator", "trace", "file") if kind in table]
        if len(kinds) != 1:
            self.fault(where, "exactly one of generator, trace and file expected")
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
                self.fault(where, "a file has its own size: no nodes, no groups")
            yield from map(self._file, names)
            return
        good = Generated.names(kind)
        for name in names:
            if name not in good:
                self.fault(f"{where}.{kind}", f"no {kind} {name!r}: one of {', '.join(good)}")
        for name, nodes, groups in product(names, sizes["nodes"], sizes["groups"]):
            yield Generated(kind, name, nodes, groups)

    def _file(self, name: str) -> Source:
        path = Path(self.path).parent / name
        try:
            there = path.exists()
        except OSError as error:
            self.fault(f"instances: file {name[:60]}", f"cannot be read: {error.strerror}")
        else:
            if not there:
                self.fault(f"instances: file {name}", f"no such file (looked for {path})")
        # As it stands there: two files of one name in two folders are two instances.
        return File(str(path), name)

    def _planners(self, where: str, table: Mapping[str, Any]) -> tuple[PlannerSpec, ...]:
        self.known(table, where, _PLANNER)
        before = len(self.faults)
        usual = ("exact", "highs", "", "groups", True, "soft")
        lists: list[list[Any]] = [
            [default]
            if field not in table
            else self._several(
                table,
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

    def _limits(self, table: object, where: str) -> list[Limits]:
        if not isinstance(table, Mapping):
            self.fault(where, "a table expected")
            return []
        self.known(table, where, _LIMITS)
        given = {"seconds": 60.0, "gap": 0.0, "threads": 1} | dict(table)
        seconds = self._several(
            given, "seconds", where, _is_seconds, f"numbers above 0, at most {MOST_SECONDS:,}"
        )
        gaps = self._several(given, "gap", where, _is_gap, "numbers from 0 to below 1")
        threads = self._several(given, "threads", where, _is_size, "integers of at least 1")
        sizes = self._several({"memory": None} | given, "memory", where, _is_memory, _BYTES)
        return [
            Limits(float(s), float(g), t, memory=None if m is None else _bytes(m))
            for s, g, t, m in product(seconds, gaps, threads, sizes)
        ]

    def tables(
        self, document: Mapping[str, Any], key: str, where: str = ""
    ) -> list[tuple[str, Mapping[str, Any]]]:
        """Return the tables ``[[key]]``, each with what its fields are called by."""
        tables, field = document.get(key, []), _field(where, key)
        if (
            not isinstance(tables, list)
            or not tables
            or not all(isinstance(t, dict) for t in tables)
        ):
            self.fault(field, f"at least one table [[{field}]] expected")
            return []
        return [(f"{field}[{number}]", table) for number, table in enumerate(tables)]

    def _several(
        self, table: Mapping[str, Any], key: str, where: str, good: Check, expected: str
    ) -> list[Any]:
        """Read one value or a list of them."""
        value = table.get(key, [])
        values = value if isinstance(value, list) else [value]
        field = _field(where, key)
        if not values:
            self.fault(field, f"at least one expected ({expected})")
        bad = [value for value in values if not good(value)]
        if bad:
            self.fault(field, f"{expected} expected, not {repr(bad[0])[:60]}")
        return [] if bad else values

    def known(self, table: Mapping[str, Any], where: str, known: Sequence[str]) -> None:
        """Refuse a key that is none of those known."""
        for key in table:
            if key not in known:
                self.fault(_field(where, key), f"unknown key: one of {', '.join(known)}")

    def fault(self, field: str, message: str) -> None:
        """Note what is wrong with a field."""
        self.faults.append(Fault(self.path, field, "", message))


def _field(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key


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
