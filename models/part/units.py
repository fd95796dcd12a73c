"""Which running units a part may let fall, and which evicted ones stay evicted."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.part.cut import Cut, roots_of
from gangplan.models.part.room import left
from gangplan.models.running import Running


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """Units of the part, and those that are settled.

    Attributes
    ----------
    open : (V,) units of the part. fixed : (V,) units that stay evicted, whatever the part does.
    falls : (U,) pods of the fixed ones.
    lost : (G,) members that fall with the fixed ones.
    loses : (G,) the group's root loses pods with them: it gains none.
    free : (n, R) room on the nodes of the part.
    """

    open: Flags
    fixed: Flags
    falls: Flags
    lost: Ints
    loses: Flags
    free: Ints


def units_of(cut: Cut) -> Units:
    """Sort the units.

    A unit with a pod on the nodes is of the part, and so is one of the same root all of whose pods
    are on nodes that are not in the snapshot; but for

    * evicted units with pods elsewhere, and those in whose place others stand: they stay evicted;
    * roots that gain pods elsewhere: they lose none;
    * roots of which some unit stays evicted, where what may fall is no longer a matter of floors
      alone: trees, slices, groups taken whole. They stay as they are.
    """
    instance, running = cut.instance, cut.instance.running
    v = len(running)
    evicted = np.zeros(v, dtype=np.bool_)
    evicted[cut.plan.evicted] = True
    on = np.append(cut.here, False)[running.pod_node]
    out = np.append(~cut.here, False)[running.pod_node]
    reaches = np.bincount(running.pod_unit[out], minlength=v) > 0
    root = _root_of_unit(cut)
    touches = _with_the_absent(
        np.bincount(running.pod_unit[on], minlength=v) > 0, reaches, root, cut
    )
    gains = _gaining(cut)
    fixed = evicted & (reaches | ~touches)
    while True:
        frozen = np.append(gains | _brittle(cut, running, evicted, root, fixed), False)[root]
        more = fixed | (evicted & frozen)
        falls = more[running.pod_unit]
        free = left(cut, falls)
        lacking = np.append((free < 0).any(axis=1), False)[cut.local[running.pod_node]]
        lacking &= (evicted & ~more)[running.pod_unit]
        more[running.pod_unit[lacking]] = True
        if (more == fixed).all():
            break
        fixed = more
    member = running.pod_group[falls]
    lost = np.bincount(member[member >= 0], minlength=len(instance.groups)).astype(np.int64)
    every = roots_of(instance)
    losing = np.zeros(len(every), dtype=np.bool_)
    losing[every[member[member >= 0]]] = True
    loses = losing[every[: len(lost)]]
    return Units(touches & ~fixed & ~frozen, fixed, falls, lost, loses, np.maximum(free, 0))


def _with_the_absent(touches: Flags, reaches: Flags, root: Ints, cut: Cut) -> Flags:
    """(V,) units with pods on the nodes, and those of the same roots that are on no node at all."""
    here = np.zeros(len(roots_of(cut.instance)) + 1, dtype=np.bool_)
    here[root[touches]] = True
    here[-1] = False
    found: Flags = touches | (~reaches & here[root])
    return found


def _root_of_unit(cut: Cut) -> Ints:
    """(V,) root of each unit; -1 for a pod of no group."""
    running = cut.instance.running
    first = np.searchsorted(running.pod_unit, np.arange(len(running)))
    group = running.pod_group[first]
    root: Ints = np.where(group >= 0, np.append(roots_of(cut.instance), -1)[group], -1)
    return root


def _gaining(cut: Cut) -> Flags:
    """(G + H,) roots with placed pods that are not of the part."""
    root = roots_of(cut.instance)
    gains = np.zeros(len(root), dtype=np.bool_)
    gains[root[cut.group[(cut.plan.node >= 0) & ~cut.mine]]] = True
    return gains


def _brittle(cut: Cut, running: Running, evicted: Flags, root: Ints, fixed: Flags) -> Flags:
    """(G + H,) roots with a fixed unit that floors alone do not describe."""
    instance = cut.instance
    n = len(instance.groups)
    every = roots_of(instance)
    brittle = np.zeros(len(every), dtype=np.bool_)
    brittle[n:] = True
    owner = instance.rules.owner[instance.rules.slice > 0]
    brittle[every[owner]] = True
    member = running.pod_group[evicted[running.pod_unit]]
    lost = np.bincount(member[member >= 0], minlength=n)
    whole = (lost > 0) & (lost == instance.groups.running)
    brittle[every[:n][whole]] = True
    has = np.zeros(len(every) + 1, dtype=np.bool_)
    has[root[fixed]] = True
    found: Flags = brittle & has[:-1]
    return found
