"""All that a model has of claims: index sets and columns, rows, and the way to a plan and back."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment import charging, claims, comparing, rank, reaching
from gangplan.models.assignment.asked import NOTHING_ASKED, Asked, asked_of, reaches
from gangplan.models.assignment.comparing import Carried, carried
from gangplan.models.assignment.falling import Falling
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.assignment.reaching import Leads, leads_of
from gangplan.models.claims import ALL
from gangplan.models.errors import PlanError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock
from gangplan.models.plan import NO_ALLOCATIONS, Allocations, Plan

NONE = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Allocating:
    """Index sets, and the columns over them.

    Attributes
    ----------
    alloc, pick, give : columns of ``asked``: (J,), (B,), (S,).
    lead, value : columns of ``leads`` and of the values of ``match``.
    open : columns of ``opened``, device numbers.
    late : columns of ``requests`` (m, 2): claim and request.
    """

    asked: Asked
    leads: Leads
    match: Carried
    opened: Ints
    requests: Ints
    alloc: VarBlock
    pick: VarBlock
    give: VarBlock
    lead: VarBlock
    value: VarBlock
    open: VarBlock
    late: VarBlock


def _nothing() -> Allocating:
    blocks = [VarBlock(n, NONE) for n in ("alloc", "pick", "give", "lead", "value", "open", "late")]
    match = Carried(NONE, NONE, NONE, NONE, NONE)
    return Allocating(NOTHING_ASKED, Leads(NONE, NONE), match, NONE, NONE.reshape(0, 2), *blocks)


NOTHING = _nothing()
"""No claims, or the family is off: no block at all."""


def columns(instance: Instance, pairs: Pairs, cols: Columns, on: Formulation) -> Allocating:
    """Add the columns of claims, and those of ranks."""
    if not (on.claims and instance.claims):
        return NOTHING
    asked = asked_of(instance, pairs, preemption=on.preemption)
    leads = leads_of(instance, pairs, asked)
    match = carried(instance, asked, distinct=False)
    opened = charging.opened_by(instance, asked)
    requests = rank.listed(instance, asked) if on.rank else NOTHING.requests
    alloc, pick, give = claims.columns(asked, cols)
    return Allocating(
        asked, leads, match, opened, requests, alloc, pick, give,
        reaching.columns(leads, cols),
        comparing.columns(match, cols),
        charging.columns(opened, cols),
        rank.columns(instance, requests, cols) if on.rank else NOTHING.late,
    )  # fmt: skip


def rows(
    instance: Instance, pairs: Pairs, x: VarBlock, its: Allocating, falls: Falling, on: Formulation
) -> list[RowBlock]:
    """Write the rows of the families claims and rank."""
    if not (on.claims and instance.claims):
        return []
    asked, alloc, pick, give = its.asked, its.alloc, its.pick, its.give
    distinct = carried(instance, asked, distinct=True)
    return [
        *claims.rows(instance, pairs, asked, x, alloc, pick, give),
        *reaching.rows(instance, pairs, asked, x, pick, give),
        *reaching.rows_of_all(instance, pairs, asked, its.leads, x, alloc, pick, give, its.lead),
        *comparing.rows(asked, its.match, distinct, give, its.value),
        *charging.rows(instance, asked, its.opened, falls.f, give, its.open),
        *(rank.rows(instance, asked, its.requests, pick, its.late) if on.rank else ()),
    ]


def decode(its: Allocating, point: Ints, node: Ints) -> Allocations:
    """Read the devices of claims out of a whole point; ``node`` (P,) of each pod.

    Raises
    ------
    PlanError : devices that do not match the pods.
    """
    asked = its.asked
    if not len(asked):
        return NO_ALLOCATIONS
    times = point[its.give.cols]
    given = np.bincount(asked.give_claim, weights=times, minlength=len(asked)) > 0
    used = _used(asked, node)
    if (given != used).any() or (point[its.alloc.cols] != used).any():
        raise PlanError("the claims of a point do not match its pods")
    give = np.repeat(np.arange(len(times)), times)
    return Allocations(*asked.about(give).T)


def encode(instance: Instance, its: Allocating, point: Ints, plan: Plan) -> None:
    """Fill in the columns of claims from the devices that the plan names.

    Raises
    ------
    PlanError : a device for a claim that the formulation has no column for.
    """
    asked = its.asked
    rows = _gives(instance, asked, plan.allocations)
    np.add.at(point, its.give.cols[rows], 1)
    point[its.alloc.cols] = _used(asked, plan.node)
    point[its.pick.cols[asked.give_pick[rows]]] = 1
    paying = rows[~instance.claims.choice_admin[asked.give_choice[rows]]]
    point[its.open.cols[np.isin(its.opened, asked.give_device[paying])]] = 1
    leading = _leading(instance, its, rows, plan)
    point[its.lead.cols] = [(j, n) in leading for j, n in _pairs(its.leads.claim, its.leads.node)]
    _fill_values(its, point, rows)
    _fill_late(instance, its, point)


def _used(asked: Asked, node: Ints) -> Ints:
    """(J,) 1 where a pod that uses the claim is placed."""
    placed = asked.user_claim[node[asked.user_pod] >= 0]
    return np.isin(np.arange(len(asked)), placed).astype(np.int64)


def _gives(instance: Instance, asked: Asked, given: Allocations) -> Ints:
    """Find the give of each row of the plan."""
    claim = {key: j for j, key in enumerate(_pairs(asked.pod, asked.claim))}
    pick = {key: a for a, key in enumerate(_pairs(asked.pick_claim, asked.pick_choice))}
    give = {key: g for g, key in enumerate(_pairs(asked.give_pick, asked.give_device))}
    found = []
    for (p, w), (b, i) in zip(
        _pairs(given.pod, given.claim), _pairs(given.choice, given.device), strict=True
    ):
        j = claim.get((p, w), -1)
        number = give.get((pick.get((j, b), -1), i), -1)
        if number < 0:
            name = instance.names.pods[p] if p >= 0 else instance.names.shared[w]
            raise PlanError(f"{name}: no column for device {instance.names.devices[i]}")
        found.append(number)
    return np.array(found, dtype=np.int64)


def _leading(instance: Instance, its: Allocating, rows: Ints, plan: Plan) -> set[tuple[int, int]]:
    """Choose, for each claim with an ALL choice, the node it is allocated on: (claim, node)."""
    asked, claims = its.asked, instance.claims
    every = rows[claims.choice_count[asked.give_choice[rows]] == ALL]
    given: dict[int, Counter[tuple[int, int]]] = {}
    for j, key in zip(
        asked.give_claim[every].tolist(),
        _pairs(asked.give_choice[every], asked.give_device[every]),
        strict=True,
    ):
        given.setdefault(j, Counter())[key] += 1
    leading = set()
    for j in np.unique(its.leads.claim).tolist():
        pods = asked.user_pod[asked.user_claim == j]
        nodes = np.unique(plan.node[pods[plan.node[pods] >= 0]]).tolist()
        mine = given.get(j, Counter())
        right = [n for n in nodes if mine == _wanted(instance, {b for b, _ in mine}, n)]
        leading |= {(j, n) for n in [*right, *nodes][:1]}
    return leading


def _wanted(instance: Instance, choices: set[int], node: int) -> Counter[tuple[int, int]]:
    """Every device that ALL choices ask on a node, once."""
    wanted: Counter[tuple[int, int]] = Counter()
    for b in choices:
        asks = np.flatnonzero(instance.claims.asks[b])
        here = reaches(instance, asks, np.full(len(asks), node))
        wanted.update((b, i) for i in asks[here].tolist())
    return wanted


def _fill_values(its: Allocating, point: Ints, rows: Ints) -> None:
    """Choose a value for each matchAttribute rule: one that all devices have, if there is any."""
    match = its.match
    given = np.isin(match.give, rows)
    have: dict[tuple[int, int], Counter[int]] = {}
    # Counted once for each device in use: the value that most have is the one that all have.
    for at in match.at[given].tolist():
        rule = int(match.claim[at]), int(match.rule[at])
        have.setdefault(rule, Counter())[at] += 1
    for values in have.values():
        point[its.value.cols[max(sorted(values), key=values.__getitem__)]] = 1


def _fill_late(instance: Instance, its: Allocating, point: Ints) -> None:
    asked = its.asked
    taken = np.flatnonzero(point[its.pick.cols])
    request = instance.claims.choice_request[asked.pick_choice[taken]]
    late = dict(zip(_pairs(*its.requests.T), its.late.cols.tolist(), strict=True))
    for key, rank_ in zip(
        _pairs(asked.pick_claim[taken], request),
        instance.claims.rank[asked.pick_choice[taken]].tolist(),
        strict=True,
    ):
        if key in late:
            point[late[key]] += rank_


def _pairs(left: Ints, right: Ints) -> Sequence[tuple[int, int]]:
    return list(zip(left.tolist(), right.tolist(), strict=True))
