r"""Free room of the nodes, and what units leave behind (paper, eq. capacity).

    sum_k request[k, r] x[k, n]  <=  free[n, r] + sum_v room[v, n, r] e[v]         (capacity.fits)
    sum_{k never} request x      <=  free[n, r]                                    (capacity.never)

for each node n and resource r; never: groups that use no room which an eviction makes. Rows are
divided, lowered and left out as in fits.py; room that is kept has rows of its own (kept.py). Off:
no rows, and any number of pods fits a node.
"""

import numpy as np

from gangplan.models.arrays import MOST, Flags
from gangplan.models.counts import fits, kept
from gangplan.models.counts.fits import Back, by_node, nothing_back
from gangplan.models.counts.indexed import Indexed
from gangplan.models.counts.pairs import Pairs
from gangplan.models.instance import Instance
from gangplan.models.milp import RowBlock, VarBlock


def rows(
    instance: Instance, pairs: Pairs, x: VarBlock, back: Back, made: Indexed
) -> list[RowBlock]:
    """Write the rows.

    Parameters
    ----------
    back : what units give back to nodes.
    made : columns of kept.py.

    Raises
    ------
    FormulationError : a quantity above 2^40 after scaling.
    """
    free = np.ascontiguousarray(instance.nodes.free.T)
    every = np.ones(free.shape, dtype=np.bool_)
    places = by_node(instance, np.arange(len(pairs)), pairs, free, every)
    written = [fits.rows("capacity.fits", instance, pairs, x, places, back)]
    never = never_roles(instance)
    pair = np.flatnonzero(never[pairs.role])
    if len(back.place) and len(pair):
        given = np.zeros(free.shape, dtype=np.bool_)
        given[:, back.place] = True
        places = by_node(instance, pair, pairs, free, given)
        none = nothing_back(len(free))
        written.append(fits.rows("capacity.never", instance, pairs, x, places, none))
    return written + kept.rows(instance, pairs, x, back, never, made)


def room_of(instance: Instance, e: Indexed) -> Back:
    """room[v, n]: what comes free on a node when a unit with a column falls."""
    running, n_resources = instance.running, instance.nodes.free.shape[1]
    col = e.spread(len(running))[running.pod_unit]
    pod = np.flatnonzero((col >= 0) & (running.pod_node >= 0))
    if not len(pod):
        return nothing_back(n_resources)
    key = np.column_stack([running.pod_node[pod], col[pod]])
    index, at = np.unique(key, axis=0, return_inverse=True)
    at = at.reshape(-1)
    amount = np.zeros((len(index), n_resources), dtype=np.int64)
    # Cut so that no sum wraps round; no row could use more.
    most = MOST // int(np.bincount(at).max())
    np.add.at(amount, at, np.minimum(running.pod_request[pod], most))
    return Back(index[:, 0], index[:, 1], amount)


def never_roles(instance: Instance) -> Flags:
    """(K,) roles of groups that use no room which an eviction makes."""
    never: Flags = np.isin(instance.roles.group, instance.running.never)
    return never
