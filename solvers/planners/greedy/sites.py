"""Sites: where a shared claim is allocated is chosen with its group, like a required domain.

A site is a set of nodes that reach a common zone device, or one node. Sites that cannot hold what
the group needs are left out by counting; the others are tried, the tightest first.
"""

from collections.abc import Callable, Sequence

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.solvers.planners.greedy.placer import TRIES, Placer

MOST_ZONES = 256
"""Intersections of zones that are looked at, at most."""


class Sites:
    """Allocates what a group shares before its pods are placed."""

    def __init__(self, placer: Placer) -> None:
        self.placer = placer
        self.book = placer.book
        self.room = placer.room
        self._zones: dict[int, list[Flags]] = {}

    def within(self, group: int, need: int, attempt: Callable[[], bool]) -> bool:
        """Make an attempt to place a group, with its shared claims allocated where they fit.

        Where a claim fits nowhere, or the attempt fails everywhere, it is left out if some role can
        do without; what nobody uses in the end is not allocated.

        Parameters
        ----------
        need : new pods that the attempt places at least.
        """
        dealt = self.room.dealt
        waiting = dealt.open_claims(self.book.roles(group)) if dealt else []
        return self._settle(group, need, waiting, attempt)

    def _settle(
        self, group: int, need: int, waiting: Sequence[int], attempt: Callable[[], bool]
    ) -> bool:
        if not waiting:
            return attempt()
        claim, others = waiting[0], waiting[1:]
        for where in self._candidates(group, need, claim):
            mark = self.room.mark()
            if (
                self.room.allocate(claim, where)
                and self._settle(group, need, others, attempt)
                and self._used(claim)
            ):
                return True
            self.room.undo(mark)
        users = [k for k in self.book.roles(group) if claim in self.book.common[k]]
        without = len(users) < len(self.book.roles(group))
        return without and self._settle(group, need, others, attempt)

    def _used(self, claim: int) -> bool:
        return self.room.dealt is not None and self.room.dealt.users(claim) > 0

    def _candidates(self, group: int, need: int, claim: int) -> list[int | Flags]:
        """Node sets and nodes that may do, the tightest first: (N,) flags, or a node's number."""
        spec = int(self.book.instance.claims.shared_spec[claim])
        wanted = self.book.instance.roles.wanted
        room = np.zeros(len(self.book.instance.nodes), dtype=np.int64)
        for k in self.book.roles(group):
            left = int(wanted[k]) - self.room.placed[k]
            room += np.minimum(self.room.anywhere(k), left)
        fullness = self.room.fullness
        found: list[tuple[float, int | Flags]] = []
        for nodes in self._zones_of(spec):
            if int(room[nodes].sum()) >= max(need, 1):
                found.append((float(fullness[nodes].sum()), nodes))
        zones: list[int | Flags] = [nodes for _, nodes in sorted(found, key=lambda pair: pair[0])]
        return zones[:TRIES] + self._nodes(spec, np.flatnonzero(room >= max(need, 1)))

    def _nodes(self, spec: int, nodes: Ints) -> list[int | Flags]:
        if self.room.dealt is None or not len(nodes) or not self._local(spec):
            return []
        nodes = nodes[self.room.dealt.caps(((spec, 1),), nodes) > 0]
        order = np.argsort(self.room.fullness[nodes], kind="stable")
        return [*map(int, nodes[order][:TRIES])]

    def _local(self, spec: int) -> bool:
        """Tell whether some device on a node could serve the spec."""
        claims, devices = self.book.instance.claims, self.book.instance.devices
        fits = claims.fits[claims.choices_of(spec)].any(axis=0)
        return bool((fits & (devices.node >= 0)).any())

    def _zones_of(self, spec: int) -> list[Flags]:
        """Zones with a device for the spec, and their intersections, as long as they are few."""
        if spec not in self._zones:
            claims, devices = self.book.instance.claims, self.book.instance.devices
            fits = claims.fits[claims.choices_of(spec)].any(axis=0) & (devices.zone >= 0)
            rows = [devices.zones[z] for z in np.unique(devices.zone[fits])]
            known = {row.tobytes(): row for row in rows if row.any()}
            frontier = list(known.values())
            while frontier and len(known) < MOST_ZONES:
                first = frontier.pop()
                for row in rows:
                    both = first & row
                    if both.any() and both.tobytes() not in known and len(known) < MOST_ZONES:
                        known[both.tobytes()] = both
                        frontier.append(both)
            self._zones[spec] = list(known.values())
        return self._zones[spec]
