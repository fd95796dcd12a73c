r"""What devices, counters and pots have left; part of the claims family.

    sum_{j, b in P} give[j, b, i]  <=  1        for each device i that may not be shared; where
                                                holding a has it, f[a] instead of 1 (claims.device)
    sum_{b in P} give[j, b, i] + k sum_{b in A} give[j, b, i]  <=  k
                                                for each claim j with adminAccess, device i; k = the
                                                most that the first sum can be       (claims.admin)
    open[i] in {0, 1}                           is device i, which may be shared, in use
    give[j, b, i]  <=  m_i open[i]              for each b in P                       (claims.open)
    sum_{i, j, b in P} draw[i, c] give[j, b, i] + sum_i draw[i, c] open[i]
        <=  free_c + sum_a back[a, c] f[a]      for each counter c: i that may not be shared, then
                                                i that may                         (claims.counter)
    sum_{j, b in P} use[b, m] give[j, b, i]  <=  free_m + sum_a back[a, m] f[a]
                                                for each pot m, of device i            (claims.pot)

A = choices with adminAccess, P = all others; back = what holding a returns once it is free. Rows of
counters and pots are divided by the gcd of their amounts, the right side rounded down; those that
everything together cannot exceed are left out.
"""

from math import gcd

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.asked import Asked
from gangplan.models.assignment.links import only_where
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.milp import BIGGEST, Columns, RowBlock, VarBlock, row_block


def opened_by(instance: Instance, asked: Asked) -> Ints:
    """Return the devices that draw once, however many claims share them."""
    devices = instance.devices
    drawing = np.unique(devices.draw_device)
    mine = asked.give_device[~instance.claims.choice_admin[asked.give_choice]]
    return np.unique(mine[devices.multi[mine] & np.isin(mine, drawing)])


def columns(opened: Ints, cols: Columns) -> VarBlock:
    """Columns open, one for each of the devices."""
    return cols.add("open", np.zeros(len(opened), dtype=np.int64), 1)


def rows(
    instance: Instance, asked: Asked, opened: Ints, f: VarBlock, give: VarBlock, open_: VarBlock
) -> list[RowBlock]:
    """Write claims.device, claims.admin, claims.open, claims.counter and claims.pot.

    Parameters
    ----------
    f : columns of holdings; none where nobody falls.

    Raises
    ------
    FormulationError : an amount above 2^40 after division; the message names the counter or pot.
    """
    paying = np.flatnonzero(~instance.claims.choice_admin[asked.give_choice])
    alone = paying[~instance.devices.multi[asked.give_device[paying]]]
    opening = paying[np.isin(asked.give_device[paying], opened)]
    number = np.searchsorted(opened, asked.give_device[opening])
    return [
        _device(instance, asked, alone, f, give),
        _admin(instance, asked, give),
        only_where(
            "claims.open", give.cols[opening], asked.give_most[opening], np.arange(len(opening)),
            open_.cols[number], asked.about(opening),
        ),
        _counter(instance, asked, alone, opened, f, give, open_),
        _pot(instance, asked, paying, f, give),
    ]  # fmt: skip


def _device(instance: Instance, asked: Asked, alone: Ints, f: VarBlock, give: VarBlock) -> RowBlock:
    running = instance.running
    device, row = np.unique(asked.give_device[alone], return_inverse=True)
    held = np.isin(device, running.freed_device)
    holding = dict(zip(running.freed_device.tolist(), running.freed_hold.tolist(), strict=True))
    free = f.cols[[holding[i] for i in device[held].tolist()]] if held.any() else device[held]
    return row_block(
        "claims.device",
        np.concatenate([row, np.flatnonzero(held)]),
        np.concatenate([give.cols[alone], free]),
        np.repeat([1, -1], [len(row), len(free)]),
        -np.inf, ~held, len(device), device[:, None],
    )  # fmt: skip


def _admin(instance: Instance, asked: Asked, give: VarBlock) -> RowBlock:
    admin = instance.claims.choice_admin[asked.give_choice]
    n_devices = max(len(instance.devices), 1)
    key = asked.give_claim * n_devices + asked.give_device
    mine = np.flatnonzero(np.isin(key, key[admin]))
    places, row = np.unique(key[mine], return_inverse=True)
    row = row.reshape(-1)
    plain = np.where(admin, 0, asked.give_most)[mine]
    most = np.zeros(len(places), dtype=np.int64)
    np.add.at(most, row, plain)
    most = np.maximum(most, 1)
    return row_block(
        "claims.admin", row, give.cols[mine], np.where(admin[mine], most[row], 1), -np.inf, most,
        len(places), np.column_stack(np.divmod(places, n_devices)),
    )  # fmt: skip


def _counter(
    instance: Instance, asked: Asked, alone: Ints, opened: Ints, f: VarBlock, give: VarBlock,
    open_: VarBlock,
) -> RowBlock:  # fmt: skip
    devices, running = instance.devices, instance.running
    columns: dict[int, list[int]] = {}
    for i, col in zip(asked.give_device[alone].tolist(), give.cols[alone].tolist(), strict=True):
        columns.setdefault(i, []).append(col)
    for i, col in zip(opened.tolist(), open_.cols.tolist(), strict=True):
        columns[i] = [col]
    entries: dict[int, list[tuple[int, int, int]]] = {}
    draws = zip(
        devices.draw_device.tolist(), devices.draw_counter.tolist(), devices.draw_amount.tolist(),
        strict=True,
    )  # fmt: skip
    for i, c, amount in draws:
        # A device that may not be shared draws once, whichever of its columns it is.
        mine = columns.get(i, [])
        entries.setdefault(c, []).extend((col, amount, int(col == mine[0])) for col in mine)
    names = [f"counter {name}" for name in instance.names.counters]
    back = _back(running.back_counter, running.back_hold, running.back_amount, f)
    return _room("claims.counter", entries, back, devices.counter_free.tolist(), names)


def _pot(instance: Instance, asked: Asked, paying: Ints, f: VarBlock, give: VarBlock) -> RowBlock:
    claims, devices, running = instance.claims, instance.devices, instance.running
    columns: dict[tuple[int, int], list[tuple[int, int]]] = {}
    using = paying[np.isin(asked.give_choice[paying], claims.use_choice)]
    for b, i, col, most in zip(
        asked.give_choice[using].tolist(),
        asked.give_device[using].tolist(),
        give.cols[using].tolist(),
        asked.give_most[using].tolist(),
        strict=True,
    ):
        columns.setdefault((b, i), []).append((col, most))
    entries: dict[int, list[tuple[int, int, int]]] = {}
    uses = zip(
        claims.use_choice.tolist(), claims.use_pot.tolist(), claims.use_amount.tolist(), strict=True
    )
    for b, m, amount in uses:
        mine = columns.get((b, int(devices.pot_device[m])), [])
        if amount:
            entries.setdefault(m, []).extend((col, amount, most) for col, most in mine)
    names = [
        f"device {instance.names.devices[i]}: {pot}"
        for i, pot in zip(devices.pot_device.tolist(), instance.names.pots, strict=True)
    ]
    back = _back(running.spare_pot, running.spare_hold, running.spare_amount, f)
    return _room("claims.pot", entries, back, devices.pot_free.tolist(), names)


def _back(of: Ints, hold: Ints, amount: Ints, f: VarBlock) -> dict[int, list[tuple[int, int]]]:
    """Column and amount of what returns, by counter or pot; nothing where nobody falls."""
    found: dict[int, list[tuple[int, int]]] = {}
    for number, a, more in zip(of.tolist(), hold.tolist(), amount.tolist(), strict=True):
        if len(f.cols):
            found.setdefault(number, []).append((int(f.cols[a]), more))
    return found


def _room(
    name: str,
    entries: dict[int, list[tuple[int, int, int]]],
    back: dict[int, list[tuple[int, int]]],
    free: list[int],
    names: list[str],
) -> RowBlock:
    """Write ``sum amount col <= free + sum more f``.

    Parameters
    ----------
    entries : (col, amount, how often at most) by number.
    back : (column f, what it returns) by number.
    """
    row: list[int] = []
    col: list[int] = []
    coef: list[int] = []
    side: list[int] = []
    about: list[int] = []
    for number, mine in sorted(entries.items()):
        asked = sum(amount * most for _, amount, most in mine)
        if asked <= free[number]:
            continue
        # What returns beyond all that is asked of it changes nothing.
        returned = [(c, min(more, asked)) for c, more in back.get(number, ())]
        divisor = gcd(*(amount for _, amount, _ in mine), *(more for _, more in returned))
        room = free[number] // divisor
        most_room = room + sum(more // divisor for _, more in returned)
        if most_room >= BIGGEST:
            raise FormulationError(
                f"{names[number]}: a quantity above 2^40 after division by the common divisor of"
                " what is asked of it cannot be solved exactly"
            )
        row += [len(side)] * (len(mine) + len(returned))
        col += [c for c, _, _ in mine] + [c for c, _ in returned]
        # What is larger than the room fits it never, by however much.
        coef += [min(amount // divisor, most_room + 1) for _, amount, _ in mine]
        coef += [-(more // divisor) for _, more in returned]
        side.append(room)
        about.append(number)
    index = np.array(about, dtype=np.int64)[:, None]
    return row_block(name, row, col, coef, -np.inf, np.array(side), len(side), index)
