r"""Claims of devices: one integer for each claim, choice and device (textbook).

    alloc[j] in {0, 1}                        is claim j allocated: an own claim of a pod, or a
                                              shared one
    pick[j, b] in {0, 1}                      does choice b serve its request
    give[j, b, i] in {0, ..., m_i}            devices i that serve choice b: 1 at most, or count_b
                                              where i may be shared
    sum_n x[p, n]  <=  alloc[j]               for each claim j and pod p that uses it  (claims.user)
    sum_{p, n} x[p, n]  >=  alloc[j]          over the pods p that use j               (claims.used)
    sum_{b in q} pick[j, b]  =  alloc[j]      for each claim j and request q of it   (claims.choose)
    sum_i give[j, b, i]  =  count_b pick[j, b]     b with a count                     (claims.count)
    sum_i give[j, b, i]  >=  pick[j, b]       b that takes all devices                 (claims.some)
    give[j, b, i]  <=  pick[j, b]             b that takes all devices               (claims.picked)
    sum_{b, i} give[j, b, i]  <=  32          for each claim j                         (claims.most)
    sum_{p, n} x[p, n]  <=  limit_c           over the pods p that use a shared claim c
                                                                                      (claims.limit)

A device has a column where it fits the choice; where somebody holds it, for adminAccess alone; a
choice that a rule binds has columns for devices with the attribute. Identical claims are told
apart, as pods are. Off: no columns, and pods hold no device.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.asked import Asked, users_of
from gangplan.models.assignment.links import at_most, sums
from gangplan.models.assignment.pairs import Pairs, pairs_of_pods
from gangplan.models.claims import ALL, MOST_RESULTS
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


def columns(asked: Asked, cols: Columns) -> tuple[VarBlock, VarBlock, VarBlock]:
    """Columns alloc (J,), pick (B,) and give (S,)."""
    return (
        cols.add("alloc", np.zeros(len(asked), dtype=np.int64), 1),
        cols.add("pick", np.zeros(len(asked.pick_claim), dtype=np.int64), 1),
        cols.add("give", np.zeros(len(asked.give_pick), dtype=np.int64), asked.give_most),
    )


def rows(
    instance: Instance, pairs: Pairs, asked: Asked, x: VarBlock, alloc: VarBlock, pick: VarBlock,
    give: VarBlock,
) -> list[RowBlock]:  # fmt: skip
    """Write who is allocated, by which choices, with how many devices."""
    user, pair = pairs_of_pods(pairs, asked.user_pod)
    one = np.ones(len(asked.user_pod), dtype=np.int64)
    key = np.column_stack([asked.pod, asked.claim])
    return [
        sums(
            "claims.user", user, x.cols[pair], one, alloc.cols[asked.user_claim], "<=",
            np.column_stack([key[asked.user_claim], asked.user_pod]),
        ),
        sums(
            "claims.used", asked.user_claim[user], x.cols[pair], np.ones_like(asked.pod),
            alloc.cols, ">=", key,
        ),
        _choose(instance, asked, key, alloc, pick),
        *_count(instance, asked, key, pick, give),
        *_most(asked, key, give),
        *_limit(instance, pairs, x),
    ]  # fmt: skip


def _choose(
    instance: Instance, asked: Asked, key: Ints, alloc: VarBlock, pick: VarBlock
) -> RowBlock:
    request = instance.claims.choice_request[asked.pick_choice]
    both, row = np.unique(np.column_stack([asked.pick_claim, request]), axis=0, return_inverse=True)
    of = both[:, 0]
    return sums(
        "claims.choose", row.reshape(-1), pick.cols, np.ones_like(of), alloc.cols[of], "=",
        np.column_stack([key[of], both[:, 1]]),
    )  # fmt: skip


def _count(
    instance: Instance, asked: Asked, key: Ints, pick: VarBlock, give: VarBlock
) -> list[RowBlock]:
    # A count beyond what a claim may have is beyond it by one: claims.most refuses it.
    count = np.minimum(instance.claims.choice_count[asked.pick_choice], MOST_RESULTS + 1)
    every = count == ALL
    about = np.column_stack([key[asked.pick_claim], asked.pick_choice])

    def block(name: str, which: Ints, factor: Ints, sense: str) -> RowBlock:
        number = np.full(len(count), -1, dtype=np.int64)
        number[which] = np.arange(len(which))
        return sums(
            name, number[asked.give_pick], give.cols, factor[which], pick.cols[which], sense,
            about[which],
        )  # fmt: skip

    of_all = np.flatnonzero(every[asked.give_pick])
    return [
        block("claims.count", np.flatnonzero(~every), count, "="),
        block("claims.some", np.flatnonzero(every), np.ones_like(count), ">="),
        at_most(
            "claims.picked", give.cols[of_all], pick.cols[asked.give_pick[of_all]],
            asked.about(of_all),
        ),
    ]  # fmt: skip


def _most(asked: Asked, key: Ints, give: VarBlock) -> list[RowBlock]:
    """Write claims.most, where a claim has columns for more."""
    able = np.bincount(asked.give_claim, weights=asked.give_most, minlength=len(asked))
    wide = np.flatnonzero(able > MOST_RESULTS)
    mine = np.flatnonzero(np.isin(asked.give_claim, wide))
    row = np.searchsorted(wide, asked.give_claim[mine])
    side = float(MOST_RESULTS)
    return [row_block("claims.most", row, give.cols[mine], 1, -np.inf, side, len(wide), key[wide])]


def _limit(instance: Instance, pairs: Pairs, x: VarBlock) -> list[RowBlock]:
    """Write claims.limit, where more pods could use a claim than may."""
    able = np.unique(pairs.pod)
    none = np.zeros(0, dtype=np.int64)
    row, col = [none], [none]
    shared: list[int] = []
    for c, limit in enumerate(instance.claims.shared_limit.tolist()):
        pods = users_of(instance, c, able)
        if len(pods) > limit:
            mine = x.cols[pairs_of_pods(pairs, pods)[1]]
            row.append(np.full(len(mine), len(shared)))
            col.append(mine)
            shared.append(c)
    about = np.array(shared, dtype=np.int64)
    side = instance.claims.shared_limit[about]
    return [
        row_block(
            "claims.limit", np.concatenate(row), np.concatenate(col), 1, -np.inf, side,
            len(shared), about[:, None],
        )
    ]  # fmt: skip
