"""Who uses shared claims, and which sites hold what some group of users needs; part of claims.py.

A group that does not stand gets its minimum or nothing. So the site of its claim has room for the
minimum, or serves none of its pods: a gang of eight never shares the devices of a node for four.
"""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.indexed import joined
from gangplan.models.counts.pairs import Pairs
from gangplan.models.counts.sizes import Sizes
from gangplan.models.instance import Instance
from gangplan.models.options.table import Table


def uses(instance: Instance, pairs: Pairs) -> tuple[Ints, Ints]:
    """Rows of ``user_shared`` and the pairs of their roles."""
    role = instance.claims.user_role
    start, end = (np.searchsorted(pairs.role, role + at) for at in (0, 1))
    count = end - start
    user = np.repeat(np.arange(len(role)), count)
    first = np.cumsum(count) - count
    return user, np.arange(int(count.sum())) - first[user] + start[user]


def holding(instance: Instance, sizes: Sizes, pairs: Pairs, table: Table) -> Flags:
    """(O,) options of shared claims on whose nodes some group of users has room for its minimum."""
    claims, roles, n = instance.claims, len(instance.roles), max(len(instance.nodes), 1)
    user, pair = uses(instance, pairs)
    at, use = joined(
        table.claim[table.cover_option] * n + table.cover_node,
        claims.user_shared[user] * n + pairs.node[pair],
    )
    key, row = np.unique(
        table.cover_option[at] * roles + pairs.role[pair[use]], return_inverse=True
    )
    room = np.zeros(len(key), dtype=np.int64)
    np.add.at(room, row.reshape(-1), pairs.upper[pair[use]])
    option, role = key // roles, key % roles
    np.minimum(room, sizes.most[role], out=room)
    group = instance.roles.group[role]
    both, number = np.unique(option * len(instance.groups) + group, return_inverse=True)
    number = number.reshape(-1)
    total, met = np.zeros(len(both), dtype=np.int64), np.zeros(len(both), dtype=np.int64)
    np.add.at(total, number, room)
    np.add.at(met, number, np.where(room >= sizes.least[role], sizes.least[role], 0))
    option, group = both // len(instance.groups), both % len(instance.groups)
    least, need = _asked(instance, sizes, table.claim[option], group)
    holds = np.zeros(len(table), dtype=np.bool_)
    holds[option[(met == least) & (total >= need)]] = True
    return holds


def _asked(instance: Instance, sizes: Sizes, claim: Ints, group: Ints) -> tuple[Ints, Ints]:
    """Pods that a group puts on the site of a claim: its roles' minima, and with its own."""
    claims, g = instance.claims, len(instance.groups)
    key, row = np.unique(
        claims.user_shared * g + instance.roles.group[claims.user_role], return_inverse=True
    )
    least, most = np.zeros(len(key), dtype=np.int64), np.zeros(len(key), dtype=np.int64)
    np.add.at(least, row.reshape(-1), sizes.least[claims.user_role])
    np.add.at(most, row.reshape(-1), sizes.most[claims.user_role])
    at = np.searchsorted(key, claim * g + group)
    elsewhere = instance.per_group(sizes.most)[group] - most[at]
    return least[at], sizes.group_least[group] - elsewhere
