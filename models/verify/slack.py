"""What a part of what fell would find, once everything is taken away that rule 9 takes away.

Room on its nodes, and, where it gets back what it held, devices, counters and pots.
"""

from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.allocated import Key
from gangplan.models.verify.charges import counters_left, drawn, pots_left, poured
from gangplan.models.verify.evictions import asked, fallen, freed, room
from gangplan.models.verify.reserved import kept_from

Place = tuple[str, int, int]
"""Something with room: ("node", n, r), ("counter", c, 0) or ("pot", m, 0)."""


@dataclass(frozen=True, slots=True)
class Item:
    """A unit that could come back.

    Attributes
    ----------
    unit : v. room : what it needs of each resource of each node, amounts >= 1.
    holds : holdings that would not be free any more, those that need something.
    """

    unit: int
    room: tuple[tuple[Place, int], ...]
    holds: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Holds:
    """Holdings that are free while nobody comes back.

    Attributes
    ----------
    of_pod : pod u -> free holdings that it is a user of.
    lost : free holdings, a device of which a pod that stays has.
    needs : free holding -> what it takes back of counters and pots; only where it does.
    left : counter or pot -> what is left of it beside the pods that stay.
    """

    of_pod: dict[int, list[int]] = field(default_factory=dict)
    lost: frozenset[int] = frozenset()
    needs: dict[int, tuple[tuple[Place, int], ...]] = field(default_factory=dict)
    left: dict[Place, int] = field(default_factory=dict)


class Slack:
    """Room beside the pods that stay, (P,) ``stay``."""

    def __init__(self, instance: Instance, plan: Plan, stay: Flags) -> None:
        falls = fallen(instance, plan.evicted)
        there = instance.nodes.free + room(instance, falls)
        self.instance = instance
        self.table = there - asked(instance, plan, stay)
        for n, _, barred, away in kept_from(instance, plan, stay):
            for r, amounts in enumerate(instance.roles.request[instance.pod_role[barred]].T):
                total = sum(amounts.tolist())
                if total:
                    left = int(there[n, r]) - away[r] - total
                    self.table[n, r] = min(int(self.table[n, r]), left)
        self.holds = _holds(instance, plan, falls, stay)

    def fitting(self, units: Ints) -> Flags:
        """(V,) of these units, those that fit alone."""
        running = self.instance.running
        chosen = np.zeros(len(running), dtype=np.bool_)
        chosen[units] = True
        pods = np.flatnonzero(chosen[running.pod_unit] & (running.pod_node >= 0))
        at, which = np.unique(
            running.pod_unit[pods] * len(self.table) + running.pod_node[pods], return_inverse=True
        )
        wide = self.table.dtype == object or int(running.pod_request.max(initial=0)) >= 2**40
        need = np.zeros((len(at), self.table.shape[1]), dtype=object if wide else np.int64)
        np.add.at(need, which, running.pod_request[pods].astype(need.dtype))
        left = self.table[at % max(len(self.table), 1)]
        short = ((need > left) & (need > 0)).any(axis=1)
        chosen[at[short] // max(len(self.table), 1)] = False
        for v in np.flatnonzero(chosen).tolist() if self.holds.of_pod else ():
            holds = self._back(v)
            free = not holds & self.holds.lost
            chosen[v] = free and self.fits(Item(v, (), self._needing(holds)))
        return chosen

    def item(self, unit: int) -> Item:
        """Say what a unit would need, room and holdings."""
        running = self.instance.running
        needs: dict[Place, int] = {}
        for u in running.pods_of(unit):
            n = int(running.pod_node[u])
            for r, amount in enumerate(running.pod_request[u].tolist() if n >= 0 else ()):
                if amount:
                    needs["node", n, r] = needs.get(("node", n, r), 0) + amount
        return Item(unit, tuple(sorted(needs.items())), self._needing(self._back(unit)))

    def left(self, place: Place) -> int:
        """Return what a place has left."""
        if place[0] == "node":
            return int(self.table[place[1], place[2]])
        return self.holds.left[place]

    def needs(self, items: list[Item]) -> dict[Place, int]:
        """Add up what items need together; a holding counts once."""
        total: dict[Place, int] = {}
        rows = [row for item in items for row in item.room]
        for h in {h for item in items for h in item.holds}:
            rows += self.holds.needs[h]
        for place, amount in rows:
            total[place] = total.get(place, 0) + amount
        return total

    def fits(self, *items: Item) -> bool:
        """Tell whether these items, none of whose devices is lost, could come back together."""
        needs = self.needs(list(items))
        return all(amount <= self.left(place) for place, amount in needs.items())

    def _back(self, unit: int) -> set[int]:
        pods = self.instance.running.pods_of(unit)
        return {h for u in pods for h in self.holds.of_pod.get(u, ())}

    def _needing(self, holds: set[int]) -> tuple[int, ...]:
        return tuple(sorted(holds & self.holds.needs.keys()))


def _holds(instance: Instance, plan: Plan, falls: Flags, stay: Flags) -> Holds:
    running = instance.running
    free = freed(instance, falls, stay)
    if not free.any():
        return Holds()
    paying = _paying(instance, plan, stay)
    given = {i for _, i in paying}
    of_pod: dict[int, list[int]] = {}
    for h, u in zip(running.user_hold.tolist(), running.user_pod.tolist(), strict=True):
        if free[h]:
            of_pod.setdefault(u, []).append(h)
    pairs = zip(running.freed_hold.tolist(), running.freed_device.tolist(), strict=True)
    lost = frozenset(h for h, i in pairs if free[h] and i in given)
    needs: dict[int, list[tuple[Place, int]]] = {}
    for kind, holds, numbers, amounts in (
        ("counter", running.back_hold, running.back_counter, running.back_amount),
        ("pot", running.spare_hold, running.spare_pot, running.spare_amount),
    ):
        rows = zip(holds.tolist(), numbers.tolist(), amounts.tolist(), strict=True)
        for h, number, amount in rows:
            if free[h]:
                needs.setdefault(h, []).append(((kind, number, 0), amount))
    draws, pours = drawn(instance, paying), poured(instance, paying)
    left: dict[Place, int] = {}
    for c, amount in enumerate(counters_left(instance, free)):
        left["counter", c, 0] = amount - draws.get(c, 0)
    for m, amount in enumerate(pots_left(instance, free)):
        left["pot", m, 0] = amount - pours.get(m, 0)
    return Holds(of_pod, lost, {h: tuple(rows) for h, rows in needs.items()}, left)


def _paying(instance: Instance, plan: Plan, stay: Flags) -> list[Key]:
    """(choice, device) rows of the claims of pods that stay, those that use something up."""
    given, claims = plan.allocations, instance.claims
    roles = np.zeros(len(instance.roles), dtype=np.bool_)
    roles[instance.pod_role[stay]] = True
    used = np.zeros(claims.n_shared, dtype=np.bool_)
    used[claims.user_shared[roles[claims.user_role]]] = True
    mine = np.zeros(len(given), dtype=np.bool_)
    own = given.pod >= 0
    mine[own] = stay[given.pod[own]]
    mine[~own] = used[given.claim[~own]]
    mine &= ~claims.choice_admin[given.choice]
    return list(zip(given.choice[mine].tolist(), given.device[mine].tolist(), strict=True))
