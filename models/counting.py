"""Bounds on tiers by counting: exact integers, no solver.

A maximised tier is at most what the root units that counting does not rule out pay together, and
at most the fractional knapsack of any one resource over all nodes (Dantzig 1957); with claims, also
at most what prices of all resources and devices together allow, and with parts of devices what
single devices can hold. A minimised tier is at least 0, and
nothing higher holds for all plans: the empty one has 0. Room is counted with every unit gone that
can fall, so that the bounds hold for plans with evictions too.
"""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs, least_total, needs_of
from gangplan.models.options.budgets import budgets_of
from gangplan.models.prices import Item, priced
from gangplan.models.sharing import Sharer, shared_bound
from gangplan.models.shortage import Shortage as Shortage
from gangplan.models.shortage import cannot_be_placed as cannot_be_placed
from gangplan.models.slots import Slots, slots_of
from gangplan.models.tiers import Tier, Worth, worth_of


def placeable(instance: Instance, needs: Needs, slots: Slots) -> tuple[Flags, Flags]:
    """(G,) groups and (H,) composites that counting does not rule out; held ones are ruled out."""
    groups, trees = (~blocked for blocked in instance.blocked)
    verdicts: dict[object, bool] = {}
    for g in np.flatnonzero(groups & ~needs.stands):
        kind = _kind(instance, int(g), needs, slots)
        if kind not in verdicts:
            verdicts[kind] = cannot_be_placed(instance, int(g), needs, slots) is None
        groups[g] = verdicts[kind]
    for h in range(len(instance.composites) - 1, -1, -1):
        leaves = (instance.groups.parent == h) & ~needs.stands & groups
        inner = (instance.composites.parent == h) & ~needs.composite_stands & trees
        trees[h] &= int(leaves.sum() + inner.sum()) >= int(needs.composite[h])
    return groups, trees


def _kind(instance: Instance, group: int, needs: Needs, slots: Slots) -> object:
    """Everything of a group that ``cannot_be_placed`` looks at: equal kinds, equal verdicts."""
    start, end = instance.role_start[group : group + 2]
    roles = tuple(
        zip(
            slots.kind[start:end].tolist(),
            slots.wanted[start:end].tolist(),
            needs.role[start:end].tolist(),
            strict=True,
        )
    )
    rules = instance.rules
    mine = np.flatnonzero(rules.owner == group)
    shape = (rules.level[mine], rules.mode[mine], rules.slice[mine])
    bound = tuple(zip(*(column.tolist() for column in shape), strict=True))
    members = tuple(tuple(sorted(rules.members(int(t)).items())) for t in mine)
    parent = int(instance.groups.parent[group])
    need = (int(instance.groups.kind[group]), int(needs.group[group]))
    never = bool((instance.running.never == group).any())
    return need, roles, bound, members, parent, never


def ceilings(instance: Instance, tiers: Iterable[Tier]) -> list[int | None]:
    """Return an upper bound on each maximised tier over all plans; None for minimised tiers."""
    needs, slots = needs_of(instance), slots_of(instance)
    groups, trees = placeable(instance, needs, slots)
    room = slots.table.sum(axis=1)[slots.kind] if len(slots.table) else slots.wanted
    fit = np.minimum(room, slots.wanted) * groups[instance.roles.group]
    seen = loosened(instance)
    found: list[int | None] = []
    for tier in tiers:
        worth = worth_of(instance, tier, needs) if tier.maximise else None
        if worth is None:
            found.append(None)
        elif tier.kind == "elastic":
            found.append(_elastic(instance, worth, fit))
        else:
            paid = Worth(worth.group * groups, worth.composite * trees, worth.pod * (fit > 0))
            found.append(_admitted(seen, paid, fit, needs))
    return found


def bounds(instance: Instance, tiers: Iterable[Tier]) -> list[int]:
    """Return for each tier, in its own sense, what no plan is better than."""
    return [0 if top is None else top for top in ceilings(instance, tiers)]


def ceiling(instance: Instance, tier: Tier) -> int | None:
    """Return an upper bound on one tier; ``ceilings`` is cheaper for several."""
    return ceilings(instance, [tier])[0]


def _elastic(instance: Instance, worth: Worth, fit: Ints) -> int:
    """Sum over root units of max(0, all pods that fit minus what the minimum takes)."""
    n = len(instance.groups)
    per_group = instance.per_group(worth.pod * fit)
    total = int(np.maximum(per_group + worth.group, 0)[instance.groups.parent < 0].sum())
    for h in np.flatnonzero(instance.composites.parent < 0):
        under = instance.groups_of(n + int(h))
        total += max(int(per_group[under].sum()) + int(worth.composite[h]), 0)
    return total


def _admitted(instance: Instance, worth: Worth, fit: Ints, needs: Needs) -> int:
    """Sum of what pays, cut by the tightest knapsack; trees are free of charge there."""
    trees = int(worth.composite.sum())
    best = trees + int(worth.group.sum()) + int((worth.pod * fit).sum())
    groups, roles = np.flatnonzero(worth.group), np.flatnonzero(worth.pod)
    reached = instance.can_use.any(axis=0)
    for r in range(instance.nodes.free.shape[1]):
        each = instance.roles.request[:, r]
        items = [
            (
                int(worth.group[g]),
                least_total(instance, g, each, int(needs.group[g]), needs.role),
                1,
            )
            for g in groups.tolist()
        ]
        items += [(int(worth.pod[k]), int(each[k]), int(fit[k])) for k in roles]
        best = min(best, trees + _fractional(items, sum(instance.nodes.free[reached, r].tolist())))
    if instance.claims:
        best = min(best, trees + _priced(instance, worth, fit, needs))
    if len(instance.shared):
        each, share, whole = (
            getattr(instance.roles, name) for name in ("pooled", "share", "whole")
        )
        items = [(int(worth.pod[k]), int(each[k]), int(fit[k])) for k in roles]
        free = trees + int(worth.group.sum())
        best = min(best, free + _fractional(items, int(instance.shared.free.sum())))
        sharers = [
            Sharer(int(worth.pod[k]), int(share[k]), int(whole[k]), int(fit[k])) for k in roles
        ]
        best = min(best, free + shared_bound(sharers, instance.shared.free))
    return best


def _priced(instance: Instance, worth: Worth, fit: Ints, needs: Needs) -> int:
    """Bound what pays by all resources and devices of the cluster together."""
    budgets, reached = budgets_of(instance), instance.can_use.any(axis=0)
    table = np.vstack([instance.roles.request.T, budgets.need])
    free = instance.nodes.free[reached]
    room = [sum(column.tolist()) for column in free.T] + budgets.room.tolist()
    items = [
        Item(
            int(worth.group[g]),
            1,
            tuple(
                (line, least_total(instance, g, each, int(needs.group[g]), needs.role))
                for line, each in enumerate(table)
            ),
        )
        for g in np.flatnonzero(worth.group).tolist()
    ]
    for k in np.flatnonzero(worth.pod).tolist():
        taken = tuple(enumerate(table[:, k].tolist()))
        items.append(Item(int(worth.pod[k]), int(fit[k]), taken))
    return priced(items, room)


def _fractional(items: list[tuple[int, int, int]], room: int) -> int:
    """Fill ``room`` with (worth, size, copies), best ratio first; the last is cut, rounded down."""
    total = 0
    for worth, size, copies in sorted(items, key=lambda item: Fraction(item[1], item[0])):
        taken = copies if size == 0 else min(copies, room // size)
        total, room = total + worth * taken, room - size * taken
        if taken < copies:
            return total + worth * room // size
    return total
