"""Running work as people say it -> the columns of an instance.

Readers and generators describe units with their pods, and what protects them; ``running`` numbers
them and writes the columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.running import POD, UNKNOWN, Running


@dataclass(frozen=True, slots=True)
class Pod:
    """A running pod.

    Attributes
    ----------
    name : ``namespace/name``.
    node, group : numbers; -1 where there is none in the snapshot.
    request : base units, one number a resource of the instance.
    devices : devices (GPUs) it holds, in ``Instance.device_unit``-ths.
    minutes : whole minutes it has run.
    """

    name: str
    node: int
    request: tuple[int, ...]
    devices: int = 0
    group: int = -1
    minutes: int = UNKNOWN


@dataclass(frozen=True, slots=True)
class Unit:
    """What falls as one; ``kind`` POD, GROUP or TREE."""

    name: str
    priority: int
    pods: tuple[Pod, ...]
    kind: int = POD


@dataclass(frozen=True, slots=True)
class Floor:
    """Members of a group, ``least`` of which stay unless the group is taken whole.

    Attributes
    ----------
    running : all running members of the floor, those that nobody may evict included.
    pods : names of those that are pods of units.
    """

    group: int
    least: int
    running: int
    pods: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """A PodDisruptionBudget over pods of units, by name; pods without a unit do not matter."""

    name: str
    allowed: int
    pods: tuple[str, ...]
    hard: bool = False


@dataclass(frozen=True, slots=True)
class Hold:
    """The allocation of a claim, and what comes free when its last user falls.

    Attributes
    ----------
    users : names of all its users; each is a pod of a unit.
    shared : number of the shared claim that it is; -1 for other claims.
    devices : numbers of devices that are taken until then, and not ``multi``.
    counters, pots : number -> amount that returns.
    """

    users: tuple[str, ...]
    shared: int = -1
    devices: tuple[int, ...] = ()
    counters: Mapping[int, int] = field(default_factory=dict)
    pots: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """What an `Instance` takes: ``names`` are keyword arguments of `Names`."""

    running: Running
    names: Mapping[str, tuple[str, ...]]


def running(
    n_resources: int,
    units: Sequence[Unit],
    floors: Sequence[Floor] = (),
    budgets: Sequence[Budget] = (),
    holds: Sequence[Hold] = (),
    never: Sequence[int] = (),
) -> Section:
    """Write the columns; units and budgets keep their order.

    Raises
    ------
    KeyError : a floor, budget or hold that names a pod of no unit.
    InstanceError : two pods of one name, and whatever the columns refuse.
    """
    pods = [pod for unit in units for pod in unit.pods]
    number = {pod.name: u for u, pod in enumerate(pods)}
    floors = sorted(floors, key=lambda floor: floor.group)
    member = [(f, number[name]) for f, floor in enumerate(floors) for name in floor.pods]
    match = [(b, number[name]) for b, budget in enumerate(budgets) for name in budget.pods]
    users = [(h, number[name]) for h, hold in enumerate(holds) for name in hold.users]
    freed = [(h, device) for h, hold in enumerate(holds) for device in hold.devices]
    back = [(h, c, n) for h, hold in enumerate(holds) for c, n in hold.counters.items() if n]
    spare = [(h, m, n) for h, hold in enumerate(holds) for m, n in hold.pots.items() if n]
    request = np.array([pod.request for pod in pods], dtype=np.int64)
    columns = Running(
        priority=_column([unit.priority for unit in units]),
        kind=_column([unit.kind for unit in units]),
        pod_unit=np.repeat(np.arange(len(units)), [len(unit.pods) for unit in units]),
        pod_group=_column([pod.group for pod in pods]),
        pod_node=_column([pod.node for pod in pods]),
        pod_request=request.reshape(len(pods), n_resources if pods else 0),
        pod_devices=_column([pod.devices for pod in pods]),
        pod_minutes=_column([pod.minutes for pod in pods]),
        floor_group=_column([floor.group for floor in floors]),
        floor_least=_column([floor.least for floor in floors]),
        floor_running=_column([floor.running for floor in floors]),
        budget_allowed=_column([budget.allowed for budget in budgets]),
        budget_hard=np.array([budget.hard for budget in budgets], dtype=np.bool_),
        hold_shared=_column([hold.shared for hold in holds]),
        never=_column(sorted(set(never))),
        **_table(member, "member_floor", "member_pod"),
        **_table(match, "match_budget", "match_pod"),
        **_table(users, "user_hold", "user_pod"),
        **_table(freed, "freed_hold", "freed_device"),
        **_table(back, "back_hold", "back_counter", "back_amount"),
        **_table(spare, "spare_hold", "spare_pot", "spare_amount"),
    )
    names = {
        "units": tuple(unit.name for unit in units),
        "running": tuple(pod.name for pod in pods),
        "budgets": tuple(budget.name for budget in budgets),
    }
    return Section(columns, names)


def _column(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)


def _table(rows: Sequence[tuple[int, ...]], *names: str) -> dict[str, Ints]:
    table = np.array(sorted(set(rows)), dtype=np.int64).reshape(-1, len(names))
    return {name: table[:, i] for i, name in enumerate(names)}
