"""Part: an instance cut out of a whole, the plan of the whole in it, and the way back."""

from dataclasses import dataclass, replace

import numpy as np

from gangplan.models.arrays import Flags, Ints, at_least, below, ints
from gangplan.models.columns import Leaving
from gangplan.models.gone import LOSES
from gangplan.models.instance import Instance
from gangplan.models.names import Names
from gangplan.models.part.candidates import refuse
from gangplan.models.part.claims import Section, into_part, of_part, section_of, together
from gangplan.models.part.cut import Cut, cut_of
from gangplan.models.part.room import nodes_of, reserved_of, shared_of
from gangplan.models.part.running import running_of
from gangplan.models.part.units import Units, units_of
from gangplan.models.part.waiting import (
    Rows,
    composites_of,
    groups_of,
    roles_of,
    rows_of,
    rules_of,
)
from gangplan.models.plan import Plan


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some nodes and groups as an instance of their own.

    Attributes
    ----------
    instance : the part alone. A plan of it is a plan of the whole once ``joined``.
    nodes, groups, pods, units, shared, devices, own : (n,), (g,), (p,), (v,), (j,), (i,), (w,)
        numbers in the whole of the part's nodes, groups, pods, running units, shared devices,
        devices and own claims. Beside the candidates there are the groups whose running members are
        in the part: these have no pods in it.
    common : numbers of the shared claims that are allocated in the part, if at all.
    start : what the plan of the whole does in the part.
    """

    instance: Instance
    nodes: Ints
    groups: Ints
    pods: Ints
    units: Ints
    shared: Ints
    devices: Ints
    own: Ints
    common: Ints
    start: Plan


def part_of(instance: Instance, plan: Plan, nodes: Ints, groups: Ints) -> Part:
    """Cut out the given nodes and groups; the rest of the plan is held.

    What others have on the nodes is not free there. A unit with pods on the nodes may fall with
    all its pods, those elsewhere are on node -1; see ``units_of`` for those that are settled. A
    group whose root loses pods with a unit that stays evicted is held. Of budgets the victims that
    stay evicted are taken off, at least to 0: ``lost-budgets`` of the part is no more than near.

    Parameters
    ----------
    plan : a plan that keeps the rules.
    nodes, groups : numbers, in any order. ``inside`` tells which groups may be candidates.

    Raises
    ------
    FormulationError : units hold devices that claims could get; a group with pods elsewhere, of a
        tree of which some group is missing, or that shares a claim with pods that are not of the
        part; a group of ``Running.never`` where the plan evicts on the nodes.
    """
    nodes, groups = np.unique(ints(nodes, -1, name="nodes")), np.unique(groups)
    groups = ints(groups, -1, name="groups")
    for numbers, count, name in (
        (nodes, len(instance.nodes), "nodes of a part"),
        (groups, len(instance.groups), "groups of a part"),
    ):
        at_least(numbers, 0, name)
        below(numbers, count, name)
    chosen = np.zeros(len(instance.groups), dtype=np.bool_)
    chosen[groups] = True
    cut = cut_of(instance, plan, nodes, chosen)
    refuse(instance, plan, cut.here, chosen, cut.mine)
    units = units_of(cut)
    rows = rows_of(cut, units)
    return _assembled(cut, units, rows)


def _assembled(cut: Cut, units: Units, rows: Rows) -> Part:
    whole = cut.instance
    number = np.append(rows.owner[: len(whole.groups)], -1)
    running, unit, pods, budgets = running_of(cut, units.open, units.falls, number)
    shared, slots = shared_of(cut)
    section = section_of(cut, rows.roles)
    topology, rules, domains = rules_of(cut, rows)
    leaving = np.flatnonzero(cut.here[whole.leaving.node])
    names = replace(
        _names(cut, rows, domains, section),
        held=_held(cut, units, rows),
        leaving=_pick(whole.names.leaving, leaving),
        units=_pick(whole.names.units, unit),
        running=_pick(whole.names.running, pods) if len(unit) else (),
        budgets=_pick(whole.names.budgets, budgets),
    )
    part = Instance(
        nodes=nodes_of(cut, units.free, rows.classes),
        topology=topology,
        roles=roles_of(cut, rows),
        groups=groups_of(cut, units, rows),
        composites=composites_of(cut, rows),
        rules=rules,
        shared=shared,
        leaving=Leaving(cut.local[whole.leaving.node[leaving]], whole.leaving.request[leaving]),
        names=names,
        device_unit=whole.device_unit,
        device_columns=whole.device_columns,
        devices=section.devices,
        claims=section.claims,
        running=running,
        reserved=reserved_of(cut, number),
    )
    return Part(
        part, cut.nodes, rows.groups, rows.pods, unit, slots, section.kept, section.own,
        section.common, _start(cut, rows, unit, slots, section),
    )  # fmt: skip


def _start(cut: Cut, rows: Rows, units: Ints, slots: Ints, section: Section) -> Plan:
    plan = cut.plan
    mine = cut.mine[plan.device_pod]
    given = of_part(plan, cut.mine, _flags(section.common, cut.instance.claims.n_shared))
    return Plan(
        cut.local[plan.node[rows.pods]],
        np.searchsorted(rows.pods, plan.device_pod[mine]),
        np.searchsorted(slots, plan.device[mine]),
        into_part(plan, given, rows.pods, section),
        np.flatnonzero(np.isin(units, plan.evicted)),
    )


def _flags(numbers: Ints, count: int) -> Flags:
    flagged = np.zeros(count, dtype=np.bool_)
    flagged[numbers] = True
    return flagged


def joined(instance: Instance, plan: Plan, part: Part, better: Plan) -> Plan:
    """Put a plan of the part in the place of what ``plan`` does there.

    A plan that keeps the part's rules keeps those of the whole but for two kinds, both of rule 9
    of docs/preemption.md: a unit that stays evicted although those it fell for are gone, and a
    unit of the part in whose way stands a pod of the rest that a lower priority placed there.
    ``solvers/reprieve.py`` brings such victims back. Values of tiers change as the part's do;
    ``lost-budgets`` may change by less.
    """
    better.fits(part.instance)
    node = plan.node.copy()
    node[part.pods] = np.append(part.nodes, -1)[better.node]
    theirs = ~np.isin(plan.device_pod, part.pods)
    pod = np.concatenate([plan.device_pod[theirs], part.pods[better.device_pod]])
    device = np.concatenate([plan.device[theirs], part.shared[better.device]])
    order = np.argsort(pod, kind="stable")
    stay = plan.evicted[~np.isin(plan.evicted, part.units)]
    given = of_part(
        plan,
        _flags(part.pods, len(plan.node)),
        _flags(part.common, instance.claims.n_shared),
    )
    return replace(
        plan,
        node=node,
        device_pod=pod[order],
        device=device[order],
        allocations=together(plan, given, better.allocations, part.pods, part.own, part.devices),
        evicted=np.sort(np.concatenate([stay, part.units[better.evicted]])),
    )


def _pick(names: tuple[str, ...], numbers: Ints) -> tuple[str, ...]:
    return tuple(map(names.__getitem__, numbers.tolist()))


def _names(cut: Cut, rows: Rows, domains: Ints, section: Section) -> Names:
    names = cut.instance.names
    claimed = bool(cut.instance.claims)
    return Names(
        nodes=_pick(names.nodes, cut.nodes),
        resources=names.resources,
        levels=names.levels,
        domains=_pick(names.domains, domains),
        groups=_pick(names.groups, rows.groups),
        composites=_pick(names.composites, rows.composites),
        roles=_pick(names.roles, rows.roles),
        pods=_pick(names.pods, rows.pods),
        held_composites=_pick(names.held_composites, rows.composites),
        devices=_pick(names.devices, section.kept),
        counters=names.counters if claimed else (),
        pots=_pick(names.pots, section.pots),
        attributes=names.attributes if claimed else (),
        values=names.values if claimed else (),
        choices=names.choices if claimed else (),
        own=_pick(names.own, section.own),
        shared=names.shared if claimed else (),
    )


def _held(cut: Cut, units: Units, rows: Rows) -> tuple[str, ...]:
    """Why groups wait: as in the whole, and because their root loses pods."""
    reasons = _pick(cut.instance.names.held, rows.groups)
    if not units.fixed.any():
        return reasons
    lost = units.loses[rows.groups].tolist()
    return tuple(
        "; ".join(filter(None, (why, LOSES * gone)))
        for why, gone in zip(reasons, lost, strict=True)
    )
