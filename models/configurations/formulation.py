r"""Places that take configurations, groups in forms (paper, eq. formulation).

    mu[D, q] in Z+    places of class D that take configuration q
    t[f]     in Z+    groups (or loose pods) that are admitted in form f

    sum_q mu[D, q]           <=  m_D                          each class D  (configurations.place)
    sum_{f of size z} t[f]   <=  sum_{D, q} q_z mu[D, q]      each size z    (configurations.size)
    sum_{f of thing j} t[f]  <=  n_j         where a thing has several forms (configurations.thing)

Off (elastic): the only forms of a gang are those with just the pods that it needs.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.configurations.layout import Layout, layout_of
from gangplan.models.configurations.refuse import refuse
from gangplan.models.formulation import WHOLE, Formulation
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, Milp, RowBlock, VarBlock, row_block
from gangplan.models.milp import build as assemble
from gangplan.models.needs import Needs, needs_of
from gangplan.models.tiers import Tier, worth_of


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A written model, and what its columns stand for.

    Attributes
    ----------
    start : (D+1,) columns mu of class D are numbered start[D] .. start[D + 1] - 1.
    t : columns of the forms.
    """

    instance: Instance
    formulation: Formulation
    needs: Needs
    layout: Layout
    milp: Milp
    start: Ints
    t: VarBlock


def build(instance: Instance, formulation: Formulation = WHOLE) -> Model:
    """Write the model.

    Raises
    ------
    FormulationError : a family that configurations lack, domains that overlap, too many
        configurations, or a restriction that is switched off.
    """
    refuse(instance, formulation)
    layout = layout_of(instance, elastic=formulation.elastic)
    sizes, places = layout.sizes, layout.places
    count = np.array([len(listed) for listed in layout.configurations], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    members = np.array([len(equal) for equal in places.members], dtype=np.int64)
    cols = Columns()
    cols.add("mu", np.zeros(int(start[-1]), dtype=np.int64), np.repeat(members, count))
    t = cols.add("t", np.zeros(len(sizes.thing), dtype=np.int64), sizes.count[sizes.thing])
    rows = [
        row_block(
            "configurations.place", np.repeat(np.arange(len(count)), count),
            np.arange(int(start[-1])), 1, -np.inf, members, len(count),
        ),
        _sizes(layout, start, t),
        _things(layout, t),
    ]  # fmt: skip
    return Model(instance, formulation, needs_of(instance), layout, assemble(cols, rows), start, t)


def _sizes(layout: Layout, start: Ints, t: VarBlock) -> RowBlock:
    sizes = layout.sizes
    row, col = [sizes.size], [t.cols]
    coef = [np.ones(len(sizes.size), dtype=np.int64)]
    for first, listed in zip(start.tolist(), layout.configurations, strict=False):
        q, z = np.nonzero(listed)
        row.append(z)
        col.append(first + q)
        coef.append(-listed[q, z])
    return row_block(
        "configurations.size", np.concatenate(row), np.concatenate(col), np.concatenate(coef),
        -np.inf, 0.0, len(sizes),
    )  # fmt: skip


def _things(layout: Layout, t: VarBlock) -> RowBlock:
    thing = layout.sizes.thing
    several = np.flatnonzero(np.bincount(thing, minlength=1) > 1)
    mine = np.flatnonzero(np.isin(thing, several))
    return row_block(
        "configurations.thing", np.searchsorted(several, thing[mine]), t.cols[mine], 1,
        -np.inf, layout.sizes.count[several], len(several), several[:, None],
    )  # fmt: skip


def tier_cost(model: Model, tier: Tier) -> tuple[Floats, int]:
    """Cost (n,) and constant of a tier, to be minimised; zero for tiers that are not carried."""
    cost = np.zeros(model.milp.n_cols)
    if tier.kind not in ("admitted", "elastic"):
        return cost, 0
    worth, layout = worth_of(model.instance, tier, model.needs), model.layout
    for f, (j, pods) in enumerate(zip(layout.sizes.thing.tolist(), layout.sizes.pods, strict=True)):
        if j < len(layout.types):
            one = layout.types[j]
            paid = int(worth.group[one.groups[0]])
            paid += sum(int(worth.pod[k]) * n for k, n in zip(one.roles[0], pods, strict=True))
        else:
            paid = int(worth.pod[layout.loose[j - len(layout.types)].roles[0]])
        cost[model.t.cols[f]] = -paid
    return cost, 0
