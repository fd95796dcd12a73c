"""The textbook formulation, table of contents: x[p, n], pod p on node n.

The baseline that the paper compares with, for small instances: the rows as a textbook writes them,
and nothing that tightens them. One file a family; what couples them is visible here, as an
argument.

========  =========================================  ====================================
columns   meaning                                     index
========  =========================================  ====================================
x         a pod is on a node                          pair e = (pod, node)
y         a group gets a new pod                      group
w         something below a composite does            composite
u         the domain of a required rule               place i = (rule, domain)
q         slices in a domain                          place i = (rule, domain)
z         a pod holds a device                        (pair, device)
v         a domain that a preferred rule uses         place i = (rule, domain)
o         an intact device node that is opened        node
alloc     a claim of devices is allocated             claim
pick      a choice serves its request                 (claim, choice)
give      devices that serve a choice                 (claim, choice, device)
lead      the node a claim is allocated on            (claim, node)
value     the value of a matchAttribute rule          (claim, rule, value)
open      a device that may be shared is in use       device
late      rank of the choice that serves a request    (claim, request)
e         a unit falls                                unit
whole     all that runs of a group, a composite falls group, composite
s         slices that leave a domain                  (rule, domain)
f         what a holding has is nobody's              holding
viol      victims beyond a disruption budget          (budget, priority)
========  =========================================  ====================================

Off means what it means in the counts formulation: a restriction (assign, capacity, gang, topology,
hierarchy, shares, claims) leaves its rows out, a freedom (elastic, preemption) is taken away, a
cost (rank, preferred, fragmentation) is none.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.assignment import (
    allocation,
    assign,
    capacity,
    elastic,
    falling,
    fragmentation,
    gang,
    hierarchy,
    preemption,
    preferred,
    shares,
    slices,
    topology,
)
from gangplan.models.assignment.allocation import Allocating
from gangplan.models.assignment.falling import Falling
from gangplan.models.assignment.pairs import Pairs, pairs_of
from gangplan.models.assignment.places import Places, places_of
from gangplan.models.assignment.shares import Holds
from gangplan.models.formulation import WHOLE, Formulation
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, Milp, RowBlock, VarBlock
from gangplan.models.milp import build as assemble
from gangplan.models.needs import Needs, needs_of
from gangplan.models.tiers import Tier, worth_of
from gangplan.models.topology import PREFERRED


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A written model: the rows, and what its columns stand for.

    Attributes
    ----------
    milp : zero cost; ``tier_cost`` gives the costs.
    x : (E,) columns of ``pairs``.
    y, w : (G,) and (H,) columns.
    u, q, v : columns of the places ``whole``, ``sliced`` and ``soft``.
    z : columns of ``holds``.
    o : columns of ``opened``, node numbers.
    claims : all that belongs to claims of devices.
    falls : all that belongs to running work that can fall.
    """

    instance: Instance
    formulation: Formulation
    needs: Needs
    pairs: Pairs
    whole: Places
    sliced: Places
    soft: Places
    holds: Holds
    opened: Ints
    milp: Milp
    x: VarBlock
    y: VarBlock
    w: VarBlock
    u: VarBlock
    q: VarBlock
    z: VarBlock
    v: VarBlock
    o: VarBlock
    claims: Allocating
    falls: Falling


def build(instance: Instance, formulation: Formulation = WHOLE) -> Model:
    """Write the model.

    Raises
    ------
    FormulationError : a quantity above 2^40 after scaling.
    """
    on, rules = formulation, instance.rules
    needs = needs_of(instance)
    pairs = pairs_of(
        instance, eligible=on.assign, fit=on.capacity, rules=on.topology, preemption=on.preemption
    )
    whole = _places(instance, pairs, rules.is_whole() & on.topology)
    sliced = _places(instance, pairs, (rules.slice > 0) & on.topology)
    soft = _places(instance, pairs, (rules.mode == PREFERRED) & on.preferred)
    none = np.zeros(0, dtype=np.int64)
    holds = shares.holds_of(instance, pairs) if on.shares else Holds(none, none)
    opening = fragmentation.opening(instance, pairs) if on.fragmentation else none

    cols = Columns()
    x = assign.columns(pairs, cols)
    y = gang.columns(instance, needs, pairs, cols, on=on.gang)
    w = hierarchy.columns(instance, needs, cols, on=on.hierarchy)
    u = topology.columns(whole, cols)
    q = slices.columns(instance, sliced, cols)
    z = shares.columns(holds, cols)
    v = preferred.columns(soft, cols)
    o, opened = fragmentation.columns(pairs, opening, cols)
    claims = allocation.columns(instance, pairs, cols, on)
    falls = falling.columns(instance, cols, on)
    able = np.concatenate(cols.upper) > 0

    rows: list[RowBlock] = assign.rows(pairs, x)
    rows += gang.rows(instance, needs, pairs, x, y, able[y.cols], on=on.gang)
    rows += hierarchy.rows(instance, needs, y, w, able[w.cols], on=on.hierarchy)
    if on.capacity:
        rows += capacity.rows(instance, pairs, falls, x)
    if not on.elastic:
        rows += elastic.rows(instance, needs, pairs, x, y)
    if on.topology:
        rows += topology.rows(pairs, whole, x, u)
        rows += slices.rows(instance, sliced, x, y, q)
    if on.shares:
        rows += shares.rows(instance, pairs, holds, x, z)
    if on.preferred:
        rows += preferred.rows(instance, pairs, soft, x, v, owner_columns(y, w))
    if on.fragmentation:
        rows += fragmentation.rows(pairs, opening, x, o, opened)
    rows += allocation.rows(instance, pairs, x, claims, falls, on)
    rows += preemption.rows(instance, needs, pairs, falls, x, owner_columns(y, w))
    milp = assemble(cols, rows)
    return Model(
        instance, on, needs, pairs, whole, sliced, soft, holds, opened, milp, x, y, w, u, q, z, v,
        o, claims, falls,
    )  # fmt: skip


def tier_cost(model: Model, tier: Tier) -> tuple[Floats, int]:
    """Cost (n,) and offset of a tier, to be minimised: a maximised tier is negated.

    The tier's exact value for an encoded plan is ``cost @ x + offset``, negated where
    ``tier.maximise``. All zero where the tier's family is off.
    """
    instance, cost = model.instance, np.zeros(model.milp.n_cols)
    if tier.kind == "fragmentation":
        cost[model.o.cols] = 1
        return cost, 0
    if tier.kind == "lost":
        falling.add_cost(instance, model.falls, tier, cost)
        return cost, 0
    if tier.kind == "rank":
        cost[model.claims.late.cols] = 1
        return cost, 0
    if tier.kind == "preferred":
        cost[model.v.cols] = 1
        owner = instance.rules.owner[np.unique(model.soft.rule)]
        np.add.at(cost, owner_columns(model.y, model.w)[owner], -1)
        return cost, 0
    worth = worth_of(instance, tier, model.needs)
    cost[model.x.cols] = -worth.pod[model.pairs.role]
    cost[model.y.cols] = -worth.group
    cost[model.w.cols] = -worth.composite
    # What no plan can admit costs nothing; its minimum may be any number.
    cost[model.milp.upper == 0] = 0
    return cost, 0


def owner_columns(y: VarBlock, w: VarBlock) -> Ints:
    """(G + H,) the column that says whether a rule's owner gets pods."""
    return np.concatenate([y.cols, w.cols])


def _places(instance: Instance, pairs: Pairs, chosen: Flags) -> Places:
    return places_of(instance, pairs, np.flatnonzero(chosen))
