"""The data of machine reassignment, and the reader of the challenge's two files."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gangplan.datasets.classics.numbers import Numbers, numbers_of
from gangplan.datasets.traces.folder import Public
from gangplan.models.arrays import Flags, Ints
from gangplan.models.milp import BIGGEST

REPOSITORY = "gturri/roadef2012"
"""Carries the files of the challenge in ``instances/``."""


@dataclass(frozen=True, slots=True, eq=False)
class Machines:
    """Machines m in 0..M-1, resources r in 0..R-1.

    Attributes
    ----------
    neighbourhood, location : (M,).
    capacity, safety : (M, R); load above the safety capacity costs.
    move : (M, M) cost of a process that goes from one to another.
    """

    neighbourhood: Ints
    location: Ints
    capacity: Ints
    safety: Ints
    move: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Processes p in 0..P-1 of services s in 0..S-1 on machines.

    Attributes
    ----------
    transient : (R,) a process that moves needs the resource on both its machines.
    load_weight : (R,) cost of a unit above the safety capacity.
    machines : see Machines.
    spread : (S,) different locations a service must be in, at least.
    depends : (D, 2) service, and the one it wants in each of its neighbourhoods.
    service : (P,), need : (P, R), process_move : (P,) cost of moving it.
    balance : (B, 4) resources r1, r2, target, weight: free r2 should be target x free r1 or more.
    weights : cost weights of process, service and machine moves.
    start : (P,) machine of each process now.
    """

    transient: Flags
    load_weight: Ints
    machines: Machines
    spread: Ints
    depends: Ints
    service: Ints
    need: Ints
    process_move: Ints
    balance: Ints
    weights: tuple[int, int, int]
    start: Ints


def public(name: str) -> tuple[Public, Public]:
    """Return the public files of an instance, ``a1_1`` to ``a1_5``: model and assignment."""
    model, assignment = (
        Public(f"roadef-euro-2012/{kind}_{name}.txt", REPOSITORY, f"instances/{kind}_{name}.txt")
        for kind in ("model", "assignment")
    )
    return model, assignment


def read(model: Path, assignment: Path) -> Problem:
    """Read a model and its first assignment.

    Raises
    ------
    InputError : the file and line of what is wrong.
    """
    numbers = numbers_of(model)
    resources = numbers.whole("the number of resources", 1, 1000)
    pairs = [
        (numbers.whole("transient or not", 0, 1), numbers.whole("a load weight"))
        for _ in range(resources)
    ]
    machines = _machines(numbers, resources)
    count = len(machines.location)
    spread, depends = _services(numbers)
    processes = numbers.whole("the number of processes", 1, 100_000)
    rows = [
        (
            numbers.whole("a service", 0, len(spread) - 1),
            *numbers.wholes(resources, "a need"),
            numbers.whole("a move cost"),
        )
        for _ in range(processes)
    ]
    table = np.array(rows, dtype=np.int64)
    balance = _balance(numbers, resources)
    if int(machines.capacity.max()) * int(balance[:, 2].max(initial=0)) > BIGGEST:
        raise numbers.fault("a target times a capacity above 2^40 in the balance costs before this")
    weights = tuple(numbers.whole("a weight") for _ in range(3))
    numbers.end()
    places = numbers_of(assignment)
    start = places.wholes(processes, "a machine", 0, count - 1)
    places.end()
    transient, load_weight = np.array(pairs, dtype=np.int64).T
    return Problem(
        transient.astype(np.bool_),
        load_weight,
        machines,
        spread,
        depends,
        table[:, 0],
        table[:, 1:-1],
        table[:, -1],
        balance,
        (weights[0], weights[1], weights[2]),
        np.array(start, dtype=np.int64),
    )


def _machines(numbers: Numbers, resources: int) -> Machines:
    count = numbers.whole("the number of machines", 1, 10_000)
    rows = [
        (
            numbers.whole("a neighbourhood", 0, count),
            numbers.whole("a location", 0, count),
            *numbers.wholes(resources, "a capacity"),
            *numbers.wholes(resources, "a safety capacity"),
            *numbers.wholes(count, "a move cost"),
        )
        for _ in range(count)
    ]
    table = np.array(rows, dtype=np.int64)
    at = (2, 2 + resources, 2 + 2 * resources)
    capacity, safety, move = table[:, at[0] : at[1]], table[:, at[1] : at[2]], table[:, at[2] :]
    return Machines(table[:, 0], table[:, 1], capacity, safety, move)


def _services(numbers: Numbers) -> tuple[Ints, Ints]:
    count = numbers.whole("the number of services", 1, 100_000)
    spread: list[int] = []
    depends: list[tuple[int, int]] = []
    for service in range(count):
        spread.append(numbers.whole("a spread"))
        many = numbers.whole("the number of dependencies", 0, count)
        on = numbers.wholes(many, "a service", 0, count - 1)
        depends += [(service, other) for other in on]
    pairs = np.array(depends, dtype=np.int64).reshape(-1, 2)
    return np.array(spread, dtype=np.int64), pairs


def _balance(numbers: Numbers, resources: int) -> Ints:
    count = numbers.whole("the number of balance costs", 0, 10_000)
    last = resources - 1
    rows = [
        (
            numbers.whole("a resource", 0, last),
            numbers.whole("a resource", 0, last),
            numbers.whole("a target"),
            numbers.whole("a weight"),
        )
        for _ in range(count)
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)
