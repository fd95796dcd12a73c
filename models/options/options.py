"""Options: every way to serve a part of a claim, at every site; flat columns.

Options of own claims are by (part, node), those of shared claims by (claim, part, site).
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.claims import ALL
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance
from gangplan.models.once import once
from gangplan.models.options.cells import Cells, cells_of
from gangplan.models.options.forms import NO_OPTIONS as NO_OPTIONS
from gangplan.models.options.forms import Stack, form_of
from gangplan.models.options.parts import Part, parts_of
from gangplan.models.options.sites import (
    View,
    asked_counts,
    crossings,
    grouped,
    node_cells,
    view_of,
)
from gangplan.models.options.table import Table as Table
from gangplan.models.options.ways import ways_of


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
    usable : (K, N) nodes that pods of a role may go to; by default, as ``can_use`` of the instance
        without the units that can fall. Devices are those that are free then.

    Raises
    ------
    FormulationError : more ways to serve a claim than can be written.
    """
    return _anywhere(instance) if usable is None else _options(instance, usable)


@once
def _anywhere(instance: Instance) -> Options:
    return _options(instance, loosened(instance).can_use)


def _options(instance: Instance, usable: Flags) -> Options:
    claims = instance.claims
    cells, parts = cells_of(instance), parts_of(claims)
    of_spec = tuple(
        tuple(p for p, part in enumerate(parts) if part.spec == s) for s in range(claims.n_specs)
    )
    own = np.zeros((claims.n_specs, len(instance.nodes)), dtype=np.bool_)
    np.logical_or.at(own, claims.own_spec, usable[claims.own_role])
    users = np.zeros((claims.n_shared, len(instance.nodes)), dtype=np.bool_)
    np.logical_or.at(users, claims.user_shared, usable[claims.user_role])
    asked = asked_counts(instance, cells)
    stack = Stack()
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
            form = form_of(instance, ways)
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
    stack: Stack,
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
            cover = row, node, anchor[node]
            stack.add(form_of(instance, [way]), p, table, c, np.full(len(c), -1), cover)


def _name(instance: Instance, part: Part) -> str:
    names = [instance.names.choices[request[0]].split("/")[0] for request in part.requests]
    return f"claims with request {', '.join(names)}"
