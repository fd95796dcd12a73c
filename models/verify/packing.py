"""Do enough members of gangs find room on their own nodes, all at once? Exact, within a budget.

Nodes that share nothing are looked at one by one: for each, the largest combinations of members
that come back to it. Then they are added up, node after node, keeping the sums that no other
outdoes. Every subset of what has room has room, so the largest sums decide.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from gangplan.models.verify.budget import Budget
from gangplan.models.verify.picking import Gang, Kind, pick
from gangplan.models.verify.slack import Item, Place, Slack

Member = tuple[Kind, Item]
Counts = tuple[int, ...]
Value = TypeVar("Value")
Trail = tuple[tuple[Member, ...], "Trail | None"]
"""Members of one component that come back, and those of the components before it."""


def pack(
    slack: Slack, whole: Sequence[Item], gangs: Sequence[Gang], budget: Budget
) -> list[int] | None:
    """Return units that come back: all the ``whole`` ones, and enough of each gang; or None.

    Raises
    ------
    Spent : more steps than the budget has.
    """
    if not slack.fits(*whole):
        return None
    members = [(k, item) for gang in gangs for k, mine in gang.kinds.items() for item in mine]
    tally = _Tally(gangs)
    sums: dict[Counts, Trail | None] = {tally.nothing: None}
    for component in _components(slack, members):
        largest = _best(dict(_combinations(slack, whole, component, tally, budget)), budget)
        merged: dict[Counts, Trail | None] = {}
        for total, trail in sums.items():
            for chosen in largest.values():
                budget.take()
                merged.setdefault(tally.add(total, chosen), (chosen, trail))
        sums = _best(merged, budget)
    for trail in sums.values():
        there = _there(trail)
        picked = [pick(gang, {k: there.get(k, []) for k in gang.kinds}, budget) for gang in gangs]
        if None not in picked:
            return [item.unit for item in whole] + [v for mine in picked for v in mine or ()]
    return None


class _Tally:
    """Counts that decide: of each floor up to what it lacks; with slices, of each kind."""

    def __init__(self, gangs: Sequence[Gang]) -> None:
        self.places: dict[Kind, list[int]] = {}
        self.most: list[int] = []
        for gang in gangs:
            if gang.cells:
                for kind, mine in gang.kinds.items():
                    self.places[kind] = [len(self.most)]
                    self.most.append(len(mine))
                continue
            at = {f: len(self.most) + i for i, f in enumerate(gang.floors)}
            self.most += gang.floors.values()
            for kind in gang.kinds:
                self.places[kind] = [at[f] for f in kind.floors if f in at]
        self.nothing: Counts = (0,) * len(self.most)

    def add(self, counts: Counts, members: Iterable[Member]) -> Counts:
        """Count members beside those counted."""
        total = list(counts)
        for kind, _ in members:
            for place in self.places[kind]:
                total[place] = min(total[place] + 1, self.most[place])
        return tuple(total)


def _components(slack: Slack, members: Sequence[Member]) -> Iterator[list[Member]]:
    """Members that share a node, a holding, a counter or a pot, directly or by others."""
    leader: dict[tuple[str, int], tuple[str, int]] = {}

    def find(key: tuple[str, int]) -> tuple[str, int]:
        leader.setdefault(key, key)
        while leader[key] != key:
            leader[key] = leader[leader[key]]
            key = leader[key]
        return key

    keys = [[("unit", item.unit), *sorted(uses(slack, item))] for _, item in members]
    for first, *others in keys:
        for other in others:
            leader[find(other)] = find(first)
    parts: dict[tuple[str, int], list[Member]] = {}
    for member, (first, *_) in zip(members, keys, strict=True):
        parts.setdefault(find(first), []).append(member)
    yield from parts.values()


def uses(slack: Slack, item: Item) -> set[tuple[str, int]]:
    """Return what an item needs something of: nodes, counters, pots, by kind and number."""
    return {(place[0], place[1]) for place in slack.needs([item])}


def _combinations(
    slack: Slack, whole: Sequence[Item], members: Sequence[Member], tally: _Tally, budget: Budget
) -> Iterator[tuple[Counts, tuple[Member, ...]]]:
    """Members of one component that have room together; of equal ones the first, as many as fit.

    Yields at least all the largest combinations.
    """
    alike: dict[tuple[Kind, object, object], list[Member]] = {}
    for kind, item in members:
        alike.setdefault((kind, item.room, item.holds), []).append((kind, item))
    classes = list(alike.values())
    used = slack.needs([*whole])
    left: dict[Place, int] = {}
    for place in slack.needs([item for _, item in members]):
        left[place] = slack.left(place) - used.get(place, 0)
    charged = frozenset(h for item in whole for h in item.holds)
    todo: list[tuple[int, tuple[Member, ...], dict[Place, int], frozenset[int]]] = [
        (0, (), left, charged)
    ]
    while todo:
        budget.take()
        i, chosen, left, charged = todo.pop()
        if i == len(classes):
            yield tally.add(tally.nothing, chosen), chosen
            continue
        item = classes[i][0][1]
        holds = frozenset(item.holds) - charged
        once = slack.needs([Item(item.unit, (), tuple(holds))])
        after = {p: n - once.get(p, 0) for p, n in left.items()}
        fits = all(n >= 0 for n in after.values())
        most = min([after[p] // n for p, n in item.room], default=len(classes[i])) if fits else 0
        most = max(min(most, len(classes[i])), 0)
        fewest = most if len(classes) == 1 else 0
        for n in range(fewest, most + 1):
            less = dict(after if n else left)
            for place, each in item.room:
                less[place] -= n * each
            new = (*chosen, *classes[i][:n])
            todo.append((i + 1, new, less, charged | holds if n else charged))


def _best(sums: dict[Counts, Value], budget: Budget) -> dict[Counts, Value]:
    """Drop counts that others outdo."""
    best: dict[Counts, Value] = {}
    for counts in sorted(sums, key=sum, reverse=True):
        budget.take()
        if not any(all(a <= b for a, b in zip(counts, other, strict=True)) for other in best):
            best[counts] = sums[counts]
    return best


def _there(trail: Trail | None) -> dict[Kind, list[Item]]:
    there: dict[Kind, list[Item]] = {}
    while trail is not None:
        members, trail = trail
        for kind, item in members:
            there.setdefault(kind, []).append(item)
    return there
