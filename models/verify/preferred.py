"""preferred: the soft topology cost, counted once more and compared with the objective's.

Each preferred rule whose owner places a pod costs the domains in use (running members' included,
a node without the label being a domain of its own) beyond the first.
"""

import numpy as np

from gangplan.models import tiers
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.topology import PREFERRED
from gangplan.models.verify.members import nodes_by_group, nodes_of_owner
from gangplan.models.verify.violation import Violation

NAME = "preferred"


def recount(instance: Instance, plan: Plan) -> int:
    """Domains used beyond the first, summed over the preferred rules."""
    rules = instance.rules
    nodes = nodes_by_group(instance, plan)
    domain_of = instance.topology.domain.tolist()
    running: dict[int, set[int]] = {}
    for t, d in zip(rules.member_rule.tolist(), rules.member_domain.tolist(), strict=True):
        running.setdefault(t, set()).add(d)
    total = 0
    for t in np.flatnonzero(rules.mode == PREFERRED).tolist():
        where = set(nodes_of_owner(instance, nodes, int(rules.owner[t])))
        if not where:
            continue
        of_node = domain_of[int(rules.level[t])]
        labelled = {of_node[n] for n in where if of_node[n] >= 0} | running.get(t, set())
        total += len(labelled) + sum(of_node[n] < 0 for n in where) - 1
    return total


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Compare with the objective's own count."""
    have, need = tiers.preferred_cost(instance, plan), recount(instance, plan)
    if have == need:
        return []
    sentence = f"preferred topology: the objective counts {have} extra domains, there are {need}"
    return [Violation(NAME, "preferred", have, need, sentence)]
