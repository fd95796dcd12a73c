"""From devices by name to counts of options: the inverse of claim_decode.py."""

from collections import Counter, defaultdict

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.counts.claim_columns import Claimed
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan

Units = Counter[tuple[int, int]]
"""(choice, cell) -> devices."""


def encode_claims(instance: Instance, d: Claimed, point: Ints, plan: Plan) -> None:
    """Fill b, its entries and open from the devices that the plan names, in place.

    Raises
    ------
    PlanError : a claim holds devices that no option gives it.
    """
    if d.options is None:
        return
    finder = _Finder(instance, d)
    for (pod, claim), units in _held(instance, d, plan).items():
        if pod >= 0:
            spec, key = int(instance.claims.own_spec[claim]), (-1, int(plan.node[pod]))
            nodes: frozenset[int] = frozenset()
        else:
            spec, key = int(instance.claims.shared_spec[claim]), (claim, -1)
            users = instance.claims.user_role[instance.claims.user_shared == claim]
            placed = np.isin(instance.pod_role, users) & (plan.node >= 0)
            nodes = frozenset(plan.node[placed].tolist())
        for part in d.options.of_spec[spec]:
            choices = set(d.options.parts[part].choices)
            mine = Counter({unit: many for unit, many in units.items() if unit[0] in choices})
            option = finder.find((part, *key), mine, nodes, point)
            if option < 0:
                raise PlanError(
                    f"{_name(instance, pod, claim)}: no option gives it the devices it holds"
                )
            point[d.b.cols[option]] += 1
            for unit, many in mine.items():
                entry = finder.entries(option)[unit]
                if not d.table.entry_fixed[entry]:
                    point[d.col[entry]] += many
    used = np.zeros(len(d.cells), dtype=np.bool_)
    given = plan.allocations
    real = ~instance.claims.choice_admin[given.choice]
    used[d.cells.of[given.device[real]]] = True
    point[d.open.cols] = used[d.open.index[:, 0]]


def _held(instance: Instance, d: Claimed, plan: Plan) -> dict[tuple[int, int], Units]:
    given = plan.allocations
    held: dict[tuple[int, int], Units] = defaultdict(Counter)
    claims = instance.claims
    for pod in np.flatnonzero(np.isin(instance.pod_role, claims.own_role) & (plan.node >= 0)):
        for w in claims.own_of(int(instance.pod_role[pod])):
            held[int(pod), w] = Counter()
    cell = d.cells.of[given.device]
    for pod, claim, choice, e in zip(
        given.pod.tolist(), given.claim.tolist(), given.choice.tolist(), cell.tolist(), strict=True
    ):
        held[pod, claim][choice, e] += 1
    return held


def _name(instance: Instance, pod: int, claim: int) -> str:
    names = instance.names
    return f"{names.pods[pod]}: claim {names.own[claim]}" if pod >= 0 else names.shared[claim]


class _Finder:
    """Finds the option that gives a claim its devices."""

    def __init__(self, instance: Instance, d: Claimed) -> None:
        self._d = d
        table = d.table
        self._at: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        keys = zip(table.part.tolist(), table.claim.tolist(), table.node.tolist(), strict=True)
        for o, key in enumerate(keys):
            self._at[key].append(o)
        self._entries: dict[int, dict[tuple[int, int], int]] = {}

    def entries(self, option: int) -> dict[tuple[int, int], int]:
        """(choice, cell) -> entry."""
        if option not in self._entries:
            table = self._d.table
            demands = np.searchsorted(table.demand_option, [option, option + 1])
            mine = range(*np.searchsorted(table.entry_demand, demands).tolist())
            self._entries[option] = {
                (int(table.demand_choice[table.entry_demand[y]]), int(table.entry_cell[y])): y
                for y in mine
            }
        return self._entries[option]

    def find(
        self, key: tuple[int, int, int], units: Units, nodes: frozenset[int], point: Ints
    ) -> int:
        """Return an option at the site that serves the nodes and gives the devices; -1: none."""
        table = self._d.table
        for o in self._at[key]:
            if self._d.most[o] <= point[self._d.b.cols[o]]:
                continue
            entries = self.entries(o)
            if not all(unit in entries for unit in units):
                continue
            first, last = np.searchsorted(table.demand_option, [o, o + 1])
            need = dict(
                zip(
                    table.demand_choice[first:last].tolist(),
                    table.demand_count[first:last].tolist(),
                    strict=True,
                )
            )
            have: Counter[int] = Counter()
            for (choice, _), many in units.items():
                have[choice] += many
            start, end = np.searchsorted(table.cover_option, [o, o + 1])
            if dict(have) == need and nodes <= set(table.cover_node[start:end].tolist()):
                return o
        return -1
