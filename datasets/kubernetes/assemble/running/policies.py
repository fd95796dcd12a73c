"""Groups that evict nobody: preemptionPolicy Never, or room is on its way to them."""

from collections.abc import Collection, Sequence

from gangplan.datasets.kubernetes.assemble.membership import Membership, Unit
from gangplan.datasets.kubernetes.assemble.priorities import Priorities
from gangplan.datasets.kubernetes.assemble.trees import Branch
from gangplan.datasets.kubernetes.records import NEVER


def never_of(
    members: Membership,
    branches: Sequence[Branch],
    priorities: Priorities,
    nodes: Collection[str],
) -> tuple[int, ...]:
    """Give the numbers of groups that wait and may not evict.

    A PodGroup's own policy counts (1.37); without one, that of its waiting pods and of its class: a
    single Never among them is one. Never of a composite is one for all groups below it. While a
    pod is being deleted on a node that a pod is nominated to, its group, and every group of its
    tree, evicts nobody. On a node that the sources do not have there is no room to wait for.

    Parameters
    ----------
    nodes : names of the nodes.
    """
    leaving = {pod.node for pod in members.leaving if pod.node in nodes}
    roots = [_root(unit, g, branches) for g, unit in enumerate(members.units)]
    awaited = {
        root
        for root, unit in zip(roots, members.units, strict=True)
        if any(pod.nominated in leaving for pod in unit.pending)
    }
    return tuple(
        g
        for g, unit in enumerate(members.units)
        if unit.pending
        and (
            roots[g] in awaited
            or _says_never(unit, priorities)
            or any(priorities.policy_of(one.record) == NEVER for one in _above(unit, branches))
        )
    )


def _says_never(unit: Unit, priorities: Priorities) -> bool:
    record = unit.record
    if record is not None and record.preemption_policy:
        return record.preemption_policy == NEVER
    if record is not None and priorities.policy_of(record) == NEVER:
        return True
    return any(priorities.policy_of(pod) == NEVER for pod in unit.pending)


def _above(unit: Unit, branches: Sequence[Branch]) -> list[Branch]:
    found: list[Branch] = []
    above = unit.parent
    while above >= 0:
        found.append(branches[above])
        above = branches[above].parent
    return found


def _root(unit: Unit, g: int, branches: Sequence[Branch]) -> tuple[str, int]:
    return ("group", g) if unit.parent < 0 else ("tree", branches[unit.parent].root)
