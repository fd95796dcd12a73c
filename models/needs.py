"""What an instance asks for, derived once: missing minima, and the units that `admitted` counts.

A root unit is what is admitted as one: a gang without a parent, a composite without a parent, or
one pod of a basic or bare group.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.once import once


@dataclass(frozen=True, slots=True, eq=False)
class Needs:
    """Derived counts; the definitions that tiers and formulations share.

    Attributes
    ----------
    role : (K,) new pods the role's own minimum still lacks.
    group : (G,) new pods an admitted gang needs: max(minimum - running, sum of role needs, 0);
        0 for basic and bare groups, and for a gang that stands already.
    group_devices : (G,) the smallest device total of ``group`` new pods that meet the minima.
    stands : (G,) running members already meet every minimum (gangs only).
    composite : (H,) children that must still be admitted beyond the standing ones, >= 0.
    composite_stands : (H,) enough children stand already.
    composite_pods, composite_devices : (H,) the fewest new pods (devices) that admit composite h.
        Children that are held, or that too few pods wait for, are no way to do it; meaningless
        where no way is left.
    """

    role: Ints
    group: Ints
    group_devices: Ints
    stands: Flags
    composite: Ints
    composite_stands: Flags
    composite_pods: Ints
    composite_devices: Ints


@once
def needs_of(instance: Instance) -> Needs:
    """Compute the needs of every role, group and composite."""
    roles, groups = instance.roles, instance.groups
    role_need = np.maximum(roles.minimum - roles.running, 0)
    role_sum = instance.per_group(role_need)
    gang = groups.kind == GANG
    group_need = np.where(gang, np.maximum(groups.minimum - groups.running, role_sum), 0)
    group_need = np.maximum(group_need, 0)
    devices = np.array(
        [
            least_total(instance, g, roles.devices, need, role_need)
            for g, need in enumerate(group_need.tolist())
        ],
        dtype=np.int64,
    )
    stands = gang & (group_need == 0)
    columns = (
        role_need,
        group_need,
        devices,
        stands,
        *_composites(
            instance, group_need, devices, stands, _enough_wait(instance, role_need, group_need)
        ),
    )
    for column in columns:
        column.setflags(write=False)  # kept for whoever asks next
    return Needs(*columns)


def _enough_wait(instance: Instance, role_need: Ints, group_need: Ints) -> Flags:
    """(G,) not held, and as many pods wait as the group and each of its roles lack."""
    roles = instance.roles
    enough: Flags = ~instance.groups.held & (instance.per_group(roles.wanted) >= group_need)
    enough[roles.group[role_need > roles.wanted]] = False
    return enough


def least_total(instance: Instance, group: int, each: Ints, need: int, role_need: Ints) -> int:
    """Return the least that ``need`` new pods of a group take together.

    The roles' own minima come first, the rest from the roles that ask the least.

    Parameters
    ----------
    each : (K,) what one pod of each role takes: devices, or one resource.
    role_need : (K,) see ``Needs.role``.
    """
    start, end = instance.role_start[group : group + 2].tolist()
    # Python integers: bytes times pods can be above 2^63.
    ask: list[int] = each[start:end].tolist()
    wanted: list[int] = instance.roles.wanted[start:end].tolist()
    own: list[int] = np.minimum(role_need[start:end], wanted).tolist()
    total, rest = sum(a * b for a, b in zip(own, ask, strict=True)), need - sum(own)
    for k in sorted(range(end - start), key=ask.__getitem__):
        taken = max(min(rest, wanted[k] - own[k]), 0)
        total, rest = total + taken * ask[k], rest - taken
    return total


def _composites(
    instance: Instance, group_need: Ints, devices: Ints, stands: Flags, able: Flags
) -> tuple[Ints, Flags, Ints, Ints]:
    """Fold the trees from the leaves up; children stand after their parents."""
    n = len(instance.composites)
    missing = np.zeros(n, dtype=np.int64)
    standing = np.zeros(n, dtype=np.bool_)
    pods = np.zeros(n, dtype=np.int64)
    gpus = np.zeros(n, dtype=np.int64)
    able_tree = np.zeros(n, dtype=np.bool_)
    for h in range(n - 1, -1, -1):
        leaves = np.flatnonzero(instance.groups.parent == h)
        inner = np.flatnonzero(instance.composites.parent == h)
        up = int(stands[leaves].sum() + standing[inner].sum())
        missing[h] = max(int(instance.composites.minimum[h]) - up, 0)
        standing[h] = missing[h] == 0
        down_leaves = leaves[~stands[leaves] & able[leaves]]
        down_inner = inner[~standing[inner] & able_tree[inner]]
        able_tree[h] = (
            not instance.composites.held[h] and len(down_leaves) + len(down_inner) >= missing[h]
        )
        for target, leaf, composite in ((pods, group_need, pods), (gpus, devices, gpus)):
            each = sorted([*leaf[down_leaves].tolist(), *composite[down_inner].tolist()])
            target[h] = sum(each[: int(missing[h])])
    return missing, standing, pods, gpus
