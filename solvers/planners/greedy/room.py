"""Room: what is free while a plan grows, with everything needed to take steps back."""

from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.plan import Plan
from gangplan.solvers.planners.greedy.book import Book
from gangplan.solvers.planners.greedy.dealt import Dealt
from gangplan.solvers.planners.greedy.deeds import allocations
from gangplan.solvers.planners.greedy.devices import Pool
from gangplan.solvers.planners.greedy.evictions import Evictions
from gangplan.solvers.planners.greedy.gauge import Gauge
from gangplan.solvers.planners.greedy.terms import Terms
from gangplan.solvers.planners.greedy.written import Put, written

Mark = tuple[int, int, int, int]


class Room:
    """Free room, chosen domains and placements; every change can be undone.

    Attributes
    ----------
    free : (N, R) free now.
    devices, fullness : see ``Gauge``.
    placed : (K,) new pods of each role.
    where : G lists of the steps that placed the group's pods, or took them out again.
    chosen : (T,) domain of each whole required rule; -1 while it is open.
    dealt : claims; None where the instance has none.
    terms : rows of capacity that bind some groups only.
    evictions : units that have fallen; None where nobody can.
    """

    def __init__(self, book: Book) -> None:
        instance = book.instance
        self.book = book
        self.free = instance.nodes.free.copy()
        self.placed: list[int] = [0] * len(instance.roles)
        self.where: list[list[Put]] = [[] for _ in range(len(instance.groups))]
        self._fixed: list[int] = instance.rules.fixed().tolist()
        self.chosen = list(self._fixed)
        self._pool = Pool(instance.shared, len(instance.nodes))
        self.dealt = Dealt(book) if instance.claims else None
        self.terms = Terms(instance)
        self.evictions = Evictions(book) if len(instance.running) else None
        self._puts: list[Put] = []
        self._choices: list[tuple[int, int]] = []
        self._changed: list[Ints] = []
        self._slots: dict[int, Ints] = {}
        self._seen: dict[int, int] = {}
        self._gauge = Gauge(book, self._pool, self.free)
        self.devices, self.fullness = self._gauge.devices, self._gauge.fullness

    def slots(self, role: int) -> Ints:
        """(N,) pods of the role that each node still holds, eligibility included.

        Where the role has claims of its own, at most so many; ``exact`` knows better.
        """
        reach = self.dealt.reach(role) if self.dealt else None
        return self.anywhere(role) if reach is None else np.where(reach, self.anywhere(role), 0)

    def exact(self, role: int, nodes: Ints, slots: Ints, pods: int) -> Ints:
        """Mend slots (n,) of nodes: as many of the first as hold ``pods``, 0 for the others."""
        specs, shape = self.book.own[role], int(self.book.shapes.of_role[role])
        if self.dealt is None or not specs:
            return slots
        known, mended = self._slots[shape], np.zeros_like(slots)
        for i, (node, most) in enumerate(zip(nodes.tolist(), slots.tolist(), strict=True)):
            if pods <= 0:
                break
            mended[i] = count = self.dealt.slots(specs, node, min(most, pods))
            if count < min(most, pods):
                known[node] = count
            pods -= count
        return mended

    def anywhere(self, role: int) -> Ints:
        """(N,) slots of the role as if its shared claims were reached from all nodes."""
        if self.evictions and self.evictions.loses(role):
            return np.zeros(len(self.free), dtype=np.int64)
        known = self._counted_slots(role)
        return self.terms.capped(role, known) if self.terms else known

    def _counted_slots(self, role: int) -> Ints:
        shape = int(self.book.shapes.of_role[role])
        known = self._slots.get(shape)
        changed = self._changed[self._seen.get(shape, 0) :]
        if known is None or sum(map(len, changed)) > len(self.free):
            self._slots[shape] = known = self._count(shape, np.arange(len(self.free)), self.free)
        elif changed:
            nodes = changed[0] if len(changed) == 1 else np.concatenate(changed)
            known[nodes] = self._count(shape, nodes, self.free[nodes])
        self._seen[shape] = len(self._changed)
        return known

    def plain(self, role: int) -> bool:
        """Tell whether resources alone say how many pods of a role a node holds."""
        roles = self.book.instance.roles
        pooled = bool(roles.share[role] or roles.whole[role])
        claims = bool(self.book.own[role] or self.book.common[role])
        return not (pooled or claims or self.terms.bind(role))

    def slots_of(self, role: int, free: Ints) -> Ints:
        """(N,) slots of a plain role where so much (N, R) is free."""
        return self._count(int(self.book.shapes.of_role[role]), np.arange(len(free)), free)

    def fullness_of(self, free: Ints) -> Floats:
        """(N,) fullness where so much (N, R) is free, and devices as now."""
        return self._gauge.fullness_with(free - self.free)

    def _count(self, shape: int, nodes: Ints, free: Ints) -> Ints:
        roles = self.book.instance.roles
        role = int(self.book.shapes.role[shape])
        count = np.where(
            roles.eligible[role][self.book.instance.nodes.node_class[nodes]],
            self.book.instance.n_pods,
            0,
        )
        request = roles.request[role]
        for r in self.book.shapes.columns[shape]:
            np.minimum(count, free[:, r] // request[r], out=count)
        share, whole = int(roles.share[role]), int(roles.whole[role])
        if share or whole:
            np.minimum(count, self._pool.slots(share, whole)[nodes], out=count)
        if self.dealt and self.book.own[role]:
            np.minimum(count, self.dealt.caps(self.book.own[role], nodes), out=count)
        return count

    def put(self, role: int, nodes: Ints, pods: Ints) -> None:
        """Place pods; ``nodes`` are distinct and have the slots."""
        roles = self.book.instance.roles
        share, whole = int(roles.share[role]), int(roles.whole[role])
        devices: list[Ints] = []
        if share or whole:
            for node, count in zip(nodes.tolist(), pods.tolist(), strict=True):
                devices += self._pool.take(node, count, share, whole)
        self._step(Put(role, nodes, pods, devices))

    def _step(self, put: Put) -> None:
        if self.dealt:
            self._feel(self.dealt.put(put.role, put.nodes, put.pods))
        self._puts.append(put)
        self.where[int(self.book.instance.roles.group[put.role])].append(put)
        self._move(put.role, put.nodes, put.pods)

    def _move(self, role: int, nodes: Ints, pods: Ints) -> None:
        """Take (or, with negative ``pods``, free) room on the nodes."""
        self.free[nodes] -= pods[:, None] * self.book.instance.roles.request[role]
        self.placed[role] += int(pods.sum())
        if self.dealt:
            self.dealt.count_users(role, int(pods.sum()))
        if self.terms:
            self.terms.move(role, nodes, pods)
        if self.evictions:
            self.evictions.gain(role, int(pods.sum()))
        self._gauge.claim(role, nodes, pods)
        self._measure(nodes)

    def _measure(self, nodes: Ints) -> None:
        """Say what is free on the nodes now."""
        self._gauge.read(nodes, self.free[nodes])
        self._changed.append(nodes)

    def evict(self, units: Ints, falls: bool = True) -> None:
        """Let units fall, or come back where ``spares`` says so."""
        if self.evictions is not None and len(units):
            self.evictions.change(units, falls)
            self._free(units, falls)

    def _free(self, units: Ints, falls: bool) -> None:
        of, sign = self.book.falls, 1 if falls else -1
        pairs = of.pairs(units)
        nodes, room = of.pair_node[pairs], of.pair_room[pairs]
        for r in range(room.shape[1]):
            np.add.at(self.free[:, r], nodes, sign * room[:, r])
        if self.terms:
            self.terms.free(nodes, room, sign)
        if self.dealt:
            self._feel((self.dealt.fall if falls else self.dealt.stand)(units))
        touched = nodes if len(units) == 1 else np.unique(nodes)
        if len(touched):
            self._measure(touched)

    def spares(self, units: Ints) -> bool:
        """Tell whether units that have fallen could come back, as far as room goes."""
        of = self.book.falls
        pairs = of.pairs(units)
        nodes, room = of.pair_node[pairs], of.pair_room[pairs]
        if len(units) > 1:
            nodes, at = np.unique(nodes, return_inverse=True)
            room = np.zeros((len(nodes), room.shape[1]), dtype=np.int64)
            np.add.at(room, at.reshape(-1), of.pair_room[pairs])
        short = room > self.free[nodes]
        return (
            not short.any()
            and (not self.terms or self.terms.spares(nodes, room))
            and (self.dealt is None or self.dealt.spares(units))
        )

    def choose(self, rule: int, domain: int) -> None:
        """Settle the domain of an open whole required rule."""
        self._choices.append((rule, self.chosen[rule]))
        self.chosen[rule] = domain

    def allocate(self, claim: int, where: int | Flags) -> bool:
        """Allocate a shared claim on a node, or over nodes (N,); False where it does not fit."""
        if self.dealt is None:
            return False
        if isinstance(where, int):
            felt = self.dealt.allocate_at(claim, where)
        else:
            felt = self.dealt.allocate_over(claim, where)
        if felt is not None:
            self._feel(felt)
        return felt is not None

    def _feel(self, nodes: Ints) -> None:
        """Count the slots of nodes anew."""
        if len(nodes):
            self._changed.append(nodes)

    @property
    def fallen(self) -> set[int]:
        """Units that have fallen."""
        return self.evictions.fallen if self.evictions else set()

    def mark(self) -> Mark:
        """Remember this moment."""
        dealt = self.dealt.mark() if self.dealt else 0
        gone = self.evictions.mark() if self.evictions else 0
        return len(self._puts), len(self._choices), dealt, gone

    def undo(self, mark: Mark) -> None:
        """Go back to a remembered moment."""
        if self.dealt:
            self._feel(self.dealt.undo(mark[2]))
        while len(self._puts) > mark[0]:
            put = self._puts.pop()
            roles = self.book.instance.roles
            if put.devices:
                self._pool.give_back(put.devices, int(roles.share[put.role]))
            self.where[int(roles.group[put.role])].pop()
            self._move(put.role, put.nodes, -put.pods)
        while len(self._choices) > mark[1]:
            rule, before = self._choices.pop()
            self.chosen[rule] = before
        if self.evictions:
            for units, falls in self.evictions.since(mark[3]):
                self._free(units, not falls)

    def release(self, group: int) -> None:
        """Take a root gang without shared devices out again; this too can be undone."""
        for role in self.book.roles(group):
            mine = [put for put in self.where[group] if put.role == role]
            if mine:
                nodes = np.concatenate([put.nodes for put in mine])
                pods = np.concatenate([put.pods for put in mine])
                total = np.bincount(nodes, weights=pods).astype(np.int64)
                used = np.flatnonzero(total)
                if len(used):
                    self._step(Put(role, used, -total[used], []))
        for t in self.book.required[group]:
            self.choose(t, self._fixed[t])

    def home(self, group: int) -> int:
        """Return one node that the group has new pods on."""
        return int(self.where[group][-1].nodes[0])

    def untouched(self, nodes: Ints) -> Flags:
        """Tell which of the nodes have devices that are all free, still."""
        return self._gauge.untouched(nodes)

    def pods_by_domain(self, group: int, domain: Ints) -> dict[int, int]:
        """Count new pods of a group per domain; ``domain`` (N,) is a row of the topology."""
        count: dict[int, int] = {}
        for put in self.where[group]:
            for d, n in zip(domain[put.nodes].tolist(), put.pods.tolist(), strict=True):
                count[d] = count.get(d, 0) + n
        return {d: n for d, n in count.items() if n}

    def plan(self) -> Plan:
        """Write the placements down as a plan, pods of a role in order of their nodes."""
        plan = written(self.book.instance, self._puts)
        if self.fallen:
            plan = replace(plan, evicted=np.array(sorted(self.fallen), dtype=np.int64))
        if self.dealt is None or not self._puts:
            return plan
        return replace(plan, allocations=allocations(self.dealt, plan, self.book.instance.pod_role))
