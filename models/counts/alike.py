"""Gangs that are alike, folded: how many stand in each domain is asked, not which.

Gangs of one role that ask the same, with the same minimum and places, may change places: their y
are one column, and so are their u of each domain. Where only their sizes differ, what they have on
a node is one column still: who stands in a domain says how many pods all have there, and any
division of the nodes among them is as good. The rows of serving.py for such gangs are left out.
Evictions make the symmetry expensive; a model without units is never folded.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts import serving
from gangplan.models.counts.formulation import Model
from gangplan.models.folding import Folded, folded
from gangplan.models.milp import Milp
from gangplan.models.victims import victims_of

SERVING = ("preemption.serves", "preemption.room", "preemption.there")
"""Blocks of rows that say for each gang by itself what others say for all; left out."""


@dataclass(frozen=True, slots=True, eq=False)
class _Gang:
    """A gang that may be alike others.

    Attributes
    ----------
    role : its one role.
    place : what it asks, and where; who has the same stands on nodes as one.
    kind : with its sizes and domains; who has the same is alike.
    level : of its required rule.
    domains, u : the domains it may be in, and the column of each.
    y : its column.
    """

    role: int
    place: tuple[object, ...]
    kind: tuple[object, ...]
    level: int
    domains: Ints
    u: Ints
    y: int


def fold(model: Model, milp: Milp) -> Folded | None:
    """Fold a priced model; None where no gangs are alike, or the rows tell them apart.

    Parameters
    ----------
    milp : the rows of the model and perhaps more, under a cost.
    """
    if not len(model.evictions.e) or model.claimed.options is not None:
        return None
    gangs = _gangs(model)
    if len({gang.place for gang in gangs}) == len(gangs):
        return None
    number = _classes(model, milp, gangs)
    many = np.bincount(number)[number] > 1
    smaller = folded(milp, number, _kept(milp, many))
    if smaller is None:
        return None
    return Folded(smaller, number, lambda values: _spread(model, gangs, number, values))


def _gangs(model: Model) -> list[_Gang]:
    """List the gangs of one role and one rule, about whom nothing else is known to the rows."""
    instance, sizes, roles = model.seen, model.sizes, model.seen.roles
    n = len(instance.groups)
    y, rank = model.y.spread(n), victims_of(instance).rank
    rules_of = np.bincount(instance.rules.owner, minlength=n)[:n]
    roles_of = np.bincount(roles.group, minlength=n)
    single = sizes.decided & (rules_of == 1) & (roles_of == 1) & (y >= 0) & ~model.pairs.closed
    single &= (instance.groups.parent < 0) & (instance.groups.running == 0)
    single[instance.reserved.group[instance.reserved.group >= 0]] = False
    first = np.searchsorted(roles.group, np.arange(n))
    never = np.isin(np.arange(n), instance.running.never)
    found = []
    for t in np.unique(model.u.index[:, 0]).tolist():
        g = int(instance.rules.owner[t])
        if g >= n or not single[g]:
            continue
        k = int(first[g])
        if roles.share[k] or roles.whole[k]:
            continue
        mine = slice(*np.searchsorted(model.u.index[:, 0], [t, t + 1]))
        level, domains = int(instance.rules.level[t]), model.u.index[mine, 1]
        place = (
            roles.request[k].tobytes(), roles.eligible[k].tobytes(), int(roles.devices[k]),
            int(instance.groups.priority[g]), int(rank[g]), bool(never[g]), level,
        )  # fmt: skip
        kind = (*place, int(sizes.least[k]), int(sizes.most[k]), domains.tobytes())
        found.append(_Gang(k, place, kind, level, domains, model.u.cols[mine], int(y[g])))
    return found


def _classes(model: Model, milp: Milp, gangs: list[_Gang]) -> Ints:
    """(n,) class of each column: its number in the folded model."""
    alike = np.arange(milp.n_cols)
    head: dict[tuple[object, ...], _Gang] = {}
    place = np.arange(len(model.seen.roles))
    where: dict[tuple[object, ...], int] = {}
    for gang in gangs:
        same = head.setdefault(gang.kind, gang)
        alike[gang.y], alike[gang.u] = same.y, same.u
        place[gang.role] = where.setdefault(gang.place, gang.role)
    pairs = model.pairs
    key = place[pairs.role] * max(len(model.seen.nodes), 1) + pairs.node
    _, first, at = np.unique(key, return_index=True, return_inverse=True)
    alike[model.x.cols] = model.x.cols[first[at.reshape(-1)]]
    return np.unique(alike, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _kept(milp: Milp, many: Flags) -> Flags:
    """(rows,) all but those of serving.py that speak of one gang among others."""
    touched = (abs(milp.matrix) @ many.astype(np.float64)) > 0
    kept = np.ones(milp.n_rows, dtype=np.bool_)
    for name in SERVING:
        start, end = milp.row_blocks.get(name, (0, 0))
        kept[start:end] = ~touched[start:end]
    return kept


def _spread(model: Model, gangs: list[_Gang], number: Ints, values: Ints) -> Ints:
    """Give each gang its domain, and its pods there their nodes."""
    point = np.where(np.bincount(number)[number] == 1, values[number], 0)
    left, inside = values.copy(), dict[tuple[object, ...], list[_Gang]]()
    for gang in gangs:
        point[gang.u], point[gang.y] = 0, 0
        chosen = np.flatnonzero(left[number[gang.u]] > 0)[:1]
        left[number[gang.u[chosen]]] -= 1
        point[gang.u[chosen]] = 1
        point[gang.y] = len(chosen)
        for domain in gang.domains[chosen].tolist():
            inside.setdefault((domain, *gang.place), []).append(gang)
    n = max(len(model.seen.nodes), 1)
    key = model.pairs.role * n + model.pairs.node
    point[model.x.cols[np.isin(model.pairs.role, [gang.role for gang in gangs])]] = 0
    for (domain, *_), there in inside.items():
        role = np.array([gang.role for gang in there])
        mine = slice(*np.searchsorted(key, [role[0] * n, (role[0] + 1) * n]))
        node = model.pairs.node[mine]
        here = model.seen.topology.domain[there[0].level, node] == domain
        column = model.x.cols[mine][here]
        pod_node = np.repeat(node[here], values[number[column]])
        pod_role = np.repeat(role, _shares(model, role, len(pod_node)))[: len(pod_node)]
        at = np.searchsorted(key, pod_role * n + pod_node[: len(pod_role)])
        np.add.at(point, model.x.cols[np.minimum(at, len(key) - 1)], 1)
    serving.encode(model.serving, point)
    return point


def _shares(model: Model, role: Ints, total: int) -> Ints:
    """Share out pods: the minimum of each role, then what is left, in order."""
    least, most = model.sizes.least[role], model.sizes.most[role]
    before = np.cumsum(most - least) - (most - least)
    more: Ints = np.clip(total - int(least.sum()) - before, 0, most - least)
    return least + more
