"""Ways: how one claim can have a part of its spec served by the cells in its reach.

A way fixes a choice for every request and a value for every matchAttribute that binds two devices
or more. What is left open are counts: how many devices of each cell a choice gets, under *caps*,
sums over cells that a single claim may not exceed (distinctAttribute: 1 for each value;
adminAccess: the devices of the cell, since no device comes twice).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from gangplan.models.claims import ALL, MOST_RESULTS, Claims
from gangplan.models.errors import FormulationError
from gangplan.models.options.parts import Bound, Part

MOST_WAYS = 4096
"""Ways to serve one part at one site; more are refused by name."""

MANY = MOST_RESULTS + 1
"""A cell of more devices is as good as one of so many."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a part sees of a cell; equal sights, equal ways.

    Attributes
    ----------
    usable : choices b that can take a device of it.
    asked : ALL choices b that must take all of it.
    size : its devices, at most MANY. multi : it is one device that may be shared.
    values : (attribute, values) of the attributes that the part's rules compare.
    """

    usable: frozenset[int]
    asked: frozenset[int]
    size: int
    multi: bool
    values: tuple[tuple[int, tuple[int, ...]], ...]

    def of(self, attribute: int) -> tuple[int, ...]:
        """Values of an attribute; none where the device lacks it."""
        return dict(self.values).get(attribute, ())


@dataclass(frozen=True, slots=True)
class Cap:
    """One claim: sum of weight x devices over entries <= bound."""

    bound: int
    entries: tuple[int, ...]
    weights: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to serve a part at a site.

    Attributes
    ----------
    choices : (b, devices) for each request.
    entries : (place in choices, cell at the site, devices); devices 0 = open, else exactly so many.
    caps : of open entries.
    single : caps overlap, so that the way has to be written once for each pod.
    """

    choices: tuple[tuple[int, int], ...]
    entries: tuple[tuple[int, int, int], ...]
    caps: tuple[Cap, ...]
    single: bool


def ways_of(
    claims: Claims, part: Part, sights: Sequence[Sight], barred: frozenset[int], name: str
) -> tuple[Way, ...]:
    """List the ways to serve a part by cells.

    Raises
    ------
    FormulationError : more than MOST_WAYS; ``name`` says whose.
    """
    able = [
        [b for b in request if b not in barred and _cells(claims, part, sights, b)]
        for request in part.requests
    ]
    found: list[Way] = []
    for combination in product(*able):
        for values in _values(claims, part, sights, combination):
            way = _way(claims, part, sights, combination, values)
            if way is not None:
                found.append(way)
                if len(found) > MOST_WAYS:
                    raise FormulationError(
                        f"{name}: more than {MOST_WAYS} combinations of choices and values"
                        " cannot be written"
                    )
    return tuple(found)


def _cells(
    claims: Claims,
    part: Part,
    sights: Sequence[Sight],
    choice: int,
    wanted: Sequence[tuple[int, int]] = (),
) -> tuple[int, ...]:
    """Cells that may serve the choice, with ``wanted`` (attribute, value); empty: it cannot be."""
    needs = [rule.attribute for rule in part.rules if choice in rule.members]
    good = tuple(
        e
        for e, cell in enumerate(sights)
        if choice in cell.usable
        and all(cell.of(attribute) for attribute in needs)
        and all(value in cell.of(attribute) for attribute, value in wanted)
    )
    devices = sum(MANY if sights[e].multi else sights[e].size for e in good)
    if claims.choice_count[choice] != ALL:
        return good if devices >= claims.choice_count[choice] else ()
    asked = {e for e, cell in enumerate(sights) if choice in cell.asked}
    return tuple(sorted(asked)) if asked <= set(good) else ()


def _devices(claims: Claims, sights: Sequence[Sight], choice: int, cells: Sequence[int]) -> int:
    count = int(claims.choice_count[choice])
    return sum(sights[e].size for e in cells) if count == ALL else count


def _values(
    claims: Claims, part: Part, sights: Sequence[Sight], combination: tuple[int, ...]
) -> Iterator[dict[Bound, int]]:
    """Yield common values for the matchAttributes that compare anything."""
    rules, values = [], []
    for rule in part.rules:
        members = [b for b in combination if b in rule.members]
        cells = {b: _cells(claims, part, sights, b) for b in members}
        if rule.distinct or sum(_devices(claims, sights, b, cells[b]) for b in members) < 2:
            continue
        seen = {v for b in members for e in cells[b] for v in sights[e].of(rule.attribute)}
        rules.append(rule)
        values.append(
            sorted(
                v
                for v in seen
                if all(_cells(claims, part, sights, b, [(rule.attribute, v)]) for b in members)
            )
        )
    for value in product(*values):
        yield dict(zip(rules, value, strict=True))


def _way(
    claims: Claims,
    part: Part,
    sights: Sequence[Sight],
    combination: tuple[int, ...],
    values: dict[Bound, int],
) -> Way | None:
    cells = []
    for b in combination:
        wanted = [(rule.attribute, v) for rule, v in values.items() if b in rule.members]
        cells.append(_cells(claims, part, sights, b, wanted))
        if not cells[-1]:
            return None
    counts = [_devices(claims, sights, b, good) for b, good in zip(combination, cells, strict=True)]
    if sum(counts) > MOST_RESULTS:
        return None
    used_up = [not claims.choice_admin[b] for b in combination]
    banned: set[tuple[int, int]] = set()
    while True:
        entries = _entries(claims, sights, combination, cells, counts, banned)
        if entries is None:
            return None
        caps: list[Cap] = []
        closed: set[tuple[int, int]] = set()
        for bound, weight in _limits(claims, part, sights, combination, counts, entries):
            fixed = sum(entries[y][2] * weight[y] for y in weight)
            if fixed > bound:
                return None
            free = {y: w for y, w in weight.items() if not entries[y][2]}
            closed |= {entries[y][:2] for y, w in free.items() if w > bound - fixed}
            if _can_exceed(free, bound - fixed, entries, counts, used_up, sights):
                caps.append(Cap(bound - fixed, tuple(free), tuple(free.values())))
        if not closed:
            break
        banned |= closed
    caps = _tight(caps)
    times = Counter(y for cap in caps for y in cap.entries)
    single = any(w > 1 for cap in caps for w in cap.weights) or any(n > 1 for n in times.values())
    chosen = tuple(zip(combination, counts, strict=True))
    return Way(chosen, tuple(entries), tuple(caps), single)


def _tight(caps: Sequence[Cap]) -> list[Cap]:
    """Leave out caps that another one implies."""
    kept: list[Cap] = []
    for cap in sorted(dict.fromkeys(caps), key=lambda cap: (-len(cap.entries), cap.bound)):
        weight = dict(zip(cap.entries, cap.weights, strict=True))
        if not any(
            other.bound <= cap.bound
            and all(
                w <= dict(zip(other.entries, other.weights, strict=True)).get(y, 0)
                for y, w in weight.items()
            )
            for other in kept
        ):
            kept.append(cap)
    return kept


def _entries(
    claims: Claims,
    sights: Sequence[Sight],
    combination: tuple[int, ...],
    cells: Sequence[Sequence[int]],
    counts: Sequence[int],
    banned: set[tuple[int, int]],
) -> list[tuple[int, int, int]] | None:
    """Entries without the ``banned``; None where a choice cannot be served by what is left."""
    found: list[tuple[int, int, int]] = []
    for at, (b, every) in enumerate(zip(combination, cells, strict=True)):
        good = [e for e in every if (at, e) not in banned]
        if claims.choice_count[b] == ALL:
            found += [(at, e, sights[e].size) for e in good]
            continue
        room = [MANY if sights[e].multi else sights[e].size for e in good]
        if claims.choice_admin[b]:
            room = [sights[e].size for e in good]
        if sum(room) < counts[at]:
            return None
        found += [(at, e, counts[at] if len(good) == 1 else 0) for e in good]
    return found


def _limits(
    claims: Claims,
    part: Part,
    sights: Sequence[Sight],
    combination: tuple[int, ...],
    counts: Sequence[int],
    entries: Sequence[tuple[int, int, int]],
) -> Iterator[tuple[int, dict[int, int]]]:
    """Every (bound, entry -> weight) that one claim has to keep."""
    for rule in part.rules:
        if not rule.distinct:
            continue
        by_value: dict[int, dict[int, int]] = {}
        for y, (at, e, _) in enumerate(entries):
            if combination[at] in rule.members:
                for value in sights[e].of(rule.attribute):
                    by_value.setdefault(value, {})[y] = 1
        for weight in by_value.values():
            yield 1, weight
    admin = [bool(claims.choice_admin[b]) for b in combination]
    if not any(admin):
        return
    others = sum(n for n, a in zip(counts, admin, strict=True) if not a)
    for e in sorted({e for _, e, _ in entries}):
        mine = {y: 1 for y, entry in enumerate(entries) if entry[1] == e}
        if not sights[e].multi:
            yield sights[e].size, mine
        elif any(admin[entries[y][0]] for y in mine):
            # A share for adminAccess is the claim's only one; without it there may be several.
            several = max(others, 1)
            yield several, {y: several if admin[entries[y][0]] else 1 for y in mine}


def _can_exceed(
    free: dict[int, int],
    bound: int,
    entries: Sequence[tuple[int, int, int]],
    counts: Sequence[int],
    used_up: Sequence[bool],
    sights: Sequence[Sight],
) -> bool:
    """Tell whether counts and sizes alone let one claim exceed the bound."""
    most: dict[int, int] = {}
    for y, w in free.items():
        at, e, _ = entries[y]
        # Only what is used up is bounded by the devices there are, even without a cap.
        own = min(counts[at], sights[e].size) if used_up[at] and not sights[e].multi else counts[at]
        most[at] = min(most.get(at, 0) + own * w, counts[at] * max(free.values()))
    return sum(most.values()) > bound
