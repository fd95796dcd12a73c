"""What devices are used up by: claims, shared counters, capacity.

A device that may not be shared serves one claim, once, and none where somebody holds it; counters
pay the draws of every device that is newly allocated, once; pots pay the uses of every share.
adminAccess uses nothing up, but a device that serves a claim so serves nothing else of it. What a
holding has is nobody's once its users have fallen and no new pod uses its claim.
"""

from collections import Counter

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.allocated import NAME, Key, broken, claim_name, rows_by_claim
from gangplan.models.verify.evictions import fallen, freed
from gangplan.models.verify.violation import Violation


def check_charges(instance: Instance, plan: Plan) -> list[Violation]:
    """Check all devices that the plan gives, whoever gets them."""
    rows = rows_by_claim(plan)
    admin = instance.claims.choice_admin
    paying = [(b, i) for mine in rows.values() for b, i in mine if not admin[b]]
    free = freed(instance, fallen(instance, plan.evicted), plan.node >= 0)
    return [
        *_taken(instance, rows, free),
        *_twice(instance, rows),
        *_admin(instance, rows),
        *_counters(instance, paying, free),
        *_pots(instance, paying, free),
    ]


def _taken(instance: Instance, rows: dict[Key, list[Key]], free: Flags) -> list[Violation]:
    """Devices that somebody else has; ``free`` (H,) holdings have none any more."""
    names, admin, running = instance.names, instance.claims.choice_admin, instance.running
    taken = instance.devices.taken.copy()
    taken[running.freed_device[free[running.freed_hold]]] = False
    return [
        broken(
            claim_name(instance, key),
            1,
            0,
            f"request {names.choices[b]}: device {names.devices[i]} is held by "
            f"{_holder(instance, i)}",
        )
        for key, mine in rows.items()
        for b, i in dict.fromkeys(mine)
        if taken[i] and not admin[b]
    ]


def _holder(instance: Instance, device: int) -> str:
    """Name the users of the holding that a device belongs to."""
    running, names = instance.running, instance.names
    for h in running.freed_hold[running.freed_device == device].tolist():
        users = [names.running[u] for u in running.user_pod[running.user_hold == h].tolist()]
        shared = int(running.hold_shared[h])
        new = "" if shared < 0 else f" (and new pods may use claim {names.shared[shared]})"
        more = f" and {len(users) - 3} more" if len(users) > 3 else ""
        return f"{', '.join(users[:3])}{more}{new}"
    return "somebody else"


def _twice(instance: Instance, rows: dict[Key, list[Key]]) -> list[Violation]:
    """Devices for one claim only."""
    multi, admin = instance.devices.multi, instance.claims.choice_admin
    holders: dict[int, list[Key]] = {}
    for key, mine in rows.items():
        for b, i in mine:
            if not admin[b] and not multi[i]:
                holders.setdefault(i, []).append(key)
    found = []
    for i, keys in sorted(holders.items()):
        if len(keys) > 1:
            what = f"device {instance.names.devices[i]}"
            some = "; ".join(claim_name(instance, key) for key in keys[:3])
            said = f"{what}: given {len(keys)} times, it serves once: {some}"
            found.append(Violation(NAME, what, len(keys), 1, said))
    return found


def _admin(instance: Instance, rows: dict[Key, list[Key]]) -> list[Violation]:
    """Devices that serve a claim with adminAccess, and again."""
    admin, found = instance.claims.choice_admin, []
    for key, mine in rows.items():
        watched = {i for b, i in mine if admin[b]}
        times = Counter(i for _, i in mine if i in watched)
        for i in sorted(watched):
            if times[i] > 1:
                said = (
                    f"device {instance.names.devices[i]} with adminAccess, and in the claim "
                    f"{times[i]} times"
                )
                found.append(broken(claim_name(instance, key), times[i], 1, said))
    return found


def drawn(instance: Instance, paying: list[Key]) -> dict[int, int]:
    """Counter -> what the (choice, device) rows draw: each device once."""
    devices = instance.devices
    given = np.unique(np.array([i for _, i in paying], dtype=np.int64))
    asked: dict[int, int] = {}
    # In Python integers: sums of any length are exact.
    for d in np.flatnonzero(np.isin(devices.draw_device, given)).tolist():
        counter = int(devices.draw_counter[d])
        asked[counter] = asked.get(counter, 0) + int(devices.draw_amount[d])
    return asked


def poured(instance: Instance, paying: list[Key]) -> dict[int, int]:
    """Pot -> what the (choice, device) rows use, each share of a device by itself."""
    devices, claims = instance.devices, instance.claims
    shares = Counter(paying)
    chosen = np.unique(np.array([b for b, _ in shares], dtype=np.int64))
    asked: dict[int, int] = {}
    for u in np.flatnonzero(np.isin(claims.use_choice, chosen)).tolist():
        pot = int(claims.use_pot[u])
        times = shares[int(claims.use_choice[u]), int(devices.pot_device[pot])]
        asked[pot] = asked.get(pot, 0) + times * int(claims.use_amount[u])
    return asked


def counters_left(instance: Instance, free: Flags) -> list[int]:
    """C amounts, with what ``free`` (H,) holdings give back; in Python integers."""
    running, left = instance.running, instance.devices.counter_free
    return _returned(left, running.back_counter, running.back_amount, free[running.back_hold])


def pots_left(instance: Instance, free: Flags) -> list[int]:
    """M amounts, likewise."""
    running, left = instance.running, instance.devices.pot_free
    return _returned(left, running.spare_pot, running.spare_amount, free[running.spare_hold])


def _returned(left: Ints, at: Ints, amount: Ints, comes: Flags) -> list[int]:
    """Add to what is left the amounts that come back, each ``at`` its place."""
    total: list[int] = left.tolist()
    for place, more in zip(at[comes].tolist(), amount[comes].tolist(), strict=True):
        total[place] += more
    return total


def _counters(instance: Instance, paying: list[Key], free: Flags) -> list[Violation]:
    left = counters_left(instance, free)
    return [
        _short(f"counter {instance.names.counters[c]}", amount, left[c])
        for c, amount in sorted(drawn(instance, paying).items())
        if amount > left[c]
    ]


def _pots(instance: Instance, paying: list[Key], free: Flags) -> list[Violation]:
    names, device = instance.names, instance.devices.pot_device
    left = pots_left(instance, free)
    return [
        _short(f"device {names.devices[int(device[m])]}, capacity {names.pots[m]}", amount, left[m])
        for m, amount in sorted(poured(instance, paying).items())
        if amount > left[m]
    ]


def _short(what: str, asked: int, free: int) -> Violation:
    return Violation(NAME, what, asked, free, f"{what}: {asked} asked, {free} free")
