"""Falls: what the eviction of each unit frees, and what it costs."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import MOST, Flags, Floats, Ints
from gangplan.models.instance import Instance
from gangplan.models.losses import losses_of, lost_tiers
from gangplan.models.victims import victims_of


@dataclass(frozen=True, slots=True, eq=False)
class Falls:
    """Units v and their pairs (v, n): what a unit frees on one node.

    Attributes
    ----------
    can : (V,) somebody may evict the unit.
    priority, root : (V,) of the unit; root -1: its pods are in no group.
    weight : (V,) what it costs, in one number: about the order of the ``lost`` tiers.
    size : (V,) how much a unit frees, each resource in parts of all that could come free.
    first : (V+1,) pairs of unit v are first[v] .. first[v+1] - 1.
    pair_unit, pair_node, pair_room : (P,), (P,), (P, R) with R resources.
    """

    can: Flags
    priority: Ints
    root: Ints
    weight: Floats
    size: Floats
    first: list[int]
    pair_unit: Ints
    pair_node: Ints
    pair_room: Ints

    def pairs(self, units: Ints) -> Ints:
        """Pairs of some units."""
        if len(units) == 1:
            v = int(units[0])
            return np.arange(self.first[v], self.first[v + 1])
        mine = np.zeros(len(self.can), dtype=np.bool_)
        mine[units] = True
        return np.flatnonzero(mine[self.pair_unit])


def falls_of(instance: Instance) -> Falls:
    """Add up rooms, and weigh units."""
    running, victims = instance.running, victims_of(instance)
    here = np.flatnonzero(running.pod_node >= 0)
    n_nodes = max(len(instance.nodes), 1)
    key = running.pod_unit[here] * n_nodes + running.pod_node[here]
    cell, at = np.unique(key, return_inverse=True)
    # Cut, so that no sum overflows: the room of what has fallen is never overstated.
    most = MOST // max(len(here), 1)
    room = np.zeros((len(cell), instance.nodes.free.shape[1]), dtype=np.int64)
    np.add.at(room, at.reshape(-1), np.minimum(running.pod_request[here], most))
    unit = cell // n_nodes
    root = np.full(len(running), -1, dtype=np.int64)
    grouped = running.pod_group >= 0
    root[running.pod_unit[grouped]] = victims.root[running.pod_group[grouped]]
    parts = room / np.maximum(room.sum(axis=0), 1)
    size: Floats = np.zeros(len(running))
    np.add.at(size, unit, parts.sum(axis=1))
    first: list[int] = np.searchsorted(unit, np.arange(len(running) + 1)).tolist()
    return Falls(
        victims.can,
        running.priority,
        root,
        _weights(instance),
        size,
        first,
        unit,
        cell % n_nodes,
        room,
    )


def _weights(instance: Instance) -> Floats:
    """(V,) a pod of a higher priority outweighs, as far as floats go, all lower ones."""
    losses, priority = losses_of(instance), instance.running.priority
    levels = np.unique(priority)
    unit = max(instance.device_unit, 1)
    devices = losses.devices / unit
    minutes = losses.hours / max(float(losses.hours.sum()), 1.0)
    pods = (losses.pods + minutes) / (float(losses.pods.sum()) + 1.0)
    allowed = instance.running.budget_allowed
    beyond = np.maximum(losses.matches - allowed[:, None], 0).sum(axis=0)
    total = float(devices.sum()) + 2.0
    each = beyond * total + devices + pods
    step = min(float(each.sum()) + 2.0, 10.0 ** (250.0 / max(len(levels), 1)))
    weights: Floats = each * step ** np.searchsorted(levels, priority)
    return weights


class Costs:
    """Exact values of the ``lost`` tiers of a set of units, highest priority first."""

    def __init__(self, instance: Instance) -> None:
        losses, running = losses_of(instance), instance.running
        # The units whose victims count against budgets, or None: the next one of the sums.
        self._rows: list[Flags | None] = []
        sums: list[Ints] = []
        for tier in (tier for mine in lost_tiers(instance).values() for tier in mine):
            p = tier.weights[0][0]
            if tier.unit == "budgets":
                self._rows.append(running.priority >= p)
            else:
                self._rows.append(None)
                sums.append(losses.each(tier.unit) * (running.priority == p))
        self._sums = np.array(sums, dtype=np.int64).reshape(-1, len(running))
        self._allowed = running.budget_allowed
        self._hard = running.budget_hard
        self._budget, self._unit = np.nonzero(losses.matches)
        self._pods = losses.matches[self._budget, self._unit]

    def of(self, falls: Flags) -> tuple[int, ...]:
        """Values, in the order of the tiers, where the flagged units (V,) fall."""
        sums = iter(self._sums[:, falls].sum(axis=1).tolist())
        return tuple(
            next(sums) if counted is None else self._beyond(falls & counted)
            for counted in self._rows
        )

    def _victims(self, falls: Flags) -> Ints:
        """(B,) victims of each budget."""
        mine = falls[self._unit]
        total = np.zeros(len(self._allowed), dtype=np.int64)
        np.add.at(total, self._budget[mine], self._pods[mine])
        return total

    def _beyond(self, falls: Flags) -> int:
        return int(np.maximum(self._victims(falls) - self._allowed, 0).sum())

    def allowed(self, falls: Flags) -> bool:
        """Tell whether no hard budget is overdrawn."""
        if not self._hard.any():
            return True
        return not (self._victims(falls) > self._allowed)[self._hard].any()

    def barred(self, falls: Flags) -> Flags:
        """(V,) units whose fall beside these would overdraw a hard budget."""
        over = np.zeros(len(falls), dtype=np.bool_)
        if self._hard.any():
            left = (self._allowed - self._victims(falls))[self._budget]
            over[self._unit[self._hard[self._budget] & (self._pods > left)]] = True
        return over

    def within(self, falls: Flags, may: Flags, order: Ints) -> Flags:
        """(V,) of the units that may fall, as many as no hard budget bars together, in this order.

        Parameters
        ----------
        falls : (V,) units that have fallen. ``order``: units, the ones to keep first.
        """
        left = np.where(self._hard, self._allowed - self._victims(falls), np.iinfo(np.int64).max)
        guards: dict[int, list[tuple[int, int]]] = {}
        for b, v, pods in zip(self._budget.tolist(), self._unit.tolist(), self._pods, strict=True):
            guards.setdefault(v, []).append((b, int(pods)))
        fine = may.copy()
        for v in order[may[order]].tolist():
            mine = guards.get(v, ())
            if all(pods <= left[b] for b, pods in mine):
                for b, pods in mine:
                    left[b] -= pods
            else:
                fine[v] = False
        return fine

    @property
    def hard(self) -> bool:
        """Whether there are budgets that no plan overdraws."""
        return bool(self._hard.any())

    def overdrawn(self, falls: Flags) -> Flags:
        """(V,) units that a budget protects which these victims overdraw."""
        over = np.zeros(len(falls), dtype=np.bool_)
        if len(self._unit):
            beyond = self._victims(falls) > self._allowed
            over[self._unit[beyond[self._budget]]] = True
        return over
