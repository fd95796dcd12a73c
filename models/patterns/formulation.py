r"""Nodes that take patterns, groups that take slots (paper, eq. formulation).

    lambda[c, p] in Z+      nodes of class c that take pattern p
    t[j, v]      in Z+      groups of type j that are admitted at vertex v
    x[j, k, v]   in Z+      pods of role k of those groups, where least_k < most_k
    z[l]         in Z+      loose pods
    e[v]         in {0, 1}  unit v falls: leaving.py has its rows
    f[v, s]      in Z+      slots of shape s that v hands up to its parent

    sum_p lambda[c, p]  <=  m_c            each class c                           (patterns.class)
    f[v, s] + sum_{j, k of s} pods[j, k, v] + sum_{l of s at v} z[l]
        <=  sum_{c at v, p} p_s lambda[c, p] + sum_{u below v} f[u, s]
                                           each v and s                           (patterns.supply)
    sum_v t[j, v]     <=  n_j              where v can be several                  (patterns.type)
    x[j, k, v]        >=  least_k t[j, v]                                           (patterns.least)
    x[j, k, v]        <=  most_k t[j, v]                                            (patterns.most)
    sum_k x[j, k, v]  >=  need_j t[j, v]   where the roles do not imply it        (patterns.minimum)

pods[j, k, v] is x[j, k, v], or most_k t[j, v] for a role without a choice. Off (elastic): most is
what is needed: patterns.minimum is an equality. Groups that are split into slices have columns and
rows of their own: slices.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.formulation import WHOLE, Formulation
from gangplan.models.gone import without_units
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, Milp, VarBlock
from gangplan.models.milp import build as assemble
from gangplan.models.needs import Needs, needs_of
from gangplan.models.patterns import leaving, serving, together
from gangplan.models.patterns import rows as written
from gangplan.models.patterns import slices as split
from gangplan.models.patterns.blocks import columns
from gangplan.models.patterns.layout import layout_of
from gangplan.models.patterns.leaving import Leaving
from gangplan.models.patterns.refuse import refuse
from gangplan.models.patterns.slices import Slices
from gangplan.models.patterns.supply import slots_below
from gangplan.models.shapes.classes import Classes
from gangplan.models.shapes.shapes import Shapes
from gangplan.models.shapes.tree import Tree
from gangplan.models.shapes.types import Loose, Type, types_of
from gangplan.models.tiers import Tier, worth_of

Chosen = Sequence[Ints]
"""Which patterns of each class."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A written model, and what its columns stand for.

    Attributes
    ----------
    classes : their patterns are those that have a column.
    start : (C+1,) columns lambda of class c are numbered start[c] .. start[c + 1] - 1.
    option : (O, 2) type and vertex of each column of ``t``.
    part : (Q, 2) option and role (its place in the type) of each column of ``x``.
    flow : (F, 2) vertex and shape of each column of ``f``.
    slot : (U, 2) vertex and shape of each row of patterns.supply.
    leaving : the columns of units; None where nobody can fall, or preemption is off.
    together : kinds of domains; none where nobody can fall.
    serving : the columns ev; None where nobody can fall, or many groups wait.
    """

    instance: Instance
    formulation: Formulation
    needs: Needs
    shapes: Shapes
    tree: Tree
    classes: Classes
    types: tuple[Type, ...]
    loose: tuple[Loose, ...]
    milp: Milp
    start: Ints
    option: Ints
    part: Ints
    flow: Ints
    t: VarBlock
    x: VarBlock
    z: VarBlock
    f: VarBlock
    slot: Ints
    slices: Slices
    leaving: Leaving | None
    together: tuple[together.Kind, ...]
    serving: serving.Serving | None


def build(
    instance: Instance, formulation: Formulation = WHOLE, chosen: Chosen | None = None
) -> Model:
    """Write the model.

    Parameters
    ----------
    chosen : numbers of the patterns of each class that become columns, ascending; all by default.
        Rows and all other columns do not depend on it.

    Raises
    ------
    FormulationError : a family that patterns lack, levels that cross, too many patterns, or a
        restriction that is switched off.
    """
    refuse(instance, formulation)
    seen = instance if formulation.preemption else without_units(instance)
    needs = needs_of(seen)
    layout = layout_of(seen)
    shapes, tree, classes = layout.shapes, layout.tree, layout.classes
    slots = slots_below(shapes, tree, classes)
    if chosen is not None:
        classes = classes.only(chosen)
    types, loose = types_of(seen, needs, shapes, tree, slots, elastic=formulation.elastic)
    cols = Columns()
    blocks = columns(classes, types, loose, tree, slots, cols)
    start, option, t = blocks.start, blocks.option, blocks.t
    slices = split.columns(types, option, tree, slots, cols)
    falls = leaving.columns(seen, cols)
    meet: tuple[together.Kind, ...] = ()
    ev: serving.Serving | None = None
    if falls is not None:
        meet = together.columns(types, option, shapes, tree, layout.classes, cols)
        ev = serving.columns(types, loose, option, tree, layout.classes, cols)
    supply = written.supply(tree, classes, types, loose, blocks, slices)
    assert supply.about is not None  # vertex and shape
    rows = [
        written.classes(classes, start),
        supply,
        *written.types(types, blocks, elastic=formulation.elastic),
        *split.rows(types, option, tree, t, slices, elastic=formulation.elastic),
    ]
    if falls is not None:
        rows += leaving.rows(seen, falls, classes, start, types, option, t)
        rows += together.rows(meet, option, t)
        if ev is not None:
            rows += serving.rows(ev, falls, option, t, classes, start)
    return Model(
        instance, formulation, needs, shapes, tree, classes, types, loose,
        assemble(cols, rows), start, option, blocks.part, blocks.flow, t, blocks.x, blocks.z,
        blocks.f, supply.about, slices, falls, meet, ev,
    )  # fmt: skip


def tier_cost(model: Model, tier: Tier) -> tuple[Floats, int]:
    """Cost (n,) and constant of a tier, to be minimised; zero for tiers that are not carried."""
    if tier.kind == "lost":
        return leaving.cost(model.instance, model.leaving, tier, model.milp.n_cols), 0
    cost = np.zeros(model.milp.n_cols)
    if tier.kind not in ("admitted", "elastic"):
        return cost, 0
    worth = worth_of(model.instance, tier, model.needs)
    paid = [
        int(worth.group[one.groups[0]])
        + sum(int(worth.pod[k]) * one.most[i] for i, k in enumerate(one.roles[0]) if one.follows(i))
        for one in model.types
    ]
    cost[model.t.cols] = -np.array(paid, dtype=np.float64)[model.option[:, 0]]
    for q, (o, i) in enumerate(model.part.tolist()):
        k = model.types[int(model.option[o, 0])].roles[0][i]
        cost[model.x.cols[q]] = -int(worth.pod[k])
    for column, (o, i, _) in zip(
        model.slices.y.cols.tolist(), model.slices.cell.tolist(), strict=True
    ):
        cost[column] = -int(worth.pod[model.types[int(model.option[o, 0])].roles[0][i]])
    for at, one_loose in enumerate(model.loose):
        cost[model.z.cols[at]] = -int(worth.pod[one_loose.roles[0]])
    return cost, 0
