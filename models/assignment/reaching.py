r"""Nodes that may use a claim's devices; part of the claims family.

    give[j, b, i]  <=  m_i sum_n x[p, n]             over nodes n that reach i: an own claim j of
                                                     pod p                           (claims.reach)
    give[j, b, i] + m_i sum_n x[p, n]  <=  m_i       over nodes n that do not: a shared claim j,
                                                     each pod p that uses it           (claims.far)
    pick[j, b] + sum_n x[p, n]  <=  1                over nodes n where b is barred, each pod p that
                                                     uses j                         (claims.barred)
    sum_n x[p, n]  <=  0                             over nodes n outside the zone of a claim that
                                                     is allocated already, each pod p using it
                                                                                      (claims.zone)
    lead[j, n] in {0, 1}                             is j allocated on node n: claims with a choice
                                                     that takes all devices
    sum_n lead[j, n]  =  alloc[j]                    for each such claim j            (claims.lead)
    lead[j, n]  <=  sum_p x[p, n]                    over the pods p that use j      (claims.stand)
    pick[j, b] + lead[j, n]  <=  1 + give[j, b, i]   b that takes all devices, i that it asks and n
                                                     reaches                           (claims.all)

A device without a column counts as give = 0: all devices of the node is then nothing to be had.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.assignment.asked import Asked, reaches, users_of
from gangplan.models.assignment.links import nowhere_where, only_where, sums
from gangplan.models.assignment.pairs import Pairs, pairs_of_pods
from gangplan.models.claims import ALL
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


@dataclass(frozen=True, slots=True, eq=False)
class Leads:
    """Nodes on which a claim with an ALL choice could be allocated.

    Attributes
    ----------
    claim, node : (L,) the index of each lead-column; sorted.
    """

    claim: Ints
    node: Ints

    def __len__(self) -> int:
        """Return the number of columns L."""
        return len(self.claim)


def leads_of(instance: Instance, pairs: Pairs, asked: Asked) -> Leads:
    """Find the nodes where users of such claims have pairs."""
    every = instance.claims.choice_count[asked.pick_choice] == ALL
    user, pair = pairs_of_pods(pairs, asked.user_pod)
    j = asked.user_claim[user]
    kept = np.isin(j, asked.pick_claim[every])
    both = np.unique(np.column_stack([j[kept], pairs.node[pair[kept]]]), axis=0)
    return Leads(both[:, 0], both[:, 1])


def columns(leads: Leads, cols: Columns) -> VarBlock:
    """Columns lead (L,)."""
    return cols.add("lead", np.zeros(len(leads), dtype=np.int64), 1)


def rows(
    instance: Instance, pairs: Pairs, asked: Asked, x: VarBlock, pick: VarBlock, give: VarBlock
) -> list[RowBlock]:
    """Write claims.reach, claims.far, claims.barred and claims.zone."""
    return [
        *_devices(instance, pairs, asked, x, give),
        _barred(instance, pairs, asked, x, pick),
        _zone(instance, pairs, x),
    ]


def _with_users(asked: Asked, of: Ints) -> tuple[Ints, Ints]:
    """Repeat each thing of a claim for every user: (number of the thing, pod)."""
    first = np.searchsorted(asked.user_claim, of)
    number = np.searchsorted(asked.user_claim, of, side="right") - first
    thing = np.repeat(np.arange(len(of)), number)
    offset = np.arange(len(thing)) - np.repeat(np.cumsum(number) - number, number)
    return thing, asked.user_pod[first[thing] + offset]


def _devices(
    instance: Instance, pairs: Pairs, asked: Asked, x: VarBlock, give: VarBlock
) -> list[RowBlock]:
    blocks = []
    own: Flags = asked.pod[asked.give_claim] >= 0
    for name, gives, write in (
        ("claims.reach", np.flatnonzero(own), only_where),
        ("claims.far", np.flatnonzero(~own), nowhere_where),
    ):
        thing, pod = _with_users(asked, asked.give_claim[gives])
        of = gives[thing]
        row, pair = pairs_of_pods(pairs, pod)
        near = reaches(instance, asked.give_device[of[row]], pairs.node[pair])
        kept = near if write is only_where else ~near
        blocks.append(
            write(
                name, give.cols[of], asked.give_most[of], row[kept], x.cols[pair[kept]],
                np.column_stack([asked.about(of), pod]),
            )
        )  # fmt: skip
    return blocks


def _barred(
    instance: Instance, pairs: Pairs, asked: Asked, x: VarBlock, pick: VarBlock
) -> RowBlock:
    barred = instance.claims.barred
    somewhere = np.unique(np.nonzero(barred)[0])
    picks = np.flatnonzero(np.isin(asked.pick_choice, somewhere))
    thing, pod = _with_users(asked, asked.pick_claim[picks])
    of = picks[thing]
    row, pair = pairs_of_pods(pairs, pod)
    kept = barred[asked.pick_choice[of[row]], pairs.node[pair]]
    about = np.column_stack([asked.claim[asked.pick_claim[of]], asked.pick_choice[of], pod])
    one = np.ones(len(of), dtype=np.int64)
    return nowhere_where("claims.barred", pick.cols[of], one, row[kept], x.cols[pair[kept]], about)


def _zone(instance: Instance, pairs: Pairs, x: VarBlock) -> RowBlock:
    able = np.unique(pairs.pod)
    none = np.zeros(0, dtype=np.int64)
    row, col, about = [none], [none], [none.reshape(0, 2)]
    count = 0
    for c, zone in enumerate(instance.claims.shared_zone.tolist()):
        if zone < 0:
            continue
        pods = users_of(instance, c, able)
        number, pair = pairs_of_pods(pairs, pods)
        outside = ~instance.devices.zones[zone, pairs.node[pair]]
        kept, at = np.unique(number[outside], return_inverse=True)
        row.append(at.reshape(-1) + count)
        col.append(x.cols[pair[outside]])
        about.append(np.column_stack([np.full(len(kept), c), pods[kept]]))
        count += len(kept)
    return row_block(
        "claims.zone", np.concatenate(row), np.concatenate(col), 1, -np.inf, 0.0, count,
        np.concatenate(about),
    )  # fmt: skip


def rows_of_all(
    instance: Instance, pairs: Pairs, asked: Asked, leads: Leads, x: VarBlock, alloc: VarBlock,
    pick: VarBlock, give: VarBlock, lead: VarBlock,
) -> list[RowBlock]:  # fmt: skip
    """Write claims.lead, claims.stand and claims.all."""
    led, row = np.unique(leads.claim, return_inverse=True)
    n_nodes = max(len(instance.nodes), 1)
    user, pair = pairs_of_pods(pairs, asked.user_pod)
    key = asked.user_claim[user] * n_nodes + pairs.node[pair]
    have = leads.claim * n_nodes + leads.node
    at = np.searchsorted(have, key)
    known = np.append(have, -1)[at] == key
    return [
        sums(
            "claims.lead", row.reshape(-1), lead.cols, np.ones_like(led), alloc.cols[led], "=",
            led[:, None],
        ),
        sums(
            "claims.stand", np.where(known, at, -1), x.cols[pair], np.ones_like(have), lead.cols,
            ">=", np.column_stack([leads.claim, leads.node]),
        ),
        _all(instance, asked, leads, pick, give, lead),
    ]  # fmt: skip


def _all(
    instance: Instance, asked: Asked, leads: Leads, pick: VarBlock, give: VarBlock, lead: VarBlock
) -> RowBlock:
    claims = instance.claims
    picks = np.flatnonzero(claims.choice_count[asked.pick_choice] == ALL)
    keys = zip(asked.give_pick.tolist(), asked.give_device.tolist(), strict=True)
    column = dict(zip(keys, give.cols.tolist(), strict=True))
    row: list[int] = []
    col: list[int] = []
    coef: list[int] = []
    about: list[tuple[int, int, int, int]] = []
    for a in picks.tolist():
        j, b = int(asked.pick_claim[a]), int(asked.pick_choice[a])
        asks = np.flatnonzero(claims.asks[b])
        for at in np.flatnonzero(leads.claim == j).tolist():
            node = int(leads.node[at])
            for i in asks[reaches(instance, asks, np.full(len(asks), node))].tolist():
                entries = [(int(pick.cols[a]), 1), (int(lead.cols[at]), 1)]
                if (a, i) in column:
                    entries.append((column[a, i], -1))
                row += [len(about)] * len(entries)
                col += [c for c, _ in entries]
                coef += [v for _, v in entries]
                about.append((j, b, node, i))
    index = np.array(about, dtype=np.int64).reshape(-1, 4)
    return row_block("claims.all", row, col, coef, -np.inf, 1.0, len(about), index)
