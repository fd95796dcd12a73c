"""The counts formulation, table of contents: x[k, n] pods of role k on node n.

One file a family; each reads like the paper's equations and knows no other family. What couples
them is visible here, as an argument.

========  =========================================  ====================================
columns   meaning                                     index
========  =========================================  ====================================
x         pods of a role on a node                    eligible pair e = (role, node)
y         a gang is admitted                          gangs that do not stand
w         a composite is admitted                     composites that do not stand
p         an owner gets any pod (placing.py)          standing or basic owners, where asked
u         the domain of a required rule               (rule, domain)
q         slices in a domain                          (rule, domain)
z, h      shares on a device; a device held whole     (share, device); device
e         a unit falls (preemption.py)                running unit that can
w, s      all of an owner falls; slices that leave    owner; (rule, domain)
viol      victims that a budget does not allow        (budget, priority)
ev        part of a fall that serves an owner         (unit, rule, domain)
m, f      lacking room is made; a holding is free     (node, priority, resource); holding
b, open   claims that take an option; shared device   option; cell
late      ranks that claims take                      part of a spec
v         a domain that a preferred rule pays for     (rule, place)
o         an intact device node that is opened        node
========  =========================================  ====================================

Restriction families (assign, capacity, gang, topology, hierarchy, shares, claims): off grows the
feasible set. Freedoms: elastic, off, takes the pods beyond the minimum away; preemption, off, lets
nobody fall. Cost families (rank, preferred, fragmentation): off, their tier costs nothing.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.counts import (
    assign,
    capacity,
    claims,
    costs,
    domains,
    elastic,
    fragmentation,
    gang,
    hierarchy,
    holdings,
    kept,
    losses,
    placing,
    preemption,
    preferred,
    rank,
    serving,
    shares,
    slices,
    topology,
)
from gangplan.models.counts.claim_columns import Claimed
from gangplan.models.counts.device_room import with_devices_as_room
from gangplan.models.counts.indexed import Indexed, nothing
from gangplan.models.counts.pairs import Pairs, pairs_of
from gangplan.models.counts.preemption import Evictions
from gangplan.models.counts.preferred import Places
from gangplan.models.counts.serving import Serving
from gangplan.models.counts.shares import Devices
from gangplan.models.counts.sizes import Sizes, sizes_of
from gangplan.models.counts.slices import Slices
from gangplan.models.formulation import FAMILIES as FAMILIES
from gangplan.models.formulation import WHOLE
from gangplan.models.formulation import Formulation as Formulation
from gangplan.models.gone import loosened, without_units
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, Milp, RowBlock, VarBlock
from gangplan.models.milp import build as assemble
from gangplan.models.needs import Needs, needs_of
from gangplan.models.options.options import options_of
from gangplan.models.tiers import Tier


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A written model: the rows, and what its columns stand for.

    Attributes
    ----------
    milp : zero cost; ``tier_cost`` gives the costs.
    seen : the instance that the rows were written from: without units where preemption is off.
    needs, sizes, pairs : what the rows were written from.
    x : (E,) columns of the pairs.
    y, w, p, u, o : columns by group, composite, owner, (rule, domain), node.
    slices, devices, claimed, places : q; z and h; b, its entries and open; v.
    late : columns by part.
    evictions, viol, serving, made, f : e, w and s; and what each is named for above.
    owner_column : (G + H,) the yes/no column (y, w or p) of a rule's owner; -1 where there is none.
    """

    instance: Instance
    formulation: Formulation
    seen: Instance
    needs: Needs
    sizes: Sizes
    pairs: Pairs
    milp: Milp
    x: VarBlock
    y: Indexed
    w: Indexed
    p: Indexed
    u: Indexed
    slices: Slices
    devices: Devices
    claimed: Claimed
    late: Indexed
    places: Places
    o: Indexed
    evictions: Evictions
    viol: Indexed
    serving: Serving
    made: Indexed
    f: Indexed
    owner_column: Ints


def build(instance: Instance, formulation: Formulation = WHOLE) -> Model:
    """Write the model.

    Raises
    ------
    FormulationError : a quantity above 2^40 after scaling.
    """
    on, asked_for = formulation, instance
    instance = instance if on.preemption else without_units(instance)
    needs = needs_of(instance)
    sizes = sizes_of(instance, needs, minima=on.gang, children=on.hierarchy, elastic=on.elastic)
    options = None
    if on.claims and instance.claims:
        options = options_of(instance, None if on.assign and on.capacity else _anywhere(instance))
    pairs = pairs_of(
        instance, sizes, eligible=on.assign, fit=on.capacity, devices=on.shares, rules=on.topology,
        options=options,
    )  # fmt: skip
    tree = hierarchy.tree_of(instance, needs, sizes, pairs, on=on.hierarchy)

    cols = Columns()
    x = assign.columns(pairs, cols)
    y = gang.columns(sizes, pairs, cols)
    w = hierarchy.columns(sizes, tree, cols, on=on.hierarchy)
    p = placing.columns(instance, sizes, pairs, _asked(instance, on), cols)
    u = topology.columns(instance, pairs, cols) if on.topology else nothing("u", 2)
    q = slices.columns(instance, sizes, pairs, cols) if on.topology else slices.none()
    d = shares.columns(instance, pairs, cols) if on.shares else shares.none()
    b = claims.columns(instance, options, sizes, pairs, cols)
    late = rank.columns(b, cols) if on.rank and options is not None else nothing("late", 1)
    v = preferred.columns(instance, sizes, pairs, cols) if on.preferred else preferred.none()
    o = fragmentation.columns(instance, pairs, cols) if on.fragmentation else nothing("o", 1)
    a = _owner_column(instance, y, w, p)
    said = topology.covered(instance, u)
    falls = preemption.columns(instance, cols)
    viol = losses.columns(instance, cols)
    f = holdings.columns(instance, falls.e, cols, on=options is not None)
    falling = falls.e if on.capacity else nothing("e", 1)
    back = capacity.room_of(instance, falling)
    wide = with_devices_as_room(instance, f)
    given = capacity.room_of(wide, falling)
    ev = serving.columns(wide, pairs, u, falls.e, given, cols)
    made = kept.columns(instance, pairs, back, cols)

    rows: list[RowBlock] = assign.rows(instance, sizes, pairs, x, said)
    rows += gang.rows(instance, sizes, pairs, x, y, said)
    rows += placing.rows(instance, sizes, pairs, x, p)
    rows += hierarchy.rows(instance, sizes, pairs, tree, x, y, w, on=on.hierarchy)
    if on.capacity:
        rows += capacity.rows(instance, pairs, x, back, made)
    if not on.elastic:
        rows += elastic.rows(instance, sizes, pairs, x, y)
    if on.topology:
        rows += topology.rows(instance, sizes, pairs, x, u, a)
        rows += slices.rows(instance, pairs, x, q, a)
    if on.shares:
        rows += shares.rows(instance, pairs, x, d)
    if options is not None:
        rows += claims.rows(instance, sizes, pairs, x, b, a, f)
        rows += rank.rows(b, late) if on.rank else []
    if on.preferred:
        rows += preferred.rows(instance, sizes, pairs, x, v, a)
    if on.fragmentation:
        roomy = loosened(instance)
        rows += fragmentation.rows(roomy, pairs, x, o, capacity=on.capacity, shares=on.shares)
    rows += preemption.rows(instance, needs, falls, a)
    rows += losses.rows(instance, falls, viol)
    rows += serving.rows(wide, pairs, x, ev)
    rows += domains.rows(wide, needs, sizes, u, given)
    rows += holdings.rows(instance, sizes, pairs, x, falls.e, f)
    milp = assemble(cols, rows)
    return Model(
        asked_for, on, instance, needs, sizes, pairs, milp, x, y, w, p, u, q, d, b, late, v, o,
        falls, viol, ev, made, f, a,
    )  # fmt: skip


def tier_cost(model: Model, tier: Tier) -> tuple[Floats, int]:
    """Cost (n,) and offset of a tier, to be minimised: a maximised tier is negated.

    The tier's exact value for an encoded plan is ``cost @ x + offset``, negated where
    ``tier.maximise``. All zero where the tier's family is off.
    """
    n = model.milp.n_cols
    if tier.kind == "lost":
        return losses.cost(model.seen, tier, n, model.evictions, model.viol)
    if tier.kind == "rank":
        return costs.rank(n, model.late)
    if tier.kind == "preferred":
        return costs.preferred(model.instance, n, model.places, model.owner_column)
    if tier.kind == "fragmentation":
        return costs.fragmentation(n, model.o)
    cost, offset = costs.admitted(
        model.instance, tier, model.needs, n, model.pairs, model.x, model.y, model.w
    )
    # What no plan can admit costs nothing; its minimum may be any number.
    cost[model.milp.upper == 0] = 0
    return cost, offset


def _anywhere(instance: Instance) -> Flags:
    """(K, N) every node for every role that is not held."""
    open_roles = ~instance.groups.held[instance.roles.group]
    return np.repeat(open_roles[:, None], len(instance.nodes), axis=1)


def _asked(instance: Instance, on: Formulation) -> Flags:
    """(G + H,) owners whose rows or cost need to know whether they get any pod."""
    asked = preemption.losers(instance)
    if on.topology:
        asked |= slices.owners(instance)
    if on.preferred:
        asked |= preferred.owners(instance)
    return asked


def _owner_column(instance: Instance, y: Indexed, w: Indexed, p: Indexed) -> Ints:
    n = len(instance.groups)
    column = np.concatenate([y.spread(n), w.spread(len(instance.composites))])
    column[p.index[:, 0]] = p.cols
    return column
