"""Devices and claims of a part: what others hold is taken, and what they draw is used up."""

from dataclasses import dataclass, replace

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.claims import NO_CLAIMS, Claims
from gangplan.models.devices import NO_DEVICES, Devices
from gangplan.models.instance import Instance
from gangplan.models.part.cut import Cut
from gangplan.models.plan import Allocations, Plan


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """Devices and claims of a part, and the numbers in the whole of what it has of them.

    Attributes
    ----------
    kept, pots, own : (i,), (m,), (w,) devices that the nodes reach, their pots, own claims.
    common : shared claims that are allocated in the part alone; numbers stay as they are.
    """

    devices: Devices
    claims: Claims
    kept: Ints
    pots: Ints
    own: Ints
    common: Ints


def users(instance: Instance, pods: Flags) -> Ints:
    """(C,) how many of the (P,) flagged pods use each shared claim."""
    claims = instance.claims
    roles = np.bincount(instance.pod_role[pods], minlength=len(instance.roles))
    total = np.zeros(claims.n_shared, dtype=np.int64)
    np.add.at(total, claims.user_shared, roles[claims.user_role])
    return total


def users_of(instance: Instance, shared: Flags) -> Flags:
    """(G,) groups with a role that uses one of the (C,) flagged shared claims."""
    claims = instance.claims
    group = instance.roles.group[claims.user_role[shared[claims.user_shared]]]
    found: Flags = np.bincount(group, minlength=len(instance.groups)) > 0
    return found


def section_of(cut: Cut, roles: Ints) -> Section:
    """Cut out what the nodes reach.

    Parameters
    ----------
    roles : roles of the part, in order.
    """
    instance = cut.instance
    none = np.zeros(0, dtype=np.int64)
    if not instance.claims:
        return Section(NO_DEVICES, NO_CLAIMS, none, none, none, none)
    devices, claims = instance.devices, instance.claims
    zones = _some(devices.zones, cut.nodes)
    reached = np.append(cut.here, False)[devices.node]
    reached |= np.append(zones.any(axis=1), False)[devices.zone]
    kept = np.flatnonzero(reached)
    pots = np.flatnonzero(reached[devices.pot_device])
    own = np.flatnonzero(np.isin(claims.own_role, roles))
    placed = cut.plan.node >= 0
    theirs = users(instance, placed & ~cut.mine)
    common = (users(instance, cut.mine) > 0) & (theirs == 0) & (claims.shared_spec >= 0)
    rows = ~of_part(cut.plan, cut.mine, common)
    user = np.flatnonzero(np.isin(claims.user_role, roles))
    use = np.flatnonzero(np.isin(claims.use_pot, pots))
    section = replace(
        claims,
        fits=_some(claims.fits, kept),
        asks=_some(claims.asks, kept),
        barred=_some(claims.barred, cut.nodes),
        use_choice=claims.use_choice[use],
        use_pot=np.searchsorted(pots, claims.use_pot[use]),
        use_amount=claims.use_amount[use],
        own_role=np.searchsorted(roles, claims.own_role[own]),
        own_spec=claims.own_spec[own],
        shared_limit=np.maximum(claims.shared_limit - theirs, 0),
        user_shared=claims.user_shared[user],
        user_role=np.searchsorted(roles, claims.user_role[user]),
    )
    left = _left(cut, rows, kept, pots, zones)
    return Section(left, section, kept, pots, own, np.flatnonzero(common))


def _some(grid: Flags, columns: Ints) -> Flags:
    """Columns of a grid; one without rows need not have had any."""
    if not len(grid):
        return np.zeros((0, len(columns)), dtype=np.bool_)
    some: Flags = grid[:, columns]
    return some


def _left(cut: Cut, rows: Flags, kept: Ints, pots: Ints, zones: Flags) -> Devices:
    """Devices beside the allocations of others; (A,) ``rows`` of the plan."""
    devices, claims, given = cut.instance.devices, cut.instance.claims, cut.plan.allocations
    paying = rows & ~claims.choice_admin[given.choice]
    choice, device = given.choice[paying], given.device[paying]
    held = np.zeros(len(devices), dtype=np.bool_)
    held[device] = True
    counter = devices.counter_free.copy()
    drawn = held[devices.draw_device]
    np.subtract.at(counter, devices.draw_counter[drawn], devices.draw_amount[drawn])
    local = np.full(len(devices), -1, dtype=np.int64)
    local[kept] = np.arange(len(kept))
    draw = np.flatnonzero(~drawn & (local[devices.draw_device] >= 0))
    trait = np.flatnonzero(local[devices.trait_device] >= 0)
    return Devices(
        node=cut.local[devices.node[kept]],
        zone=devices.zone[kept],
        zones=zones,
        multi=devices.multi[kept],
        taken=(devices.taken | (held & ~devices.multi))[kept],
        counter_free=np.maximum(counter, 0),
        draw_device=local[devices.draw_device[draw]],
        draw_counter=devices.draw_counter[draw],
        draw_amount=devices.draw_amount[draw],
        pot_device=local[devices.pot_device[pots]],
        pot_free=np.maximum(devices.pot_free - _used(cut.instance, choice, device), 0)[pots],
        trait_device=local[devices.trait_device[trait]],
        trait_attribute=devices.trait_attribute[trait],
        trait_value=devices.trait_value[trait],
    )


def _used(instance: Instance, choice: Ints, device: Ints) -> Ints:
    """(M,) what these devices, given to these choices, take of each pot."""
    claims, devices = instance.claims, instance.devices
    if not len(devices.pot_device):
        return np.zeros(0, dtype=np.int64)
    pairs = np.zeros((len(claims.choice_request), len(devices)), dtype=np.int64)
    np.add.at(pairs, (choice, device), 1)
    times = pairs[claims.use_choice, devices.pot_device[claims.use_pot]]
    used = np.zeros(len(devices.pot_device), dtype=np.int64)
    np.add.at(used, claims.use_pot, times * claims.use_amount)
    return used


def of_part(plan: Plan, mine: Flags, common: Flags) -> Flags:
    """Flag the (A,) allocations for the (P,) flagged pods and the (C,) flagged shared claims."""
    given = plan.allocations
    rows = np.zeros(len(given), dtype=np.bool_)
    own = given.pod >= 0
    rows[own] = mine[given.pod[own]]
    rows[~own] = common[given.claim[~own]]
    return rows


def into_part(plan: Plan, rows: Flags, pods: Ints, section: Section) -> Allocations:
    """Allocations (A,) of the whole in the numbers of the part."""
    given = plan.allocations
    pod, claim = given.pod[rows], given.claim[rows]
    own = pod >= 0
    return Allocations(
        np.where(own, np.searchsorted(pods, pod), -1),
        np.where(own, np.searchsorted(section.own, claim), claim),
        given.choice[rows],
        np.searchsorted(section.kept, given.device[rows]),
    )


def together(
    plan: Plan, rows: Flags, better: Allocations, pods: Ints, own: Ints, devices: Ints
) -> Allocations:
    """Put allocations of a part in the place of the (A,) flagged ones of the whole."""
    given = plan.allocations
    mine = better.pod >= 0
    claim = better.claim.copy()
    claim[mine] = own[better.claim[mine]]
    return Allocations(
        np.concatenate([given.pod[~rows], np.append(pods, -1)[better.pod]]),
        np.concatenate([given.claim[~rows], claim]),
        np.concatenate([given.choice[~rows], better.choice]),
        np.concatenate([given.device[~rows], devices[better.device]]),
    )
