"""Records: what one run of one planner on one instance gave, one JSON line each.

A file of records is only ever appended to. Its last line may be torn (the machine stopped while it
was written): it is left out with a note, and the next append begins on a line of its own.
"""

import errno
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from gangplan.experiments import record_checks
from gangplan.files import cannot_write
from gangplan.models.errors import Fault, InputError

SCHEMA = "gangplan/record/v1"

DONE = "done"
"""A verified or refused plan with its figures."""

SKIPPED = "skipped"
"""The cell cannot run here; the reason says why."""

FAILED = "failed"
"""The cell crashed or was killed; the next run tries it again."""


@dataclass(frozen=True, slots=True)
class TierRecord:
    """One tier: its exact value, the bound, and how the bound is known (as in a TierReport)."""

    name: str
    maximise: bool
    value: int
    bound: int | None
    proof: str
    proven: bool
    given: bool = False


Step = tuple[float, int, int | None]
"""Seconds since the planner was called, value and bound of the first tier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One cell of an experiment.

    Attributes
    ----------
    key : sha256 of (instance digest, planner, limits, seed, gangplan and solver versions).
    experiment : its name.
    status : DONE, SKIPPED or FAILED.
    reason : why it was skipped or failed; else empty.
    instance : label of the instance, as ``training 64/30 seed 2``; ``family`` without the seed.
    digest : of the instance; empty where it could not be read.
    nodes, groups, pods : its size (pods that wait).
    planner, solver, formulation, objective : solver and formulation are empty where the planner
        has none.
    preemption, pdb : what the planner was asked about evictions.
    time_limit, gap_limit, threads, memory_limit, seed : the limits; seconds, relative gap, bytes.
    tiers : values and bounds, in order.
    trace : (seconds, value, bound) of the first tier as they came; empty where the planner keeps
        none. A bound is None as long as there was none.
    stop : ``optimal`` (every tier proven) or ``feasible``; empty unless DONE.
    seconds : ``plan`` (the call of the planner as a whole, the only phase that limits count),
        ``build``, ``handover``, ``solve`` (both as the backend clocks them); outside of ``plan``:
        ``read``, ``start`` (the backend's process and imports), ``verify``.
    overshoot : the most seconds by which one solve passed its limit.
    solver_errors : searches that failed; the planner went on without them.
    peak_memory : bytes of the process tree of the cell at its widest; None where not measured.
    verified : the plan keeps every rule and its reports hold; None unless DONE.
    violations : sentences of the verifier.
    warnings : sentences of the planner.
    machine : ``platform``, ``cpu``, ``cores``, ``load`` (one minute, at the start of the cell).
    versions : package -> version.
    """

    key: str
    experiment: str
    status: str
    reason: str = ""
    instance: str
    family: str
    digest: str = ""
    nodes: int = 0
    groups: int = 0
    pods: int = 0
    planner: str
    solver: str = ""
    formulation: str = ""
    objective: str
    preemption: bool = True
    pdb: str = "soft"
    time_limit: float
    gap_limit: float = 0.0
    threads: int = 1
    memory_limit: int | None = None
    seed: int = 0
    tiers: tuple[TierRecord, ...] = ()
    trace: tuple[Step, ...] = ()
    stop: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict)
    overshoot: float = 0.0
    solver_errors: int = 0
    peak_memory: int | None = None
    verified: bool | None = None
    violations: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    machine: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """The plan failed its check: what the planner says of it counts for nothing."""
        return self.verified is False

    @property
    def proven(self) -> bool:
        """Every tier is proven, of a plan that passed its check."""
        return self.status == DONE and not self.broken and all(tier.proven for tier in self.tiers)

    @property
    def gap(self) -> float | None:
        """|bound - value| / max(1, |value|) of the first tier.

        None without tier or bound, and for a plan that failed its check.
        """
        if self.broken or not self.tiers or self.tiers[0].bound is None:
            return None
        first = self.tiers[0]
        assert first.bound is not None
        return abs(first.bound - first.value) / max(1, abs(first.value))

    @property
    def backend(self) -> str:
        """``solver/formulation``, or the planner where it has neither."""
        return "/".join(part for part in (self.solver, self.formulation) if part) or self.planner

    @property
    def cell(self) -> tuple[object, ...]:
        """What was asked for, without versions: records of one cell replace one another."""
        return (
            *(self.experiment, self.instance, self.planner, self.solver, self.formulation),
            *(self.objective, self.time_limit, self.gap_limit, self.threads, self.seed),
            *(self.memory_limit, self.preemption, self.pdb),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the record as a JSON object, with its schema and the derived ``gap``."""
        return {"schema": SCHEMA, **asdict(self), "gap": self.gap}


class Loaded(NamedTuple):
    """What ``load`` found: the records in order, and sentences on lines left out."""

    records: tuple[Record, ...]
    notes: tuple[str, ...]


def from_json(document: Mapping[str, Any]) -> Record:
    """Read one record; keys of a later gangplan are ignored.

    Raises
    ------
    ValueError : another schema, or a key that is missing or of another type.
    """
    if document.get("schema") != SCHEMA:
        raise ValueError(f"schema {SCHEMA} expected, not {str(document.get('schema'))[:60]!r}")
    known = {f.name for f in fields(Record)}
    values = {name: value for name, value in document.items() if name in known}
    record_checks.check(values, record_checks.RECORD)
    try:
        values["tiers"] = _tiers(values.get("tiers", []))
        values["trace"] = tuple((t, v, b) for t, v, b in values.get("trace", []))
        for name in ("violations", "warnings"):
            values[name] = tuple(values.get(name, ()))
        for name in ("seconds", "machine", "versions"):
            values[name] = dict(values.get(name, {}))
        return Record(**values)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _tiers(documents: object) -> tuple[TierRecord, ...]:
    """Read the tiers of a record; keys of a later gangplan are ignored."""
    if not isinstance(documents, list | tuple) or not all(isinstance(t, dict) for t in documents):
        raise ValueError("tiers: a list of objects expected")
    known = {f.name for f in fields(TierRecord)}
    tiers = []
    for document in documents:
        values = {name: value for name, value in document.items() if name in known}
        record_checks.check(values, record_checks.TIER)
        tier = TierRecord(**values)
        if tier.proven and tier.bound != tier.value:
            raise ValueError(f"tiers: {tier.name} is proven, and its bound is not its value")
        tiers.append(tier)
    return tuple(tiers)


def load(path: Path | str) -> Loaded:
    """Read the records of one file, or of every ``*.jsonl`` of a folder in order of name.

    Raises
    ------
    InputError : no such file, not readable, a line of another schema or with a field that cannot
        be, or a file with lines of which none is a record.
    """
    place = Path(path)
    if not place.is_dir():
        return _load_file(place)
    parts = [_load_file(file) for file in sorted(place.glob("*.jsonl"))]
    return Loaded(
        tuple(record for part in parts for record in part.records),
        tuple(note for part in parts for note in part.notes),
    )


def latest(records: Iterable[Record]) -> tuple[Record, ...]:
    """Return the last record of each cell, whatever its versions, in order of first appearance."""
    last: dict[tuple[object, ...], Record] = {}
    for record in records:
        last[record.cell] = record
    return tuple(last.values())


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Hold a file of records for one run alone; the hold ends with the process, however it ends.

    Raises
    ------
    InputError : the file cannot be written, or another run holds it.
    """
    try:
        file = Path(path).open("ab")  # noqa: SIM115 - closed below, in every case
    except OSError as error:
        raise cannot_write(path, error) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # A file system without locks is no reason to refuse.
            if error.errno in (errno.EAGAIN, errno.EACCES):
                raise _refuse(path, "another run is writing to it") from None
        yield


def append(path: Path | str, record: Record) -> None:
    """Add one line, and flush it to the disk.

    Raises
    ------
    InputError : the file cannot be written (disk full, no permission, ...).
    """
    line = json.dumps(record.as_json(), separators=(",", ":"), allow_nan=False) + "\n"
    try:
        with Path(path).open("ab+", buffering=0) as file:
            end = file.seek(0, 2)
            if end:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    line = "\n" + line
            data = line.encode()
            while data:
                data = data[file.write(data) :]
            with suppress(OSError):  # a pipe or a device has nothing to flush
                os.fsync(file.fileno())
    except OSError as error:
        raise cannot_write(path, error) from None


def _load_file(path: Path) -> Loaded:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise _refuse(path, f"cannot be read: {error.strerror or error}") from None
    records: list[Record] = []
    notes: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            document = json.loads(line)
            if not isinstance(document, dict):
                raise ValueError("a JSON object expected")
        except (ValueError, RecursionError):
            # A torn line is one that the machine did not finish: no JSON. It costs one cell.
            notes.append(f"{path}: line {number} is torn and was left out")
            continue
        try:
            records.append(from_json(document))
        except ValueError as error:
            raise _refuse(path, f"line {number}: {error}") from None
    if notes and not records and not all(map(_begins_like_one, filter(bytes.strip, lines))):
        raise _refuse(path, "no line of it is a record")
    return Loaded(tuple(records), tuple(notes))


def _begins_like_one(line: bytes) -> bool:
    """Tell the torn line of a run that was ended in its first record from another kind of file."""
    beginning = f'{{"schema":"{SCHEMA}"'.encode()
    return line.startswith(beginning[: len(line)])


def _refuse(path: Path | str, message: str) -> InputError:
    return InputError([Fault(str(path), "", "", message)])
