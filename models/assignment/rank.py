r"""How far down the list of its choices a request is served.

    late[j, q] in {0, 1, ...}                     rank of the choice that serves request q of claim
                                                  j, from 0; q with several choices
    sum_{b in q} rank_b pick[j, b]  =  late[j, q]     for each claim j and such request q
                                                                                       (rank.taken)

Off: no columns, no cost.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.asked import Asked
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


def listed(instance: Instance, asked: Asked) -> Ints:
    """(m, 2) claims, and their requests with several choices; sorted."""
    request = instance.claims.choice_request
    later = instance.claims.rank[asked.pick_choice] > 0
    both = np.column_stack([asked.pick_claim[later], request[asked.pick_choice[later]]])
    return np.unique(both, axis=0)


def columns(instance: Instance, requests: Ints, cols: Columns) -> VarBlock:
    """Columns late (m,)."""
    choices = np.bincount(instance.claims.choice_request, minlength=1)
    last = choices[requests[:, 1]] - 1
    return cols.add("late", np.zeros(len(requests), dtype=np.int64), last)


def rows(
    instance: Instance, asked: Asked, requests: Ints, pick: VarBlock, late: VarBlock
) -> list[RowBlock]:
    """Write rank.taken."""
    rank = instance.claims.rank[asked.pick_choice]
    picks = np.flatnonzero(rank > 0)
    request = instance.claims.choice_request[asked.pick_choice[picks]]
    width = len(instance.claims.request_spec) + 1
    have = requests[:, 0] * width + requests[:, 1]
    row = np.searchsorted(have, asked.pick_claim[picks] * width + request)
    n = len(requests)
    return [
        row_block(
            "rank.taken",
            np.concatenate([row, np.arange(n)]),
            np.concatenate([pick.cols[picks], late.cols]),
            np.concatenate([rank[picks], np.full(n, -1, dtype=np.int64)]),
            0.0,
            0.0,
            n,
            requests,
        )
    ]
