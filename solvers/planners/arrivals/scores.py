"""What it costs to place a pod of each role on each node, kept up to date as nodes change."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.columns import EMPTY
from gangplan.solvers.planners.arrivals.measure import fragments, stranded
from gangplan.solvers.planners.arrivals.room import Room, Spot
from gangplan.solvers.planners.arrivals.workload import Workload

Rule = Callable[[Workload, Ints, Ints, Ints], Floats]
"""Cost of (M,) changed states, the first of them being the node as it is: -> (M,)."""

MOST_KNOWN = 20_000
"""States of nodes that are remembered; a few kilobytes each."""

BEST_SCORE = 100
"""kube-scheduler's MaxNodeScore."""


def published(workload: Workload, free: Ints, left: Ints, node_class: Ints) -> Floats:
    """FGD as its authors run it: whole scores 0..100 of the sigmoid of what fragmentation falls.

    Source: ``pkg/simulator/plugin/fgd_score.go`` of hkust-adsl/kubernetes-scheduler-simulator.
    """
    amount = fragments(workload, free, left, node_class)
    fall = (amount[0] - amount) / EMPTY
    found: Floats = -np.floor(BEST_SCORE / (1.0 + np.exp(-fall)))
    return found


def filling(workload: Workload, free: Ints, left: Ints, node_class: Ints) -> Floats:
    """Rise of FGD's measure and of what filling the node leaves stranded, in thousandths."""
    both = fragments(workload, free, left, node_class)
    both += stranded(workload, free, left, node_class)
    # Sums in another order differ in the last digits; equal nodes shall stay equal.
    found: Floats = np.round(both - both[0], 6)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Costs by role and node; build with ``scores_of``.

    Attributes
    ----------
    cost : (K, N) what the rule says; infinite where the pod does not fit.
    place : (K, N) the device that a part of a device is taken from; -1 where none is.
    known : what the rule said about a state of a node, by its columns.
    """

    room: Room
    workload: Workload
    rule: Rule
    resource: int
    cost: Floats
    place: Ints
    known: dict[tuple[int, bytes, bytes], tuple[Floats, Ints]] = field(default_factory=dict)

    def spot(self, role: int) -> Spot | None:
        """Return the node of least cost, the first of equal ones; None where none fits."""
        row = self.cost[role]
        node = int(row.argmin()) if len(row) else -1
        if node < 0 or row[node] == np.inf:
            return None
        roles, place = self.room.instance.roles, int(self.place[role, node])
        if place >= 0:
            return Spot(role, node, (place,))
        whole = np.flatnonzero(self.room.left[node] == EMPTY)[: roles.whole[role]]
        return Spot(role, node, tuple(whole.tolist()))

    def take(self, spot: Spot) -> float:
        """Place a pod; return what it cost."""
        cost = float(self.cost[spot.role, spot.node])
        self.room.take(spot)
        self._renew(spot.node)
        return cost

    def give(self, spot: Spot) -> None:
        """Take a pod away again."""
        self.room.give(spot)
        self._renew(spot.node)

    def _renew(self, node: int) -> None:
        room = self.room
        node_class = int(room.instance.nodes.node_class[node])
        key = (node_class, room.free[node].tobytes(), room.left[node].tobytes())
        if key not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            self.known[key] = self._asked(node, node_class)
        self.cost[:, node], self.place[:, node] = self.known[key]

    def _asked(self, node: int, node_class: int) -> tuple[Floats, Ints]:
        """(K,) cost and device place of each role for the node as it is now."""
        room, roles = self.room, self.room.instance.roles
        free, left = room.free[node], room.left[node]
        may = room.fits_class[:, node_class] & (roles.request <= free).all(axis=1)
        may &= (left == EMPTY).sum() >= roles.whole
        values, first = np.unique(left, return_index=True)
        who, where, states = [-1], [-1], [left]
        for k in np.flatnonzero(may).tolist():
            share, whole = int(roles.share[k]), int(roles.whole[k])
            # Of devices equally free, the first; in the order of the devices.
            for place in sorted(first[values >= share].tolist()) if share else [-1]:
                after = left.copy()
                after[np.flatnonzero(left == EMPTY)[:whole]] = 0
                if share:
                    after[place] -= share
                who.append(k)
                where.append(place)
                states.append(after)
        taken = roles.request[who, self.resource]
        taken[0] = 0
        after = free[self.resource] - taken
        same = np.full(len(who), node_class)
        found = self.rule(self.workload, after, np.array(states), same)
        cost = np.full(len(roles), np.inf)
        place = np.full(len(roles), -1, dtype=np.int64)
        for k, at, worth in zip(who[1:], where[1:], found[1:].tolist(), strict=True):
            if worth < cost[k]:
                cost[k], place[k] = worth, at
        return cost, place


def scores_of(room: Room, workload: Workload, rule: Rule, resource: int = 0) -> Scores:
    """Ask the rule about every node as it is."""
    shape = (len(room.instance.roles), len(room.instance.nodes))
    scores = Scores(
        room, workload, rule, resource, np.full(shape, np.inf), np.full(shape, -1, dtype=np.int64)
    )
    for node in range(shape[1]):
        scores._renew(node)
    return scores
