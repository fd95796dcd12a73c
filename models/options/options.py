"""Options: every way to serve a part of a claim, at every site; flat columns.

Options of own claims are by (part, node), those of shared claims by (claim, part, site).
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.claims import ALL
from gangplan.models.instance import Instance
from gangplan.models.options.cells import Cells, cells_of
from gangplan.models.options.parts import Part, parts_of
from gangplan.models.options.sites import (
    View,
    asked_counts,
    crossings,
    grouped,
    node_cells,
    view_of,
)
from gangplan.models.options.ways import Way, ways_of


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Options o and what belongs to each; every table is sorted by its first column.

    Attributes
    ----------
    part, claim, node : (O,) part number; shared claim c, or -1; node of an own claim, or -1.
    rank : (O,) ranks of its choices together.
    single : (O,) caps overlap: written once a pod.
    demand_option, demand_choice, demand_count : devices that a choice needs.
    entry_demand, entry_cell, entry_fixed : cells that may serve a demand; ``fixed`` > 0: exactly so
        many devices.
    cap_option, cap_bound : see `Cap`.
    member_cap, member_entry, member_weight : entries under a cap.
    cover_option, cover_node : nodes that an option of a shared claim serves.
    cover_anchor : 1 where the node reaches just those devices that the option's ALL choices take:
        one user at least has to be on such a node. 0 elsewhere.
    """

    part: Ints
    claim: Ints
    node: Ints
    rank: Ints
    single: Flags
    demand_option: Ints
    demand_choice: Ints
    demand_count: Ints
    entry_demand: Ints
    entry_cell: Ints
    entry_fixed: Ints
    cap_option: Ints
    cap_bound: Ints
    member_cap: Ints
    member_entry: Ints
    member_weight: Ints
    cover_option: Ints
    cover_node: Ints
    cover_anchor: Ints

    def __len__(self) -> int:
        """Return the number of options O."""
        return len(self.part)

    @property
    def entry_option(self) -> Ints:
        """(Y,) option of each entry."""
        return self.demand_option[self.entry_demand]

    @property
    def entry_choice(self) -> Ints:
        """(Y,) choice of each entry."""
        return self.demand_choice[self.entry_demand]

    def take(self, which: Ints) -> "Table":
        """Return the options ``which``, in that order; repeats are copies."""
        demand, demand_of = _rows(self.demand_option, which, len(self))
        entry, entry_of = _rows(self.entry_demand, demand, len(self.demand_option))
        cap, cap_of = _rows(self.cap_option, which, len(self))
        member, member_of = _rows(self.member_cap, cap, len(self.cap_option))
        cover, cover_of = _rows(self.cover_option, which, len(self))
        # Entries of one copy follow each other, as those of its original do.
        first_old = np.searchsorted(self.entry_option, np.arange(len(self)), side="left")
        first_new = np.searchsorted(demand_of[entry_of], np.arange(len(which)), side="left")
        at = cap_of[member_of]
        shift = first_new[at] - first_old[which[at]]
        return Table(
            self.part[which], self.claim[which], self.node[which], self.rank[which],
            self.single[which],
            demand_of, self.demand_choice[demand], self.demand_count[demand],
            entry_of, self.entry_cell[entry], self.entry_fixed[entry],
            cap_of, self.cap_bound[cap],
            member_of, self.member_entry[member] + shift, self.member_weight[member],
            cover_of, self.cover_node[cover], self.cover_anchor[cover],
        )  # fmt: skip


def _rows(owner: Ints, which: Ints, n: int) -> tuple[Ints, Ints]:
    """Rows of ``owner`` (sorted) that belong to ``which``, and the new owner of each."""
    start = np.searchsorted(owner, np.arange(n + 1))
    count = start[which + 1] - start[which]
    new = np.repeat(np.arange(len(which)), count)
    first = np.cumsum(count) - count
    row = np.arange(int(count.sum())) - first[new] + start[which][new]
    return row.astype(np.int64), new.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Options:
    """All options of an instance.

    Attributes
    ----------
    cells : the cells.
    parts : parts of all specs; ``of_spec`` (S,) their numbers.
    table : the options.
    """

    cells: Cells
    parts: tuple[Part, ...]
    of_spec: tuple[tuple[int, ...], ...]
    table: Table


def options_of(instance: Instance, usable: Flags | None = None) -> Options:
    """Find the options.

    Parameters
    ----------
    usable : (K, N) nodes that pods of a role may go to; by default, as ``instance.can_use``.

    Raises
    ------
    FormulationError : more ways to serve a claim than can be written.
    """
    claims = instance.claims
    usable = instance.can_use if usable is None else usable
    cells, parts = cells_of(instance), parts_of(claims)
    of_spec = tuple(
        tuple(p for p, part in enumerate(parts) if part.spec == s) for s in range(claims.n_specs)
    )
    own = np.zeros((claims.n_specs, len(instance.nodes)), dtype=np.bool_)
    np.logical_or.at(own, claims.own_spec, usable[claims.own_role])
    users = np.zeros((claims.n_shared, len(instance.nodes)), dtype=np.bool_)
    np.logical_or.at(users, claims.user_shared, usable[claims.user_role])
    asked = asked_counts(instance, cells)
    stack = _Stack()
    for p, part in enumerate(parts):
        shared = np.flatnonzero(claims.shared_spec == part.spec)
        shared = shared[users[shared].any(axis=1)]
        if not own[part.spec].any() and not len(shared):
            continue
        view = view_of(instance, cells, part)
        name = _name(instance, part)
        lists = node_cells(instance, cells, view)
        near = np.array([len(one) > 0 for one in view.local], dtype=np.bool_)
        wanted = np.flatnonzero(own[part.spec] | (near & users[shared].any(axis=0)))
        barred = claims.barred[part.choices]
        marks = [
            frozenset(b for b, no in zip(part.choices, column, strict=True) if no)
            for column in barred[:, wanted].T.tolist()
        ]
        for bars, at in grouped(view, [lists[n] for n in wanted], marks):
            nodes = wanted[at]
            ways = ways_of(claims, part, view.sight(lists[nodes[0]]), bars, name)
            form = _form(instance, ways)
            table = np.array([lists[n] for n in nodes])
            mine = np.flatnonzero(own[part.spec, nodes])
            stack.add(form, p, table[mine], np.full(len(mine), -1), nodes[mine])
            c, mine = np.nonzero(users[shared][:, nodes] & near[nodes])
            cover = np.arange(len(c)), nodes[mine], np.ones(len(c), dtype=np.int64)
            stack.add(form, p, table[mine], shared[c], np.full(len(c), -1), cover)
        if len(shared) and len(view.far):
            _far(instance, cells, view, p, shared, users, asked, stack, name)
    return Options(cells, parts, of_spec, stack.table())


def _far(
    instance: Instance,
    cells: Cells,
    view: View,
    p: int,
    shared: Ints,
    users: Flags,
    asked: Ints,
    stack: "_Stack",
    name: str,
) -> None:
    """Options of shared claims on intersections of zones."""
    claims = instance.claims
    for crossing in crossings(instance, cells, view, name):
        sights = view.sight(crossing.cells)
        ways = ways_of(claims, view.part, sights, frozenset(), name)
        for way in ways:
            nodes = crossing.nodes.copy()
            anchor = np.ones(len(nodes), dtype=np.int64)
            for at, (b, _) in enumerate(way.choices):
                nodes &= ~claims.barred[b]
                if claims.choice_count[b] == ALL:
                    whole = sum(n for place, _, n in way.entries if place == at)
                    anchor &= asked[b] == whole
            mine = users[shared] & nodes
            c = shared[mine.any(axis=1)]
            row, node = np.nonzero(mine[mine.any(axis=1)])
            table = np.repeat(crossing.cells[None, :], len(c), axis=0)
            stack.add(
                _form(instance, [way]), p, table, c, np.full(len(c), -1), (row, node, anchor[node])
            )


def _name(instance: Instance, part: Part) -> str:
    names = [instance.names.choices[request[0]].split("/")[0] for request in part.requests]
    return f"claims with request {', '.join(names)}"


@dataclass(frozen=True, slots=True, eq=False)
class _Form:
    """Ways as columns; cells are numbered as they stand at a site."""

    n: int
    columns: dict[str, Ints]


def _form(instance: Instance, ways: Sequence[Way]) -> _Form:
    rank = instance.claims.rank
    table: dict[str, list[int]] = {
        f.name: [] for f in fields(Table) if f.name not in ("part", "claim", "node")
    }
    for w, way in enumerate(ways):
        d, y = len(table["demand_option"]), len(table["entry_demand"])
        table["rank"].append(sum(int(rank[b]) for b, _ in way.choices))
        table["single"].append(way.single)
        for b, count in way.choices:
            table["demand_option"].append(w)
            table["demand_choice"].append(b)
            table["demand_count"].append(count)
        for at, e, fixed in way.entries:
            table["entry_demand"].append(d + at)
            table["entry_cell"].append(e)
            table["entry_fixed"].append(fixed)
        for cap in way.caps:
            c = len(table["cap_option"])
            table["cap_option"].append(w)
            table["cap_bound"].append(cap.bound)
            for entry, weight in zip(cap.entries, cap.weights, strict=True):
                table["member_cap"].append(c)
                table["member_entry"].append(y + entry)
                table["member_weight"].append(weight)
    return _Form(len(ways), {k: np.array(v, dtype=np.int64) for k, v in table.items()})


class _Stack:
    """Copies forms to sites, and puts them behind one another."""

    def __init__(self) -> None:
        self.columns: dict[str, list[Ints]] = {
            f.name: [np.zeros(0, dtype=np.int64)] for f in fields(Table)
        }
        self.count = dict.fromkeys(("option", "demand", "entry", "cap"), 0)

    def add(
        self,
        form: _Form,
        part: int,
        cells: Ints,
        claim: Ints,
        node: Ints,
        cover: tuple[Ints, Ints, Ints] | None = None,
    ) -> None:
        """Copy a form to sites.

        Parameters
        ----------
        cells : (m, L) cells of each site. claim, node : (m,) what the options are for.
        cover : positions of sites (sorted), nodes that they serve, and which of these are anchors.
        """
        m, c = len(cells), form.columns
        if not m or not form.n:
            return
        size = {"option": form.n, "demand": len(c["demand_option"]),
                "entry": len(c["entry_demand"]), "cap": len(c["cap_option"])}  # fmt: skip
        put = self.columns
        put["part"].append(np.full(m * form.n, part))
        put["claim"].append(np.repeat(claim, form.n))
        put["node"].append(np.repeat(node, form.n))
        for name in ("rank", "single", "demand_choice", "demand_count", "entry_fixed", "cap_bound",
                     "member_weight"):  # fmt: skip
            put[name].append(np.tile(c[name], m))
        for name, of in (("demand_option", "option"), ("entry_demand", "demand"),
                         ("cap_option", "option"), ("member_cap", "cap"),
                         ("member_entry", "entry")):  # fmt: skip
            start = self.count[of] + size[of] * np.arange(m)
            put[name].append((start[:, None] + c[name][None, :]).ravel())
        put["entry_cell"].append(cells[:, c["entry_cell"]].ravel())
        if cover is not None:
            option, row = _rows(cover[0], np.repeat(np.arange(m), form.n), m)
            put["cover_option"].append(self.count["option"] + row)
            put["cover_node"].append(cover[1][option])
            put["cover_anchor"].append(cover[2][option])
        for of in self.count:
            self.count[of] += m * size[of]

    def table(self) -> Table:
        """Return what was added."""
        whole = {k: np.concatenate(v).astype(np.int64) for k, v in self.columns.items()}
        single = whole.pop("single").astype(np.bool_)
        return Table(single=single, **whole)


NO_OPTIONS = _Stack().table()
