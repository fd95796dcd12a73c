"""fragmentation: intact device nodes that get a pod with devices, counted once more."""

import numpy as np

from gangplan.models import tiers
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.violation import Violation

NAME = "fragmentation"


def recount(instance: Instance, plan: Plan) -> int:
    """Nodes that had all devices free and lose one."""
    opened = np.zeros(len(instance.nodes), dtype=np.bool_)
    holds = (plan.node >= 0) & (instance.roles.devices[instance.pod_role] > 0)
    opened[plan.node[holds]] = True
    return int(np.count_nonzero(opened & instance.nodes.intact))


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Compare with the objective's own count."""
    have, need = tiers.opened_nodes(instance, plan), recount(instance, plan)
    if have == need:
        return []
    sentence = f"fragmentation: the objective counts {have} opened nodes, there are {need}"
    return [Violation(NAME, "fragmentation", have, need, sentence)]
