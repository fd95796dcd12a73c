"""Which running pods fall together, and at what priority (KEP-5710, KEP-6012).

A pod falls alone; the pods of a PodGroup of disruption mode ``all`` together; below composites the
highest one of mode ``all`` takes everything under it along.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from gangplan.datasets.kubernetes.assemble.foreign import FOREIGN
from gangplan.datasets.kubernetes.assemble.holds import counted, named
from gangplan.datasets.kubernetes.assemble.membership import Membership, Unit
from gangplan.datasets.kubernetes.assemble.priorities import Priorities
from gangplan.datasets.kubernetes.assemble.trees import Branch
from gangplan.datasets.kubernetes.order import full_name, natural
from gangplan.datasets.kubernetes.records import PodRecord
from gangplan.models.running import GROUP, POD, TREE

_KIND = {GROUP: "PodGroup", TREE: "CompositePodGroup"}


@dataclass(frozen=True, slots=True)
class Standing:
    """What falls as one; ``kind`` POD, GROUP or TREE. ``pods`` by name."""

    name: str
    kind: int
    priority: int
    pods: list[PodRecord]


def ranks_of(units: Sequence[Unit], branches: Sequence[Branch]) -> list[int]:
    """Give the priority of each group's root, as far as its parents are known."""
    return [
        branches[branches[unit.parent].root].priority if unit.parent >= 0 else unit.priority
        for unit in units
    ]


def groups_of(units: Sequence[Unit]) -> dict[str, int]:
    """Give running pods, by full name, the number of their group.

    Pods without a PodGroup that count as members of several units of their owner are of the first.
    """
    number: dict[str, int] = {}
    for g, unit in enumerate(units):
        for pod in unit.running:
            number.setdefault(full_name(pod), g)
    return number


def standing_of(
    members: Membership,
    branches: Sequence[Branch],
    group: Mapping[str, int],
    priorities: Priorities,
    notes: list[str],
    kept: Collection[str] = (),
) -> list[Standing]:
    """Divide the running pods into units, by name; fixed pods are of none.

    Parameters
    ----------
    group : as `groups_of` gives it.
    kept : full names of pods that are not evicted although they could be.
    notes : told of what never falls because of a fixed member, and of what falls on nodes that
        nobody knows.
    """
    ranks = ranks_of(members.units, branches)
    atoms = [_atom(unit, g, branches) for g, unit in enumerate(members.units)]
    whole: dict[tuple[int, int], Standing] = {}
    found: list[Standing] = []
    for pod in members.running:
        name = full_name(pod)
        if name in kept:
            pod = replace(pod, fixed="kept")
        g = group.get(name, -1)
        if g >= 0 and members.units[g].record is not None:
            kind, owner = atoms[g]
            rank = ranks[g]
        else:
            kind, owner, rank = POD, -1, priorities.of_pod(pod)
        if kind == POD:
            if not pod.fixed:
                found.append(Standing(name, POD, rank, [pod]))
            continue
        if (kind, owner) not in whole:
            named_after = branches[owner].name if kind == TREE else members.units[owner].name
            whole[kind, owner] = Standing(named_after, kind, rank, [])
        whole[kind, owner].pods.append(pod)
    found += _movable(whole.values(), notes)
    found.sort(key=_by_name)
    return found


def on_unknown_nodes(units: Sequence[Standing], nodes: Mapping[str, int]) -> Iterator[str]:
    """Tell of units of which a part runs where the sources have no node."""
    for unit in units:
        lost = [pod for pod in unit.pods if pod.node not in nodes] if unit.kind != POD else []
        if lost:
            yield (
                f"{_KIND[unit.kind]} {unit.name} falls only as a whole, with"
                f" {counted(len(lost), 'pod')} on nodes not in the sources, which free nothing:"
                f" {named(lost)}"
            )


def _atom(unit: Unit, g: int, branches: Sequence[Branch]) -> tuple[int, int]:
    """Kind of what falls with a group, and the number of the composite or group it is named for."""
    if unit.record is None:
        return POD, -1
    atom = (GROUP, g) if unit.record.disruption == "all" else (POD, -1)
    above = unit.parent
    while above >= 0:
        if branches[above].record.disruption == "all":
            atom = TREE, above
        above = branches[above].parent
    return atom


def _movable(whole: Iterable[Standing], notes: list[str]) -> list[Standing]:
    """Leave out what never falls: nobody evicts one of its members."""
    found = []
    for unit in whole:
        fixed = [pod for pod in unit.pods if pod.fixed]
        if not fixed:
            found.append(unit)
            continue
        if all(pod.fixed == FOREIGN for pod in unit.pods):
            continue  # one note tells of all of them
        kinds = " and ".join(sorted({pod.fixed for pod in fixed}))
        notes.append(
            f"{_KIND[unit.kind]} {unit.name} is never evicted: it falls only as a whole, and"
            f" {counted(len(fixed), f'{kinds} pod')} among its members never: {named(fixed)}"
        )
    return found


def _by_name(unit: Standing) -> tuple[object, ...]:
    space, _, name = unit.name.partition("/")
    return natural(space), natural(name), unit.kind
