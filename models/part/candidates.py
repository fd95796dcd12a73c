"""Candidates: groups whose pods a part may place anew without touching the rest of the plan."""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.part.claims import users, users_of
from gangplan.models.part.cut import away, loose_of, roots_of
from gangplan.models.plan import Plan


def inside(instance: Instance, plan: Plan, nodes: Ints) -> Flags:
    """(G,) groups that may be candidates of a part with these nodes.

    All their placed pods are on the nodes, or none is placed. Basic and bare groups without a rule
    always may: the part takes those of their pods that are not placed elsewhere. Trees are whole:
    all groups of a tree, or none. A group that is held, for which nobody waits, whose root loses
    pods on other nodes, that evicts nobody while somebody is evicted on these nodes, or that shares
    a claim with pods of groups that may not, may not. A part takes groups that share a claim
    together, as far as they are placed.
    """
    here = np.zeros(len(instance.nodes), dtype=np.bool_)
    here[nodes] = True
    root = roots_of(instance)[: len(instance.groups)]
    able = (instance.per_group(instance.roles.wanted) > 0) & ~instance.blocked[0]
    barred = strangers(instance, plan, here) | restrained(instance, plan, here)
    barred |= loses(instance, plan, here)
    elsewhere = away(instance, plan, here)
    while True:
        out = np.isin(root, root[barred])
        pods = (plan.node >= 0) & (out[instance.roles.group[instance.pod_role]] | elsewhere)
        more = out | sharing(instance, pods)
        if (more == barred).all():
            break
        barred = more
    may: Flags = np.isin(root, root[able]) & ~barred
    return may


def refuse(instance: Instance, plan: Plan, here: Flags, chosen: Flags, mine: Flags) -> None:
    """Refuse what no part can be cut from; (P,) ``mine`` are its pods.

    Raises
    ------
    FormulationError : it names the group or the composite.
    """
    if instance.claims and len(instance.running.hold_shared):
        raise FormulationError("a part cannot have claims of devices that units hold")
    names, root = instance.names, roots_of(instance)
    for bad, why in (
        (strangers(instance, plan, here), "has pods on nodes that are not of the part"),
        (restrained(instance, plan, here), "evicts nobody, and the plan evicts on these nodes"),
        (sharing(instance, (plan.node >= 0) & ~mine), "shares a claim with pods outside the part"),
    ):
        if (bad & chosen).any():
            raise FormulationError(f"group {names.groups[int(np.argmax(bad & chosen))]}: {why}")
    taken = np.zeros(len(root), dtype=np.bool_)
    taken[root[: len(chosen)][chosen]] = True
    left = taken[root[: len(chosen)]] & ~chosen
    if left.any():
        tree = instance.owner_name(int(root[int(np.argmax(left))]))
        raise FormulationError(f"composite {tree}: a part has the whole tree, or nothing of it")


def sharing(instance: Instance, pods: Flags) -> Flags:
    """(G,) groups that use a shared claim, not allocated before, for which the flagged pods stand.

    Parameters
    ----------
    pods : (P,) placed pods.
    """
    theirs = (users(instance, pods) > 0) & (instance.claims.shared_spec >= 0)
    return users_of(instance, theirs)


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
