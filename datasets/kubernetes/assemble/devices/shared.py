"""Claims with one allocation for all their users, as the columns say them."""

from collections.abc import Mapping, Sequence

from gangplan.datasets.devices import Common
from gangplan.datasets.kubernetes.assemble.devices.reach import Reach
from gangplan.datasets.kubernetes.assemble.devices.use import Shared, Use
from gangplan.datasets.kubernetes.assemble.holds import counted
from gangplan.datasets.kubernetes.devicerecords import ClaimRecord
from gangplan.datasets.kubernetes.order import full_name, natural
from gangplan.datasets.kubernetes.records import PodRecord
from gangplan.models.claims import NO_LIMIT

MOST_USERS = 256
"""Users that may reserve one claim (ResourceClaimReservedForMaxSize); a PodGroup is one."""


def commons(
    roles: Sequence[tuple[Use, Sequence[PodRecord]]],
    shared: Mapping[str, Shared],
    specs: Mapping[str, int],
    reach: Reach,
    notes: list[str],
) -> list[Common]:
    """Write the shared claims, by name.

    Parameters
    ----------
    roles : use and pods of each role.
    specs : claim -> column of its spec; claims without one are left out, since their users are
        held.
    notes : told where more pods wait for a claim than may use it.
    """
    users: dict[str, list[int]] = {}
    for k, (use, _) in enumerate(roles):
        for name in use.shared:
            users.setdefault(name, []).append(k)
    found = []
    for name in sorted(users, key=natural):
        one, mine = shared[name], tuple(users[name])
        waiting = [pod for k in mine for pod in roles[k][1]]
        allocation = one.claim.allocation if one.claim is not None else None
        if allocation is not None:
            nodes = reach.nodes_of(allocation.selector)
            if not nodes.any():
                notes.append(
                    f"ResourceClaim {name} is allocated where no node in the sources reaches it"
                )
            limit = _limit(one, waiting, notes)
            found.append(Common(name, mine, zone=reach.zone(nodes), limit=limit))
        elif name in specs:
            limit = _limit(one, waiting, notes)
            found.append(Common(name, mine, spec=specs[name], limit=limit))
    return found


def _limit(shared: Shared, waiting: Sequence[PodRecord], notes: list[str]) -> int:
    """Count how many of the waiting pods may reserve a claim; those of a PodGroup's need not."""
    alone = {full_name(pod): pod for pod in waiting if full_name(pod) not in shared.by_group}
    if shared.claim is None:
        return NO_LIMIT
    if not alone:
        return _of_groups(shared.claim, set(shared.by_group.values()), notes)
    own = {pod.name: pod.uid for pod in alone.values()}
    reserved = sum(
        not (
            one.resource == "pods"
            and one.name in own
            and (not own[one.name] or not one.uid or own[one.name] == one.uid)
        )
        for one in shared.claim.reserved
    )
    left = max(MOST_USERS - reserved, 0)
    if len(alone) > left:
        notes.append(
            f"ResourceClaim {shared.name}: {counted(len(alone), 'waiting pod')} and {reserved}"
            f" others use it, {MOST_USERS} may; a claim of their PodGroup (spec.resourceClaims)"
            " has no such limit"
        )
    elif shared.by_group:
        return NO_LIMIT  # the limit binds only those that are not of the group, and they are few
    return left


def _of_groups(claim: ClaimRecord, groups: set[str], notes: list[str]) -> int:
    """Nobody may use a claim that is full; a PodGroup that it is reserved for already may."""
    full = len(claim.reserved) >= MOST_USERS
    if not full or any(
        one.resource == "podgroups" and one.name in groups for one in claim.reserved
    ):
        return NO_LIMIT
    notes.append(
        f"ResourceClaim {claim.namespace}/{claim.name}: {MOST_USERS} others use it, as many as may"
    )
    return 0
