"""Budgets: what all devices of a cluster have together, and what pods take of it at least.

One for every set of devices that a request is confined to; one for all counters of one size
together (memory slices, multiprocessors), the size of a counter being the largest draw on it. What
comes free when units fall is there.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.devices import Devices
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance
from gangplan.models.once import once

MANY = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Budgets:
    """Budgets l.

    Attributes
    ----------
    room : (L,) what is left of each.
    need : (L, K) what the own claims of a pod of each role take of it at least.
    sets : (S, I) the devices of each of the first S budgets.
    """

    room: Ints
    need: Ints
    sets: Flags


@once
def budgets_of(instance: Instance) -> Budgets:
    """Count devices and counters over the whole cluster, and what own claims take of them.

    Devices that may be shared are in no budget, adminAccess takes nothing, and shared claims are
    left out: so every need is one from below.
    """
    claims, devices = instance.claims, loosened(instance).devices
    first = np.searchsorted(claims.choice_request, np.arange(len(claims.request_spec)))
    least = np.minimum.reduceat(np.maximum(claims.choice_count, 1), first)
    admin = np.logical_or.reduceat(claims.choice_admin, first)
    fits = np.logical_or.reduceat(claims.fits, first, axis=0) & (~devices.taken | devices.multi)
    room, need = [], []
    sets = _sets(fits[~admin & ~(fits & devices.multi).any(axis=1)])
    for mine in sets:
        inside = ~admin & ~(fits & ~mine).any(axis=1)
        room.append(int(mine.sum()))
        need.append(np.where(inside, least, 0))
    served = ~admin & fits.any(axis=1)
    for left, draws in _counters(devices):
        drawn = np.where(fits, draws, MANY).min(axis=1, initial=MANY)
        room.append(left)
        need.append(least * np.where(served, drawn, 0))
    by_request = np.array(need, dtype=np.int64).reshape(len(room), len(least))
    by_spec = np.zeros((len(room), claims.n_specs), dtype=np.int64)
    np.add.at(by_spec.T, claims.request_spec, by_request.T)
    by_role = np.zeros((len(room), len(instance.roles)), dtype=np.int64)
    np.add.at(by_role.T, claims.own_role, by_spec.T[claims.own_spec])
    table = np.array(sets, dtype=np.bool_).reshape(len(sets), len(devices))
    return Budgets(np.array(room, dtype=np.int64), by_role, table)


def _sets(fits: Flags) -> list[Flags]:
    return list({row.tobytes(): row for row in fits}.values())


def _counters(devices: Devices) -> list[tuple[int, Ints]]:
    """For each size of counters: what all have left, and (I,) what a device draws from them."""
    size = np.zeros(len(devices.counter_free), dtype=np.int64)
    np.maximum.at(size, devices.draw_counter, devices.draw_amount)
    found = []
    for each in np.unique(size[size > 0]).tolist():
        mine = (size == each)[devices.draw_counter] & ~devices.multi[devices.draw_device]
        draws = np.zeros(len(devices), dtype=np.int64)
        np.add.at(draws, devices.draw_device[mine], devices.draw_amount[mine])
        found.append((sum(devices.counter_free[size == each].tolist()), draws))
    return found
