"""topology: what must be close is close.

A whole required rule: every new pod below the owner on a node that carries the label, all in one
domain, the one of the running members where there are any. A rule with slices of k: in every
domain of the level, running members plus new pods are a multiple of k, as soon as the group places
a pod, and every new pod is on a node that carries the label. Basic groups are bound like gangs.
"""

from collections import Counter

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.topology import REQUIRED
from gangplan.models.verify.members import nodes_by_group, nodes_of_owner
from gangplan.models.verify.violation import Violation

NAME = "topology"


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Check every required rule whose owner places a pod."""
    rules = instance.rules
    nodes = nodes_by_group(instance, plan)
    domain_of = instance.topology.domain.tolist()
    members: dict[int, Counter[int]] = {}
    for t, d, count in zip(
        rules.member_rule.tolist(),
        rules.member_domain.tolist(),
        rules.member_count.tolist(),
        strict=True,
    ):
        members.setdefault(t, Counter())[d] += count
    found = []
    for t in np.flatnonzero(rules.mode == REQUIRED).tolist():
        where = nodes_of_owner(instance, nodes, int(rules.owner[t]))
        if not where:
            continue
        of_node = domain_of[int(rules.level[t])]
        found += _unlabelled(instance, t, where, of_node)
        new = Counter(of_node[n] for n in where if of_node[n] >= 0)
        running = members.get(t, Counter())
        if rules.slice[t] == 0:
            found += _whole(instance, t, new, running)
        else:
            found += _slices(instance, t, new, running)
    return found


def _unlabelled(
    instance: Instance, rule: int, where: list[int], of_node: list[int]
) -> list[Violation]:
    """Nodes without the label are excluded."""
    what, level = _owner_and_level(instance, rule)
    outside = Counter(n for n in where if of_node[n] < 0)
    return [
        Violation(
            NAME,
            what,
            pods,
            0,
            f"{what}: {pods} pods on node {instance.names.nodes[n]}, which has no label {level}",
        )
        for n, pods in sorted(outside.items())
    ]


def _whole(
    instance: Instance, rule: int, new: Counter[int], running: Counter[int]
) -> list[Violation]:
    """One domain, running members included."""
    what, level = _owner_and_level(instance, rule)
    domains = sorted({*new, *running})
    if len(domains) <= 1:
        return []
    parts = ", ".join(
        f"{instance.names.domains[d]} ({new[d]} new, {running[d]} running)" for d in domains
    )
    sentence = f"{what}: one {level} required, {len(domains)} used: {parts}"
    return [Violation(NAME, what, len(domains), 1, sentence)]


def _slices(
    instance: Instance, rule: int, new: Counter[int], running: Counter[int]
) -> list[Violation]:
    """Whole slices in every domain."""
    what, level = _owner_and_level(instance, rule)
    k = int(instance.rules.slice[rule])
    return [
        Violation(
            NAME,
            what,
            total,
            total - total % k,
            f"{what}: {total} pods ({running[d]} running, {new[d]} new) in {level} "
            f"{instance.names.domains[d]} are not whole slices of {k}",
        )
        for d, total in sorted((new + running).items())
        if total % k
    ]


def _owner_and_level(instance: Instance, rule: int) -> tuple[str, str]:
    """Names for a sentence."""
    owner, level = int(instance.rules.owner[rule]), int(instance.rules.level[rule])
    word = "group" if owner < len(instance.groups) else "composite"
    return f"{word} {instance.owner_name(owner)}", instance.names.levels[level]
