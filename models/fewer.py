"""A plan with some of its pods taken away, and the devices that only they had."""

from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Flags
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan


def only(instance: Instance, plan: Plan, keep: Flags) -> Plan:
    """Return the plan without the placed pods that are not flagged (P,), and without their devices.

    A shared claim keeps its devices as long as one of its users is placed.
    """
    node = np.where(keep, plan.node, -1)
    devices, given, claims = keep[plan.device_pod], plan.allocations, instance.claims
    roles = np.bincount(instance.pod_role[node >= 0], minlength=len(instance.roles)) > 0
    users = claims.user_shared[roles[claims.user_role]]
    rows = np.where(given.pod >= 0, keep[given.pod], np.isin(given.claim, users))
    if not len(given):
        rows = np.zeros(0, dtype=np.bool_)
    return replace(
        plan,
        node=node,
        device_pod=plan.device_pod[devices],
        device=plan.device[devices],
        allocations=Allocations(
            given.pod[rows], given.claim[rows], given.choice[rows], given.device[rows]
        ),
    )
