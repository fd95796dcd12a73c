"""Packing: pods of one group onto a given set of nodes, role after role, by counts.

Best fit pod by pod fills the first node until it is full, since its room only shrinks: so a role is
placed by counts along the sorted nodes, with the same result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, permutations

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.solvers.planners.greedy.book import Book
from gangplan.solvers.planners.greedy.room import Room
from gangplan.solvers.planners.greedy.style import Style


@dataclass(frozen=True, slots=True)
class Ask:
    """New pods asked for at once.

    Attributes
    ----------
    roles : role numbers, the heaviest first.
    own : exactly so many of each role.
    spare : so many more of each role may serve for ``rest``.
    rest : pods of any of the roles.
    """

    roles: tuple[int, ...]
    own: tuple[int, ...]
    spare: tuple[int, ...]
    rest: int

    @property
    def total(self) -> int:
        """Pods asked for."""
        return sum(self.own) + self.rest


def ask_of(book: Book, room: Room, group: int, total: int) -> Ask | None:
    """Ask for ``total`` pods that have not been placed yet, every role's own minimum included.

    Returns None where so many do not wait.
    """
    roles = sorted(book.roles(group), key=lambda k: book.heavy_first[k])
    instance, needs = book.instance, book.needs
    left = [int(instance.roles.wanted[k]) - room.placed[k] for k in roles]
    own = [max(int(needs.role[k]) - room.placed[k], 0) for k in roles]
    total = max(total, sum(own))
    if total > sum(left) or any(a > b for a, b in zip(own, left, strict=True)):
        return None
    if total == sum(left):
        return Ask(tuple(roles), tuple(left), (0,) * len(roles), 0)
    spare = tuple(b - a for a, b in zip(own, left, strict=True))
    if len(roles) == 1:
        return Ask(tuple(roles), (total,), (0,), 0)
    return Ask(tuple(roles), tuple(own), spare, total - sum(own))


@dataclass(frozen=True, slots=True, eq=False)
class Filling:
    """How to sort nodes: a style, and node ranks that go before it.

    Attributes
    ----------
    near : (N,) arrays, the most important first: nodes of small rank are filled first.
    leave : roles whose slots should be spared.
    """

    style: Style
    near: tuple[Ints, ...] = ()
    leave: tuple[int, ...] = ()


def fill(room: Room, role: int, pods: int, nodes: Ints, filling: Filling) -> int:
    """Place up to ``pods`` pods of a role on the nodes; return how many."""
    if room.dealt:
        pods = min(pods, room.dealt.left(role))
    slots = room.slots(role)[nodes]
    open_nodes = slots > 0
    if pods < 1 or not open_nodes.any():
        return 0
    nodes, slots = nodes[open_nodes], slots[open_nodes]
    key = _key(room, role, nodes, slots, filling)
    if filling.near:
        order = np.lexsort((key, *(rank[nodes] for rank in reversed(filling.near))))
    else:
        order = np.argsort(key, kind="stable")
    if room.dealt and room.book.own[role]:
        return _fill_exactly(room, role, pods, nodes[order], slots[order])
    filled = np.cumsum(slots[order])
    last = int(np.searchsorted(filled, pods))
    if last >= len(order):
        room.put(role, nodes[order], slots[order])
        return int(filled[-1])
    used = order[: last + 1]
    count = slots[used]
    count[-1] -= int(filled[last]) - pods
    room.put(role, nodes[used], count)
    return pods


def _fill_exactly(room: Room, role: int, pods: int, nodes: Ints, slots: Ints) -> int:
    """Fill sorted nodes with pods that have claims: what counting allows may not fit."""
    if room.dealt and room.dealt.alone(role):
        left = pods
        for i in range(len(nodes)):
            count = min(int(room.exact(role, nodes[i : i + 1], slots[i : i + 1], left)[0]), left)
            if count:
                room.put(role, nodes[i : i + 1], np.array([count], dtype=np.int64))
                left -= count
            if not left:
                break
        return pods - left
    slots = room.exact(role, nodes, slots, pods)
    nodes, slots = nodes[slots > 0], slots[slots > 0]
    if not len(nodes):
        return 0
    room.put(role, nodes, slots)
    return int(slots.sum())


def _key(room: Room, role: int, nodes: Ints, slots: Ints, filling: Filling) -> Floats:
    roles, full = room.book.instance.roles, room.fullness[nodes]
    key: Floats = full
    if filling.style.packing == "strand" and roles.devices[role]:
        each = room.book.each[role]
        key = np.round(room.devices[nodes] - slots * each, 3) * 1e3 + full
    elif filling.style.packing == "snug":
        left = room.free[nodes] - slots[:, None] * roles.request[role]
        key = (left / room.book.scale).sum(axis=1)
    elif filling.style.packing == "begun" and roles.devices[role]:
        key = key + 1e5 * room.untouched(nodes)
    if filling.leave:
        spared = sum(room.slots(k)[nodes] for k in filling.leave)
        key = spared * 1e6 + key
    return key


def pack(room: Room, ask: Ask, nodes: Ints, filling: Filling) -> bool:
    """Place all of an ask on the nodes, or nothing."""
    mark = room.mark()
    if _pack(room, ask, range(len(ask.roles)), nodes, filling):
        return True
    room.undo(mark)
    return False


def pack_hard(room: Room, ask: Ask, nodes: Ints, filling: Filling) -> bool:
    """Try again where ``pack`` failed: other role orders, and nodes that the others cannot use."""
    mark = room.mark()
    for order in islice(permutations(range(len(ask.roles))), 6):
        for spare in (True, False):
            if _pack(room, ask, order, nodes, filling, spare):
                return True
            room.undo(mark)
    return False


def _pack(
    room: Room,
    ask: Ask,
    order: Sequence[int],
    nodes: Ints,
    filling: Filling,
    spare: bool = False,
) -> bool:
    for at, i in enumerate(order):
        if ask.own[i]:
            later = tuple(ask.roles[j] for j in order[at + 1 :]) if spare else ()
            how = Filling(filling.style, filling.near, later) if spare else filling
            if fill(room, ask.roles[i], ask.own[i], nodes, how) < ask.own[i]:
                return False
    rest = ask.rest
    # The lightest roles first: they are the easiest to place.
    for i in reversed(order):
        if rest:
            rest -= fill(room, ask.roles[i], min(ask.spare[i], rest), nodes, filling)
    return rest == 0
