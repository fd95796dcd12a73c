"""Candidates: groups whose pods a part may place anew without touching the rest of the plan."""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.part.cut import away, loose_of, roots_of
from gangplan.models.plan import Plan


def inside(instance: Instance, plan: Plan, nodes: Ints) -> Flags:
    """(G,) groups that may be candidates of a part with these nodes.

    All their placed pods are on the nodes, or none is placed. Basic and bare groups without a rule
    always may: the part takes those of their pods that are not placed elsewhere. Trees are whole:
    all groups of a tree, or none. A group that is held, for which nobody waits, whose root loses
    pods on other nodes, or that evicts nobody while somebody is evicted on these nodes, may not.
    """
    here = np.zeros(len(instance.nodes), dtype=np.bool_)
    here[nodes] = True
    root = roots_of(instance)
    able = (instance.per_group(instance.roles.wanted) > 0) & ~instance.blocked[0]
    barred = strangers(instance, plan, here) | restrained(instance, plan, here)
    out = np.zeros(len(root), dtype=np.bool_)
    out[root[: len(barred)][barred]] = True
    some = np.zeros(len(root), dtype=np.bool_)
    some[root[: len(able)][able]] = True
    may: Flags = (some & ~out)[root[: len(barred)]] & ~loses(instance, plan, here)
    return may


def refuse(instance: Instance, plan: Plan, here: Flags, chosen: Flags) -> None:
    """Refuse what no part can be cut from.

    Raises
    ------
    FormulationError : it names the group or the composite.
    """
    if instance.claims:
        raise FormulationError("a part cannot have claims of devices; plan the whole")
    names, root = instance.names, roots_of(instance)
    for bad, why in (
        (strangers(instance, plan, here), "has pods on nodes that are not of the part"),
        (restrained(instance, plan, here), "evicts nobody, and the plan evicts on these nodes"),
    ):
        if (bad & chosen).any():
            raise FormulationError(f"group {names.groups[int(np.argmax(bad & chosen))]}: {why}")
    taken = np.zeros(len(root), dtype=np.bool_)
    taken[root[: len(chosen)][chosen]] = True
    left = taken[root[: len(chosen)]] & ~chosen
    if left.any():
        tree = instance.owner_name(int(root[int(np.argmax(left))]))
        raise FormulationError(f"composite {tree}: a part has the whole tree, or nothing of it")


def strangers(instance: Instance, plan: Plan, here: Flags) -> Flags:
    """(G,) groups bound together, with placed pods on other nodes than the (N,) flagged."""
    group = instance.roles.group[instance.pod_role[away(instance, plan, here)]]
    out = np.bincount(group, minlength=len(instance.groups)) > 0
    found: Flags = out & ~loose_of(instance)
    return found


def restrained(instance: Instance, plan: Plan, here: Flags) -> Flags:
    """(G,) groups that evict nobody, where somebody is evicted on the (N,) flagged nodes.

    Room that an eviction leaves is not for them, and free room does not say where it came from.
    """
    running = instance.running
    barred = np.zeros(len(instance.groups), dtype=np.bool_)
    if len(plan.evicted):
        node = running.pod_node[running.falling(plan.evicted)]
        if np.append(here, False)[node].any():
            barred[running.never] = True
    return barred


def loses(instance: Instance, plan: Plan, here: Flags) -> Flags:
    """(G,) groups whose root loses pods on other nodes than the (N,) flagged."""
    running = instance.running
    lost = np.zeros(len(instance.groups), dtype=np.bool_)
    if not len(plan.evicted):
        return lost
    falls = running.falling(plan.evicted) & (running.pod_group >= 0)
    falls &= np.append(~here, False)[running.pod_node]
    root = roots_of(instance)
    gone = np.zeros(len(root), dtype=np.bool_)
    gone[root[running.pod_group[falls]]] = True
    found: Flags = gone[root[: len(lost)]]
    return found
