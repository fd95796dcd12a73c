"""Own claims of pods as part of what a node is: which pods get their devices together, and which.

Only devices on nodes, and claims that each pod has for itself. Nodes are equal where their pieces
have equal marks and the same choices are barred.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError, PlanError
from gangplan.models.instance import Instance
from gangplan.models.once import once
from gangplan.models.options.cells import Cells, cells_of
from gangplan.models.options.parts import Part, parts_of
from gangplan.models.options.sites import View, view_of
from gangplan.models.options.ways import ways_of
from gangplan.models.plan import NO_ALLOCATIONS, Allocations
from gangplan.models.shapes.giving import Giving
from gangplan.models.shapes.stock import Piece, Traits, pieces_of, traits_of
from gangplan.models.shapes.takings import Taking, takings_of


@dataclass(frozen=True, slots=True, eq=False)
class Stocks:
    """What the devices of all nodes are.

    Attributes
    ----------
    pieces : (N,) of each node. parts, views : parts of all specs, and what each looks at.
    key : (N,) nodes of equal numbers are equal.
    """

    cells: Cells
    traits: Traits
    pieces: tuple[tuple[Piece, ...], ...]
    parts: tuple[Part, ...]
    views: tuple[View, ...]
    key: Ints


def refuse(instance: Instance) -> None:
    """Refuse claims that are not about one pod and one node.

    Raises
    ------
    FormulationError : it says what patterns do not carry.
    """
    claims, devices = instance.claims, instance.devices
    draws = devices.node[devices.draw_device]
    spans = any(
        len(np.unique(draws[devices.draw_counter == c])) > 1
        for c in np.unique(devices.draw_counter).tolist()
    )
    asked = claims.asks.any(axis=0)
    for there, what in (
        (len(claims.user_role), "claims that pods share"),
        ((asked & (devices.zone >= 0)).any(), "devices that several nodes reach"),
        (spans, "counters that devices of several nodes draw from"),
        (devices.multi[devices.draw_device].any(), "shared devices that draw from counters"),
        (len(instance.running), "claims beside units that can be evicted"),
    ):
        if claims and there:
            raise FormulationError(f"patterns do not carry {what}; counts does")


@once
def stocks_of(instance: Instance) -> Stocks:
    """Look at the devices of every node."""
    cells, parts = cells_of(instance), parts_of(instance.claims)
    traits = traits_of(instance, cells)
    pieces = pieces_of(instance, cells, traits)
    marks: dict[object, int] = {}
    key = [
        marks.setdefault((tuple(p.mark for p in mine), barred), len(marks))
        for mine, barred in zip(
            pieces, map(bytes, instance.claims.barred.T.astype(np.uint8)), strict=True
        )
    ]
    views = tuple(view_of(instance, cells, part) for part in parts)
    return Stocks(cells, traits, tuple(pieces), parts, views, np.array(key, dtype=np.int64))


def giving_at(instance: Instance, node: int) -> Giving:
    """Return what the devices of a node can serve: claims by the number of their part.

    Raises
    ------
    FormulationError : more ways to serve a claim than can be listed.
    """
    stocks = stocks_of(instance)
    takings: list[tuple[Taking, ...]] = []
    for part, view in zip(stocks.parts, stocks.views, strict=True):
        site = view.local[node]
        barred = frozenset(b for b in part.choices if instance.claims.barred[b, node])
        name = f"claims with request {instance.names.choices[part.choices[0]].split('/')[0]}"
        ways = ways_of(instance.claims, part, view.sight(site), barred, name)
        takings.append(
            takings_of(
                instance, stocks.cells, stocks.traits, stocks.pieces[node], site.tolist(), ways
            )
        )
    return Giving(stocks.pieces[node], takings)


def asked_of(instance: Instance, role: int) -> tuple[int, ...]:
    """Claims of a pod of the role, by the number of their part."""
    parts, counts = parts_of(instance.claims), instance.claims
    spec = np.bincount(counts.own_spec[list(counts.own_of(role))], minlength=counts.n_specs)
    return tuple(int(spec[part.spec]) for part in parts)


def holder(giving: Giving, asked: Sequence[tuple[int, ...]]) -> Callable[[Sequence[int]], bool]:
    """Return what tells whether pods of shapes that ask so get their devices together."""

    def holds(counts: Sequence[int]) -> bool:
        total = [0] * len(giving.takings)
        for n, mine in zip(counts, asked, strict=True):
            if n:
                total = [a + n * b for a, b in zip(total, mine, strict=True)]
        return giving.serves(total)

    return holds


def named(instance: Instance, node: Ints) -> Allocations:
    """Devices of the claims of pods that are on ``node`` (P,).

    Raises
    ------
    PlanError : a node whose devices do not serve its pods.
    """
    if not instance.claims:
        return NO_ALLOCATIONS
    by_node: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    stocks, claims = stocks_of(instance), instance.claims
    of_spec = [
        [p for p, part in enumerate(stocks.parts) if part.spec == s] for s in range(claims.n_specs)
    ]
    for pod in np.flatnonzero(node >= 0).tolist():
        for w in claims.own_of(int(instance.pod_role[pod])):
            for p in of_spec[claims.own_spec[w]]:
                by_node[int(node[pod])].append((p, pod, w))
    rows: list[tuple[int, int, int, int]] = []
    for n, due in by_node.items():
        due.sort()
        given = giving_at(instance, n).given([p for p, _, _ in due])
        if given is None:
            name = instance.names.nodes[n]
            raise PlanError(f"node {name}: its devices do not serve the pods of its pattern")
        rows += _devices(instance, stocks, n, due, given)
    return Allocations(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)


def _devices(
    instance: Instance,
    stocks: Stocks,
    node: int,
    due: Sequence[tuple[int, int, int]],
    given: Sequence[Taking],
) -> list[tuple[int, int, int, int]]:
    """Hand the free devices of each cell out; adminAccess takes any that the claim has not."""
    admin, taken = instance.claims.choice_admin, instance.devices.taken
    rows: list[tuple[int, int, int, int]] = []
    left: dict[int, list[int]] = {}
    for (p, pod, w), taking in zip(due, given, strict=True):
        site, own = stocks.views[p].local[node], set[int]()
        for b, at, many in sorted(taking.given, key=lambda entry: bool(admin[entry[0]])):
            e = int(site[at])
            devices = stocks.cells.devices(e)
            if admin[b]:
                chosen = [i for i in devices if i not in own][:many]
            elif stocks.cells.multi[e]:
                chosen = devices * many
            else:
                free = left.setdefault(e, [i for i in devices if not taken[i]])
                chosen, left[e] = free[:many], free[many:]
            if len(chosen) < many:
                raise PlanError("a pattern takes more devices than there are")
            own.update(chosen)
            rows += [(pod, w, b, i) for i in chosen]
    return rows
