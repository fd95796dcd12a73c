"""assign: numbers inside the index sets, eligible nodes only, held groups place nothing."""

import numpy as np

from gangplan.models.errors import InstanceError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.violation import Violation

NAME = "assign"


def misfit(instance: Instance, plan: Plan) -> list[Violation]:
    """Tell why the plan is no plan of this instance; nothing else can be checked then."""
    try:
        plan.fits(instance)
        if plan.device.size and min(int(plan.device.min()), int(plan.device_pod.min())) < 0:
            raise InstanceError("plan.device: a number below 0")
    except InstanceError as error:
        sentence = f"the plan does not belong to this instance: {error}"
        return [Violation(NAME, "plan", len(plan.node), instance.n_pods, sentence)]
    return []


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Check every placed pod against eligibility and its group's hold."""
    found = misfit(instance, plan)
    if found:
        return found
    pod = np.flatnonzero(plan.node >= 0)
    role, node = instance.pod_role[pod], plan.node[pod]
    allowed = instance.roles.eligible[role, instance.nodes.node_class[node]]
    names = instance.names
    for p, n in zip(pod[~allowed].tolist(), node[~allowed].tolist(), strict=True):
        sentence = f"pod {names.pods[p]}: node {names.nodes[n]} is not eligible for it"
        found.append(Violation(NAME, names.pods[p], 0, 1, sentence))
    group = instance.roles.group[role]
    held, pods = np.unique(group[instance.groups.held[group]], return_counts=True)
    for g, count in zip(held.tolist(), pods.tolist(), strict=True):
        why = names.held[g] or "held"
        sentence = f"group {names.groups[g]}: {count} new pods, but it may place none ({why})"
        found.append(Violation(NAME, names.groups[g], count, 0, sentence))
    return found
