"""Snapshot of records -> Instance: the order of the steps, and the columns that come out.

Nothing here depends on the order of the records: nodes, units, composites and pods are sorted by
name (digits as numbers), so equal snapshots give equal digests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gangplan.datasets.kubernetes.assemble import notes, room, trees
from gangplan.datasets.kubernetes.assemble.devices.claimed import Claimed, claimed, claiming
from gangplan.datasets.kubernetes.assemble.duplicates import duplicates
from gangplan.datasets.kubernetes.assemble.eligibility import Classes, classes_of
from gangplan.datasets.kubernetes.assemble.foreign import ours_alone
from gangplan.datasets.kubernetes.assemble.holds import (
    Unsupported,
    hold_claimless,
    hold_short,
    hold_starved,
)
from gangplan.datasets.kubernetes.assemble.levels import Levels, levels_of
from gangplan.datasets.kubernetes.assemble.membership import Membership, Unit, gather
from gangplan.datasets.kubernetes.assemble.priorities import Priorities
from gangplan.datasets.kubernetes.assemble.roles import Role, roles_of
from gangplan.datasets.kubernetes.assemble.rules import hold_slices, owners_of, rule_columns
from gangplan.datasets.kubernetes.assemble.running.nominated import reserved_of
from gangplan.datasets.kubernetes.assemble.running.section import Work, section_of, work_of
from gangplan.datasets.kubernetes.assemble.running.units import on_unknown_nodes
from gangplan.datasets.kubernetes.assemble.trees import Branch
from gangplan.datasets.kubernetes.assemble.uncollected import uncollected
from gangplan.datasets.kubernetes.order import full_name, natural
from gangplan.datasets.kubernetes.records import NodeRecord, PodRecord, Snapshot
from gangplan.datasets.kubernetes.text.fields import Faults, printable
from gangplan.models.arrays import Ints
from gangplan.models.columns import (
    BARE,
    BASIC,
    GANG,
    Composites,
    Groups,
    Leaving,
    Nodes,
    Roles,
    no_shared,
)
from gangplan.models.instance import Instance
from gangplan.models.names import Names
from gangplan.models.topology import Rules


@dataclass(slots=True)
class _Parts:
    """What the steps have found, row by row of the instance."""

    nodes: list[NodeRecord]
    members: Membership
    branches: list[Branch]
    roles: list[tuple[int, Role]]
    resources: tuple[str, ...]
    levels: Levels
    rules: Rules
    classes: Classes
    claimed: Claimed | None
    work: Work

    @property
    def node(self) -> dict[str, int]:
        return {record.name: n for n, record in enumerate(self.nodes)}


def build(
    snapshot: Snapshot, *, ignore_unsupported: bool = False, faults: Faults | None = None
) -> Instance:
    """Make the snapshot numeric.

    Parameters
    ----------
    ignore_unsupported : groups with a hard rule that is not honoured are placed as if it were not
        there (a note says so) instead of held.
    faults : where they are collected before they are raised.

    Raises
    ------
    InputError
        All faults: duplicate objects, priority classes that do not exist, annotations that cannot
        be read, requests that no column can hold.
    """
    with uncollected():
        return _build(snapshot, ignore_unsupported, Faults() if faults is None else faults, {})


def _build(
    snapshot: Snapshot, ignore_unsupported: bool, faults: Faults, kept: Mapping[str, str]
) -> Instance:
    duplicates(snapshot, faults)
    snapshot = ours_alone(snapshot)
    priorities = Priorities(snapshot.classes, faults)
    claims = claiming(snapshot)
    members = gather(snapshot, priorities, claims.users, faults)
    told = list(snapshot.notes)
    for unit in members.units:
        told += claims.extended.notes(unit.pending)
        hold_claimless(unit, claims.users)
        unit.pending = claims.extended.without(unit.pending)
    branches = trees.plant(snapshot.composites, members.units, priorities)
    room.refuse_huge((pod for unit in members.units for pod in unit.pending), faults)
    roles = [
        (g, role)
        for g, unit in enumerate(members.units)
        for role in roles_of(unit, claims.users, faults)
    ]
    work = work_of(snapshot, members, branches, priorities, claims.extended, told, kept)
    faults.check()

    nodes = sorted(snapshot.nodes, key=lambda record: natural(record.name))
    named = {rule.key for unit in members.units for rule in unit.rules}
    named |= {rule.key for branch in branches for rule in branch.record.rules}
    levels = levels_of(nodes, snapshot.levels, named)
    parts = _Parts(
        nodes,
        members,
        branches,
        roles,
        room.resources_of([pod for unit in members.units for pod in unit.pending]),
        levels,
        _held_rules(members, branches, levels, nodes, ignore_unsupported, told),
        classes_of(nodes, [role.pods[0].eligibility for _, role in roles]),
        claimed(
            claims,
            snapshot.devices,
            nodes,
            [(role.use, role.pods, g in work.never) for g, role in roles],
            work.holders,
            told,
        ),
        work,
    )
    failing = parts.claimed.failing if parts.claimed is not None else {}
    if failing:  # not twice: what is kept does not come free
        kept = {user: why for name, why in failing.items() for user in work.holders[name]}
        return _build(snapshot, ignore_unsupported, faults, kept)
    told += on_unknown_nodes(work.units, parts.node)
    told += notes.of_building(nodes, members, levels, snapshot.levels)
    return _instance(parts, snapshot, told)


def _held_rules(
    members: Membership,
    branches: Sequence[Branch],
    levels: Levels,
    nodes: Sequence[NodeRecord],
    ignore: bool,
    told: list[str],
) -> Rules:
    """Hold whatever must wait, in the order that reasons are printed; give the rules' columns."""
    unsupported = Unsupported(ignore)
    for unit in members.units:
        hold_short(unit)
        hold_slices(unit)
        unsupported.hold(unit)
    for branch in branches:
        unsupported.hold_branch(branch)
    number = {record.name: n for n, record in enumerate(nodes)}
    rules = rule_columns(owners_of(members.units, branches), levels, number, told)
    hold_starved(branches, members.units)
    trees.spread(branches, members.units)
    told += unsupported.notes()
    return rules


def _instance(parts: _Parts, snapshot: Snapshot, told: list[str]) -> Instance:
    units, branches, roles = parts.members.units, parts.branches, parts.roles
    leaving = [pod for pod in parts.members.leaving if pod.node in parts.node]
    space = room.room_of(parts.nodes, parts.members.holding, parts.resources)
    reserved = reserved_of(parts.work.nominated, leaving, parts.node, parts.resources, space, told)
    instance = Instance(
        nodes=Nodes(space.free, parts.classes.node_class, space.intact),
        topology=parts.levels.topology,
        roles=_roles(parts),
        groups=_groups(units, snapshot),
        composites=Composites(
            _column([branch.parent for branch in branches]),
            _column([branch.record.minimum for branch in branches]),
            _column([branch.priority for branch in branches]),
            np.array([bool(branch.held) for branch in branches], dtype=np.bool_),
        ),
        rules=parts.rules,
        shared=no_shared(),
        leaving=_leaving(leaving, parts),
        names=Names(
            nodes=tuple(record.name for record in parts.nodes),
            resources=parts.resources,
            levels=parts.levels.keys,
            domains=parts.levels.domains,
            groups=tuple(unit.name for unit in units),
            composites=tuple(branch.name for branch in branches),
            roles=tuple(role.name for _, role in roles),
            pods=tuple(full_name(pod) for _, role in roles for pod in role.pods),
            held=tuple("; ".join(unit.held) for unit in units),
            held_composites=tuple("; ".join(branch.held) for branch in branches),
            leaving=tuple(full_name(pod) for pod in leaving),
            notes=tuple(sorted(set(map(printable, told)), key=natural)),
        ),
        device_columns=tuple(r for r, name in enumerate(parts.resources) if room.is_device(name)),
        reserved=reserved,
    )
    if parts.claimed is not None:
        instance = _with_claims(instance, parts.claimed, space)
    holds = parts.claimed.holds if parts.claimed is not None else ()
    section = section_of(parts.work, parts.node, parts.resources, space, holds)
    return replace(
        instance, running=section.running, names=replace(instance.names, **section.names)
    )


def _with_claims(instance: Instance, claimed: Claimed, space: room.Room) -> Instance:
    found, roles = claimed.sections, instance.roles
    intact = space.with_claimed(claimed.has, claimed.used)
    return replace(
        instance,
        nodes=replace(instance.nodes, intact=intact),
        roles=replace(roles, devices=roles.devices + claimed.gpus),
        names=replace(instance.names, **found.names),
        devices=found.devices,
        claims=found.claims,
    )


def _roles(parts: _Parts) -> Roles:
    roles, n_classes = parts.roles, parts.classes.n_classes
    request = np.array(
        [room.row(role.pods[0].request, parts.resources) for _, role in roles], dtype=np.int64
    ).reshape(len(roles), len(parts.resources))
    devices = [r for r, name in enumerate(parts.resources) if room.is_device(name)]
    eligible = [parts.classes.allowed[role.pods[0].eligibility] for _, role in roles]
    none = np.zeros(len(roles), dtype=np.int64)
    return Roles(
        group=_column([g for g, _ in roles]),
        request=request,
        wanted=_column([len(role.pods) for _, role in roles]),
        minimum=_column([role.minimum for _, role in roles]),
        running=_column([role.running for _, role in roles]),
        eligible=np.array(eligible, dtype=np.bool_).reshape(len(roles), n_classes),
        devices=request[:, devices].sum(axis=1),
        share=none,
        whole=none,
    )


def _groups(units: Sequence[Unit], snapshot: Snapshot) -> Groups:
    records = snapshot.pods, snapshot.groups, snapshot.composites
    stamps = [one.created for of_kind in records for one in of_kind if one.created is not None]
    now = snapshot.now(max(stamps, default=0.0))
    return Groups(
        priority=_column([unit.priority for unit in units]),
        kind=_column([_kind(unit) for unit in units]),
        minimum=_column([unit.minimum for unit in units]),
        running=_column([len(unit.running) for unit in units]),
        held=np.array([bool(unit.held) for unit in units], dtype=np.bool_),
        age=_column([_age(unit, now) for unit in units]),
        parent=_column([unit.parent for unit in units]),
    )


def _kind(unit: Unit) -> int:
    if unit.record is None:
        return BARE
    return GANG if unit.gang else BASIC


def _age(unit: Unit, now: float) -> int:
    """Seconds since the PodGroup was made, else since its oldest waiting pod was."""
    made = unit.record.created if unit.record is not None else None
    if made is None:
        stamps = (pod.created for pod in unit.pending if pod.created is not None)
        made = min(stamps, default=now)
    return max(int(now - made), 0)


def _leaving(pods: Sequence[PodRecord], parts: _Parts) -> Leaving:
    node = parts.node
    held = [
        [min(amount, room.MOST) for amount in room.row(pod.request, parts.resources)]
        for pod in pods
    ]
    request = np.array(held, dtype=np.int64).reshape(len(pods), len(parts.resources))
    return Leaving(_column([node[pod.node] for pod in pods]), request)


def _column(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)
