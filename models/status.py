"""What a plan means for each group and pod: admitted, pending or running; minimum or elastic.

Computed from (Instance, Plan) alone, so that a table, a plan file and whoever acts on a plan say
the same.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs, needs_of
from gangplan.models.plan import Plan

ADMITTED = "admitted"
"""The group places new pods and did not stand before."""

PENDING = "pending"
"""The group places nothing new, and pods of it wait."""

RUNNING = "running"
"""A gang whose running members meet its minimum already; new pods of it are elastic."""


def statuses(instance: Instance, plan: Plan, needs: Needs | None = None) -> tuple[str, ...]:
    """(G,) ADMITTED, PENDING or RUNNING; a basic or bare group with new pods is ADMITTED."""
    needs = needs_of(instance) if needs is None else needs
    new = placed_per_group(instance, plan) > 0
    return tuple(
        RUNNING if stands else ADMITTED if some else PENDING
        for stands, some in zip(needs.stands.tolist(), new.tolist(), strict=True)
    )


def placed_per_group(instance: Instance, plan: Plan) -> Ints:
    """(G,) new pods of each group."""
    group = instance.roles.group[instance.pod_role[plan.node >= 0]]
    return np.bincount(group, minlength=len(instance.groups)).astype(np.int64)


def minimum_pods(instance: Instance, plan: Plan, needs: Needs | None = None) -> Flags:
    """(P,) placed pods that a minimum asks for; the other placed pods are elastic.

    Pods of basic and bare groups are gangs of one, so none of them is elastic. In a gang, the
    roles' own minima come first, then pods in their order until the gang's minimum is met; what
    a standing gang gets is elastic. A child of a composite is judged by its own minimum.
    """
    needs = needs_of(instance) if needs is None else needs
    placed = plan.node >= 0
    group = instance.roles.group[instance.pod_role]
    gang = instance.groups.kind[group] == GANG
    own = placed & gang & (_rank(instance.pod_role, placed) < needs.role[instance.pod_role])
    left = needs.group - np.bincount(group[own], minlength=len(needs.group))
    more = placed & gang & ~own
    more &= _rank(group, more) < left[group]
    minimum: Flags = own | more | (placed & ~gang)
    return minimum


def _rank(owner: Ints, chosen: Flags) -> Ints:
    """(P,) how many chosen pods of the same owner stand before this one; owners are sorted."""
    before = np.cumsum(chosen) - chosen
    first = np.searchsorted(owner, owner, side="left")
    rank: Ints = before - before[first] if len(owner) else before
    return rank
