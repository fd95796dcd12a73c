"""Rows of shared claims: one allocation, and users only where it is reached; part of claims.py."""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.counts.claim_columns import Claimed
from gangplan.models.counts.claim_users import uses
from gangplan.models.counts.indexed import joined
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.milp import RowBlock, VarBlock, row_block


def rows(
    instance: Instance, sizes: Sizes, pairs: Pairs, x: VarBlock, d: Claimed, places: Ints
) -> list[RowBlock]:
    """Write claims.once, claims.used, claims.site and claims.anchor."""
    claims = instance.claims
    assert d.options is not None
    of_spec = d.options.of_spec
    open_claims = np.flatnonzero(claims.shared_spec >= 0)
    asked = [(c, p) for c in open_claims.tolist() for p in of_spec[claims.shared_spec[c]]]
    if not asked:
        return []
    about = np.array(asked, dtype=np.int64)
    user, pair = uses(instance, pairs)
    return [*_taken(instance, sizes, x, d, places, about, user, pair),
            _site(instance, sizes, pairs, x, d, about, user, pair),
            _anchor(instance, pairs, x, d, user, pair)]  # fmt: skip


def _number(about: Ints, claim: Ints, part: Ints) -> Ints:
    """Rows of ``about`` (claim, part), sorted; every pair asked for is there."""
    width = int(about[:, 1].max()) + 1
    return np.searchsorted(about[:, 0] * width + about[:, 1], claim * width + part)


def _spread(instance: Instance, about: Ints, user: Ints) -> tuple[Ints, Ints]:
    """Positions in ``user``, and rows of ``about``, for every part of the claim of each."""
    claim = instance.claims.user_shared[user]
    start, end = (np.searchsorted(about[:, 0], claim + at) for at in (0, 1))
    count = end - start
    at = np.repeat(np.arange(len(user)), count)
    first = np.cumsum(count) - count
    return at, np.arange(int(count.sum())) - first[at] + start[at]


def _taken(
    instance: Instance,
    sizes: Sizes,
    x: VarBlock,
    d: Claimed,
    places: Ints,
    about: Ints,
    user: Ints,
    pair: Ints,
) -> list[RowBlock]:
    """Write claims.once and claims.used: an equality where one gang decides."""
    gang = _deciding(instance, sizes, places)[about[:, 0]]
    tied = gang >= 0
    shared = np.flatnonzero(d.table.claim >= 0)
    row = _number(about, d.table.claim[shared], d.table.part[shared])
    ones = np.ones(len(shared), dtype=np.int64)
    once = row_block(
        "claims.once",
        np.concatenate([row, np.flatnonzero(tied)]),
        np.concatenate([d.b.cols[shared], places[gang[tied]]]),
        np.concatenate([ones, np.full(int(tied.sum()), -1)]),
        np.where(tied, 0.0, -np.inf), np.where(tied, 0.0, 1.0), len(about), about,
    )  # fmt: skip
    loose = np.flatnonzero(~tied)
    number = np.cumsum(~tied) - 1
    mine = ~tied[row]
    at, to = _spread(instance, about, user)
    at, to = at[~tied[to]], to[~tied[to]]
    used = row_block(
        "claims.used",
        np.concatenate([number[row[mine]], number[to]]),
        np.concatenate([d.b.cols[shared[mine]], x.cols[pair[at]]]),
        np.concatenate([ones[mine], np.full(len(at), -1)]),
        -np.inf, 0.0, len(loose), about[loose],
    )  # fmt: skip
    return [once, used]


def _deciding(instance: Instance, sizes: Sizes, places: Ints) -> Ints:
    """(C,) the gang whose admission alone says whether the claim has users; -1 where none does."""
    claims = instance.claims
    group = instance.roles.group[claims.user_role]
    low = np.full(claims.n_shared, len(instance.groups), dtype=np.int64)
    high = np.full(claims.n_shared, -1, dtype=np.int64)
    np.minimum.at(low, claims.user_shared, group)
    np.maximum.at(high, claims.user_shared, group)
    needed = np.zeros(claims.n_shared, dtype=np.bool_)
    needed[claims.user_shared[sizes.least[claims.user_role] > 0]] = True
    alone = (low == high) & needed
    decided = sizes.decided[np.where(alone, low, 0)] & (places[np.where(alone, low, 0)] >= 0)
    return np.where(alone & decided, low, -1)


def _site(
    instance: Instance,
    sizes: Sizes,
    pairs: Pairs,
    x: VarBlock,
    d: Claimed,
    about: Ints,
    user: Ints,
    pair: Ints,
) -> RowBlock:
    """Write claims.site: one row a role and set of nodes that the same options serve."""
    n = len(instance.nodes)
    option, node = d.table.cover_option, d.table.cover_node
    place = _number(about, d.table.claim[option], d.table.part[option]) * n + node
    spots, spot = np.unique(place, return_inverse=True)
    label = _labels(spots // n, spot.reshape(-1), option)
    at, to = _spread(instance, about, user)
    want = to * n + pairs.node[pair[at]]
    found = np.minimum(np.searchsorted(spots, want), max(len(spots) - 1, 0))
    known = spots[found] == want if len(spots) else np.zeros(len(want), dtype=np.bool_)
    # Pairs that no option serves get rows without a right side.
    lost = len(spots) + to
    area = np.where(known, label[found] if len(spots) else 0, lost)
    role = pairs.role[pair[at]]
    keys, row = np.unique(np.column_stack([area, to, role]), axis=0, return_inverse=True)
    row = row.reshape(-1)
    slots = np.zeros(len(keys), dtype=np.int64)
    np.add.at(slots, row, pairs.upper[pair[at]])
    factor = np.minimum(slots, sizes.most[keys[:, 2]])
    members = np.unique(np.column_stack([label[spot.reshape(-1)], option]), axis=0)
    start, end = (np.searchsorted(members[:, 0], keys[:, 0] + at) for at in (0, 1))
    count = end - start
    wide = np.repeat(np.arange(len(keys)), count)
    serving = np.arange(int(count.sum())) - (np.cumsum(count) - count)[wide] + start[wide]
    return row_block(
        "claims.site",
        np.concatenate([row, wide]),
        np.concatenate([x.cols[pair[at]], d.b.cols[members[serving, 1]]]),
        np.concatenate([np.ones(len(row), dtype=np.int64), -factor[wide]]),
        -np.inf, 0.0, len(keys), np.column_stack([about[keys[:, 1]], keys[:, 2]]),
    )  # fmt: skip


def _labels(claim: Ints, spot: Ints, option: Ints) -> Ints:
    """(spots,) equal numbers where the claim is the same and the same options serve the spot."""
    order = np.lexsort((option, spot))
    spot, option = spot[order], option[order]
    place = np.arange(len(spot)) - np.searchsorted(spot, spot, side="left")
    _, label = np.unique(claim, return_inverse=True)
    label = label.reshape(-1).astype(np.int64)
    for j in range(int(place.max(initial=-1)) + 1):
        nth = np.full(len(claim), -1, dtype=np.int64)
        nth[spot[place == j]] = option[place == j]
        _, label = np.unique(np.column_stack([label, nth]), axis=0, return_inverse=True)
        label = label.reshape(-1).astype(np.int64)
    return label


def _anchor(
    instance: Instance, pairs: Pairs, x: VarBlock, d: Claimed, user: Ints, pair: Ints
) -> RowBlock:
    """Write claims.anchor, where not every node that the option serves is one."""
    table, n = d.table, max(len(instance.nodes), 1)
    partial = np.unique(table.cover_option[table.cover_anchor == 0])
    mine = np.isin(table.cover_option, partial) & (table.cover_anchor > 0)
    option = table.cover_option[mine]
    key = table.claim[option] * n + table.cover_node[mine]
    at, use = joined(key, instance.claims.user_shared[user] * n + pairs.node[pair])
    row = np.searchsorted(partial, option[at])
    ones = np.ones(len(partial), dtype=np.int64)
    return row_block(
        "claims.anchor",
        np.concatenate([np.arange(len(partial)), row]),
        np.concatenate([d.b.cols[partial], x.cols[pair[use]]]),
        np.concatenate([ones, np.full(len(row), -1)]),
        -np.inf, 0.0, len(partial), partial[:, None],
    )  # fmt: skip
