"""What a plan means for each group: admitted, pending, running or evicted.

Computed from (Instance, Plan) alone, so that a table, a plan file and whoever acts on a plan say
the same.
"""

import numpy as np

from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs, needs_of
from gangplan.models.plan import Plan

ADMITTED = "admitted"
"""The group places new pods and did not stand before."""

PENDING = "pending"
"""The group places nothing new, and pods of it wait."""

RUNNING = "running"
"""A gang whose running members meet its minimum already (new pods of it are elastic), or a group
that runs and has no pod that waits."""


EVICTED = "evicted"
"""A gang all of whose running members fall. One that loses some of them is what it was."""


def statuses(instance: Instance, plan: Plan, needs: Needs | None = None) -> tuple[str, ...]:
    """(G,) one word each; a basic or bare group with new pods is ADMITTED."""
    needs = needs_of(instance) if needs is None else needs
    new = plan.placed_per_group(instance) > 0
    groups = len(instance.groups)
    waits = np.bincount(instance.roles.group, minlength=groups) > 0
    runs = needs.stands | (~waits & (instance.groups.running > 0))
    status = np.where(runs, RUNNING, np.where(new, ADMITTED, PENDING))
    if len(plan.evicted):
        lost = instance.running.pod_group[instance.running.falling(plan.evicted)]
        members = np.bincount(lost[lost >= 0], minlength=groups)
        gang = instance.groups.kind == GANG
        status[gang & (members > 0) & (members == instance.groups.running)] = EVICTED
    return tuple(status.tolist())
