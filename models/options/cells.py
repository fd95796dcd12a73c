"""Cells: devices that nothing in the instance tells apart, so that they can be counted.

Two devices are in one cell where they have the same reach, the same columns of ``fits`` and
``asks``, the same draws and traits, and both can be free in some plan or neither can: a device that
comes free when units fall is in a cell with those that are free already. A device that may be
shared is a cell of its own.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance

PLENTY = 2**31
"""Shares of a device that nothing limits."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Cells e in 0..E-1.

    Attributes
    ----------
    of : (I,) cell of each device.
    order : (I,) devices, cell after cell; those of cell e are ``order[start[e]:start[e + 1]]``.
    first : (E,) a device of the cell.
    size : (E,) its devices. free : (E,) those that choices without adminAccess may take, once all
        units are gone that can fall. now : (E,) those of them that are free at once.
    multi : (E,) the one device of the cell may be shared.
    node, zone : (E,) reach, as in `Devices`.
    most : (B, E) how often a choice can take a device of the cell, at most, over all claims; 0
        where it does not fit. adminAccess: PLENTY. Likewise once all units are gone that can fall.
    """

    of: Ints
    order: Ints
    start: Ints
    first: Ints
    size: Ints
    free: Ints
    now: Ints
    multi: Flags
    node: Ints
    zone: Ints
    most: Ints

    def __len__(self) -> int:
        """Return the number of cells E."""
        return len(self.first)

    def devices(self, cell: int) -> list[int]:
        """Devices of a cell, ascending."""
        mine: list[int] = self.order[self.start[cell] : self.start[cell + 1]].tolist()
        return mine


def cells_of(instance: Instance) -> Cells:
    """Group the devices of an instance into cells."""
    loose = loosened(instance)
    devices, claims = loose.devices, instance.claims
    n, b = len(devices), len(claims.choice_request)
    marks = np.column_stack(
        [
            devices.node,
            devices.zone,
            devices.taken,
            np.where(devices.multi, np.arange(n), -1),
            np.packbits(claims.fits.reshape(b, n), axis=0).T,
            np.packbits(claims.asks.reshape(b, n), axis=0).T,
            _listed(n, devices.draw_device, devices.draw_counter, devices.draw_amount),
            _listed(n, devices.trait_device, devices.trait_attribute, devices.trait_value),
        ]
    ).astype(np.int64)
    _, first, of = np.unique(marks, axis=0, return_index=True, return_inverse=True)
    of = of.reshape(-1).astype(np.int64)
    size = np.bincount(of, minlength=len(first)).astype(np.int64)
    free = np.where(devices.taken[first], 0, size)
    now = np.bincount(of[~instance.devices.taken], minlength=len(first)).astype(np.int64)
    order = np.argsort(of, kind="stable").astype(np.int64)
    start = np.concatenate(([0], np.cumsum(size))).astype(np.int64)
    return Cells(
        of, order, start, first.astype(np.int64), size, free, now,
        devices.multi[first], devices.node[first], devices.zone[first],
        _most(loose, of, first, free),
    )  # fmt: skip


def draws_of(instance: Instance, cells: Cells) -> tuple[Ints, Ints, Ints]:
    """Draws of one device of each cell: cell, counter, amount."""
    devices = instance.devices
    cell = cells.of[devices.draw_device]
    mine = cells.first[cell] == devices.draw_device
    return cell[mine], devices.draw_counter[mine], devices.draw_amount[mine]


def _most(instance: Instance, of: Ints, first: Ints, free: Ints) -> Ints:
    """(B, E) see `Cells`: by free devices, counters and pots, each by itself."""
    devices, claims = instance.devices, instance.claims
    limit = np.where(devices.multi[first], PLENTY, free)
    cell = of[devices.draw_device]
    times = devices.counter_free[devices.draw_counter] // devices.draw_amount
    # A shared device draws once, however many shares it gives: the draw fits or it does not.
    np.minimum.at(
        limit, cell, np.where(devices.multi[devices.draw_device] & (times > 0), PLENTY, times)
    )
    most = np.broadcast_to(limit, (len(claims.choice_request), len(first))).copy()
    some = claims.use_amount > 0
    pot = claims.use_pot[some]
    shares = devices.pot_free[pot] // claims.use_amount[some]
    np.minimum.at(most, (claims.use_choice[some], of[devices.pot_device[pot]]), shares)
    most[claims.choice_admin] = PLENTY
    fits = claims.fits.reshape(len(most), len(devices))[:, first]
    return np.where(fits, np.minimum(most, PLENTY), 0).astype(np.int64)


def _listed(n: int, device: Ints, *columns: Ints) -> Ints:
    """(n, any) entries of each device side by side, in one order; -1 where it has no more."""
    order = np.lexsort((*columns[::-1], device))
    device = device[order]
    place = np.arange(len(device)) - np.searchsorted(device, device, side="left")
    width = int(place.max(initial=-1)) + 1
    table = np.full((n, width, len(columns)), -1, dtype=np.int64)
    for c, column in enumerate(columns):
        table[device, place, c] = column[order]
    return table.reshape(n, width * len(columns))
