"""No needless victim (docs/preemption.md, rule 9): which parts of what fell could come back.

For every priority that falls, all elastic pods and all new pods of roots of that priority or a
lower one are taken away; what then has room, and may come back, does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags
from gangplan.models.claims import ALL
from gangplan.models.fewer import only
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.allocated import allocations_of
from gangplan.models.verify.evictions import fallen, ranks
from gangplan.models.verify.kept import kept
from gangplan.models.verify.parts import Parts
from gangplan.models.verify.reach import Reach, check_all
from gangplan.models.verify.search import Search
from gangplan.models.verify.slack import Slack


@dataclass(frozen=True, slots=True)
class Return:
    """A part of what fell that could come back.

    Attributes
    ----------
    units : units v that fall now. pods : their pods u.
    sentence : for a person.
    """

    units: tuple[int, ...]
    pods: tuple[int, ...]
    sentence: str


def returning(instance: Instance, plan: Plan) -> list[Return]:
    """List the parts that could come back, each by itself; empty where no victim is needless.

    A unit that may come back alone is a part; of a gang or tree that is taken whole, and of a gang
    that loses slices, one part is named.
    """
    if not len(plan.evicted):
        return []
    running = instance.running
    parts = Parts(instance, fallen(instance, plan.evicted))
    needed = kept(instance, plan)
    found: list[Return] = []
    asked: set[int] = set()
    priority = running.priority[plan.evicted]
    for p in np.unique(priority)[::-1].tolist():
        units = plan.evicted[priority == p]
        stay = _above(instance, needed, p)
        if not _by_themselves(instance, plan, stay):
            continue
        slack = Slack(instance, plan, stay)
        room = slack.fitting(units)
        search = Search(parts, slack, room)
        for v in units.tolist():
            if parts.lawful([v]):
                found += [_return(instance, (v,))] if room[v] else []
                continue
            scope = parts.scope(v)
            if scope not in asked:
                asked.add(scope)
                back = search.part(scope)
                found += [_return(instance, back)] if back else []
    return sorted(found, key=lambda back: back.units)


def _above(instance: Instance, pods: Flags, priority: int) -> Flags:
    higher: Flags = pods & (ranks(instance) > priority)[instance.roles.group[instance.pod_role]]
    return higher


def _by_themselves(instance: Instance, plan: Plan, stay: Flags) -> bool:
    """Tell whether those that stay keep the rules without those that are taken away.

    An ALL request of a shared claim got what the node of one user reaches: that one may be gone.
    All other rules hold for what stays of a plan that keeps them.
    """
    given = plan.allocations
    every = instance.claims.choice_count[given.choice] == ALL
    if not (every & (given.pod < 0)).any():
        return True
    used, _ = allocations_of(instance, only(instance, plan, stay))
    return not check_all(instance, used, Reach(instance))


def _return(instance: Instance, units: Sequence[int]) -> Return:
    running, names = instance.running, instance.names
    pods = [u for v in units for u in running.pods_of(v)]
    nodes = dict.fromkeys(running.pod_node[pods].tolist())
    where = [names.nodes[n] if n >= 0 else "one that is not in the snapshot" for n in nodes]
    who = ", ".join(names.units[v] for v in units[:3]) + _more(len(units), "units")
    one = "unit" if len(units) == 1 else "units"
    at = "node" if len(nodes) == 1 else "nodes"
    places = ", ".join(where[:3]) + _more(len(where), "nodes")
    said = (
        f"{one} {who} ({at} {places}): evicted, but could come back: no pod that a higher priority "
        "needs is in the way"
    )
    return Return(tuple(units), tuple(pods), said)


def _more(count: int, word: str) -> str:
    return f" and {count - 3} more {word}" if count > 3 else ""
