"""Eligible pairs (k, n) of role and node, and the pods each may hold (paper, eq. pairs).

    upper[k, n]  =  min( most_k, min_r floor(free[n, r] / request[k, r]), slots of devices )

A pair exists where the role may use the node, at least one pod fits, and no required rule rules
the node out: the node carries the label of the level, lies in the domain that running members fix,
and its domain can hold what the owner of a whole rule needs, by counting slots (a bound that no
plan can beat). Gangs that no plan can admit, by counting, have no pairs. Room and devices are those
that are there with every unit gone that can fall; for groups of ``Running.never`` free room now.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.layers import Layer, layers
from gangplan.models.counts.sizes import Sizes
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance
from gangplan.models.options.options import Options
from gangplan.models.options.slots import device_slots
from gangplan.models.slots import room_slots, shared_slots
from gangplan.models.topology import REQUIRED

Grid = npt.NDArray[np.int32]
"""(K, N) pods of role k that node n can hold; 32 bits, since it is the largest array of a build."""

MANY = 2**31 - 1


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs, sorted by role, then node.

    Attributes
    ----------
    role, node : (E,) the pair.
    upper : (E,) most pods of the role on the node, >= 1.
    slots : (K,) sum of ``upper`` over the role's nodes.
    closed : (G,) gangs that no plan can admit, by counting; they have no pairs.
    """

    role: Ints
    node: Ints
    upper: Ints
    slots: Ints
    closed: Flags

    def __len__(self) -> int:
        """Return the number of pairs E."""
        return len(self.role)


def pairs_of(
    instance: Instance,
    sizes: Sizes,
    *,
    eligible: bool = True,
    fit: bool = True,
    devices: bool = True,
    rules: bool = True,
    options: Options | None = None,
) -> Pairs:
    """Find the pairs.

    Parameters
    ----------
    eligible : False: selectors and taints are ignored (the assign family is off).
    fit : False: free room is ignored (the capacity family is off).
    devices : False: shared devices are ignored (the shares family is off).
    rules : False: topology is ignored (the topology family is off).
    options : None: claims are ignored (the claims family is off, or there are none).
    """
    grid = _grid(loosened(instance), sizes, fit, devices)
    never = np.isin(instance.roles.group, instance.running.never)
    if never.any():
        grid[never] = _grid(instance, sizes, fit, devices)[never]
    if options is not None:
        room = device_slots(instance, options)
        np.minimum(grid, np.minimum(room, MANY).astype(np.int32), out=grid)
    if eligible:
        grid *= instance.roles.eligible[:, instance.nodes.node_class]
    if rules:
        _cut(instance, sizes, grid)
    slots = grid.sum(axis=1, dtype=np.int64)
    closed = _closed(instance, sizes, slots)
    open_role = ~closed[instance.roles.group]
    role, node = np.nonzero((grid > 0) & open_role[:, None])
    return Pairs(role, node, grid[role, node].astype(np.int64), slots * open_role, closed)


def _grid(instance: Instance, sizes: Sizes, fit: bool, devices: bool) -> Grid:
    """(K, N) pods by free room and devices alone, counted once per distinct request."""
    roles = instance.roles
    ask = np.column_stack([roles.request, roles.share, roles.whole])
    shapes, shape = np.unique(ask, axis=0, return_inverse=True)
    request = shapes[:, :-2] if fit else np.zeros_like(shapes[:, :-2])
    slots = room_slots(instance, request)
    for row, (share, whole) in zip(slots, shapes[:, -2:].tolist(), strict=True):
        if devices and (share or whole):
            np.minimum(row, shared_slots(instance, share, whole), out=row)
    small = np.minimum(slots, MANY).astype(np.int32)
    most = np.minimum(sizes.most, MANY).astype(np.int32)
    grid: Grid = np.minimum(small[shape.reshape(-1)], most[:, None])
    return grid


def _cut(instance: Instance, sizes: Sizes, grid: Grid) -> None:
    """Set to 0, in place, what required rules rule out."""
    rules = instance.rules
    fixed = rules.fixed()
    for layer in layers(instance, np.flatnonzero(rules.mode == REQUIRED)):
        domain = instance.topology.domain[layer.level]
        bound = np.flatnonzero(layer.rule >= 0)
        at = fixed[layer.rule[bound]][:, None]
        grid[bound] *= (domain >= 0) & ((at < 0) | (domain[None, :] == at))
    for layer in layers(instance, np.flatnonzero(rules.is_whole())):
        bound = np.flatnonzero(layer.rule >= 0)
        grid[bound] *= _large_enough(instance, sizes, layer, bound, grid)


def _large_enough(instance: Instance, sizes: Sizes, layer: Layer, bound: Ints, grid: Grid) -> Flags:
    """(len(bound), N) False where the node's domain cannot hold what the rule's owner needs."""
    domain = instance.topology.domain[layer.level]
    order = np.argsort(domain, kind="stable")
    order = order[np.searchsorted(domain[order], 0) :]
    numbers, start = np.unique(domain[order], return_index=True)
    if not len(numbers):
        return np.ones((len(bound), len(domain)), dtype=np.bool_)
    slots = np.add.reduceat(grid[np.ix_(bound, order)], start, axis=1, dtype=np.int64)
    rule, which = np.unique(layer.rule[bound], return_inverse=True)
    owner = instance.rules.owner[rule]
    held = np.zeros((len(rule), len(numbers)), dtype=np.int64)
    np.add.at(held, which, np.minimum(slots, sizes.most[bound, None]))
    enough = held >= np.maximum(sizes.owner_least[owner], 1)[:, None]
    alone = owner[which] < len(instance.groups)
    short = (slots < sizes.least[bound, None]) & alone[:, None]
    lacking = np.zeros_like(enough)
    np.logical_or.at(lacking, which, short)
    place = np.searchsorted(numbers, domain).clip(max=len(numbers) - 1)
    good: Flags = (enough & ~lacking)[which.reshape(-1)][:, place]
    return good


def _closed(instance: Instance, sizes: Sizes, slots: Ints) -> Flags:
    """(G,) gangs whose roles, over all nodes together, have fewer slots than they need."""
    room = instance.per_group(np.minimum(slots, sizes.most))
    least = instance.per_group(sizes.least)
    closed = (room < sizes.group_least) | (least > sizes.group_most)
    np.logical_or.at(closed, instance.roles.group, slots < sizes.least)
    return closed & sizes.decided
