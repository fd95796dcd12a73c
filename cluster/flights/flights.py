"""Plan document + World -> flights: what must be carried out together, in what order.

Groups are one flight when they share a tree, an eviction or the allocation of a claim, or when each
of two lands where the other one's victims make room. A flight that lands where another one's
victims make room comes after it; else the highest priority comes first, then the name.
"""

import hashlib
import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any

from gangplan.cluster.flight import Allocating, Falling, Flight
from gangplan.cluster.flights.drafts import Draft, Drafts, drafts_of
from gangplan.cluster.flights.freeing import Freeing, freeings_of
from gangplan.cluster.flights.wanted import Want, allocating_of
from gangplan.cluster.world import World

_KEY = 12


def flights_of(plan_document: Mapping[str, Any], world: World) -> tuple[Flight, ...]:
    """Divide a plan into flights, in the order in which they should be carried out.

    Raises
    ------
    Changed : a name of the plan that the cluster does not have (any more).
    InputError : the document is no plan.
    """
    drafts = drafts_of(plan_document, world)
    freeings = freeings_of(plan_document, world, drafts)
    sets = _Sets(drafts.names)
    for tree in _by_tree(drafts.drafts).values():
        sets.unite(tree)
    for freeing in freeings:
        sets.unite(freeing.groups)
    for want in drafts.wants:
        if want.new:
            sets.unite(want.groups)
    _unite_whole(freeings, sets)
    order = _ordered(drafts, freeings, sets)
    parts = _parts(drafts, freeings, sets)
    digest = str(plan_document.get("instance", ""))
    return tuple(_flight(world, parts[root], digest) for root in order)


@dataclass(slots=True)
class _Part:
    """What one flight is made of."""

    drafts: list[Draft] = field(default_factory=list)
    fallings: dict[str, Falling] = field(default_factory=dict)
    wants: list[Want] = field(default_factory=list)


class _Sets:
    """Disjoint sets of groups; a set is named by one of its groups."""

    def __init__(self, names: Iterable[str]) -> None:
        self._above = {name: name for name in names}

    def find(self, name: str) -> str:
        while self._above[name] != name:
            self._above[name] = name = self._above[self._above[name]]
        return name

    def unite(self, names: Iterable[str]) -> None:
        first, *rest = map(self.find, names)
        for other in rest:
            self._above[self.find(other)] = self.find(first)


def _by_tree(drafts: Iterable[Draft]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for draft in drafts:
        if draft.tree:
            found[draft.tree].append(draft.name)
    return found


def _unite_whole(freeings: Iterable[Freeing], sets: _Sets) -> None:
    """Unite the victims of a PodGroup with claims: these come free with its last pod."""
    found: dict[str, list[str]] = defaultdict(list)
    for freeing in freeings:
        for group in freeing.wholes:
            found[group] += freeing.groups
    for groups in found.values():
        sets.unite(groups)


def _ordered(drafts: Drafts, freeings: tuple[Freeing, ...], sets: _Sets) -> list[str]:
    """Order the sets; those that wait for one another in a ring become one."""
    while True:
        after = _waits(drafts, freeings, sets)
        sorter = TopologicalSorter(after)
        try:
            sorter.prepare()
        except CycleError as error:
            sets.unite(error.args[1])
            continue
        rank: dict[str, tuple[int, str]] = {}
        for draft in drafts.drafts:
            root, mine = sets.find(draft.name), (-draft.priority, draft.name)
            rank[root] = min(rank.get(root, mine), mine)
        order: list[str] = []
        ready = [(rank[root], root) for root in sorter.get_ready()]
        heapq.heapify(ready)
        while ready:
            root = heapq.heappop(ready)[1]
            order.append(root)
            sorter.done(root)
            for more in sorter.get_ready():
                heapq.heappush(ready, (rank[more], more))
        return order


def _waits(drafts: Drafts, freeings: Iterable[Freeing], sets: _Sets) -> dict[str, set[str]]:
    """Flight -> the flights whose victims leave a node or a pool that it lands on."""
    emptied: dict[str, set[str]] = defaultdict(set)
    for freeing in freeings:
        for place in freeing.places:
            emptied[place].add(sets.find(freeing.groups[0]))
    after: dict[str, set[str]] = {sets.find(draft.name): set() for draft in drafts.drafts}
    for draft in drafts.drafts:
        root = sets.find(draft.name)
        for place in draft.places:
            after[root] |= emptied.get(place, set()) - {root}
    return after


def _parts(drafts: Drafts, freeings: Iterable[Freeing], sets: _Sets) -> dict[str, _Part]:
    found: dict[str, _Part] = defaultdict(_Part)
    for draft in drafts.drafts:
        found[sets.find(draft.name)].drafts.append(draft)
    for freeing in freeings:
        mine = found[sets.find(freeing.groups[0])]
        mine.fallings |= {falling.uid: falling for falling in freeing.fallings}
    for want in drafts.wants:
        for root in {sets.find(name) for name in want.groups}:
            found[root].wants.append(want)
    return found


def _flight(world: World, part: _Part, digest: str) -> Flight:
    drafts = part.drafts
    trees = {draft.tree for draft in drafts}
    names = {draft.name for draft in drafts}
    return Flight(
        key=_key(names),
        priority=max(draft.priority for draft in drafts),
        members=tuple(draft.member for draft in drafts),
        placings=tuple(placing for draft in drafts for placing in draft.placings),
        fallings=tuple(part.fallings.values()),
        allocatings=_allocatings(world, part.wants, names),
        tree=min(trees) if len(trees) == 1 else "",
        plan=digest,
    )


def _allocatings(world: World, wants: Iterable[Want], names: set[str]) -> tuple[Allocating, ...]:
    """Claims of a flight; of a claim that has its devices already, only its own users."""
    found = (allocating_of(world, want, names) for want in wants)
    return tuple(one for one in found if one.allocation is not None or one.users)


def _key(names: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:_KEY]
