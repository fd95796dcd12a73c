"""shares: who asks a part of a device holds one, who asks whole devices holds as many empty ones.

Every device is on the pod's own node and held once by it; on each device the parts add up to what
is free; a device held whole was empty and is held by nobody else; other pods hold none.
"""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.violation import Violation

NAME = "shares"
WHOLE = 1000


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Check number, place and room of the devices that pods hold."""
    return [
        *_numbers(instance, plan),
        *_places(instance, plan),
        *_room(instance, plan),
    ]


def _device_name(instance: Instance, device: int) -> str:
    """``node n2 device 1``: devices are numbered on their node."""
    node = int(instance.shared.node[device])
    first = int(np.searchsorted(instance.shared.node, node))
    return f"node {instance.names.nodes[node]} device {device - first}"


def _numbers(instance: Instance, plan: Plan) -> list[Violation]:
    """As many devices a pod as it asks; none where it is not placed or asks none."""
    roles = instance.roles
    each = np.where(roles.share > 0, 1, roles.whole)[instance.pod_role]
    need = np.where(plan.node >= 0, each, 0)
    have = np.bincount(plan.device_pod, minlength=instance.n_pods)
    return [
        Violation(
            NAME,
            instance.names.pods[p],
            int(have[p]),
            int(need[p]),
            f"pod {instance.names.pods[p]}: holds {int(have[p])} shared devices, "
            f"{int(need[p])} expected",
        )
        for p in np.flatnonzero(have != need).tolist()
    ]


def _places(instance: Instance, plan: Plan) -> list[Violation]:
    """Devices on the pod's node, no device twice."""
    names = instance.names
    found = []
    away = plan.node[plan.device_pod] != instance.shared.node[plan.device]
    for p, j in zip(plan.device_pod[away].tolist(), plan.device[away].tolist(), strict=True):
        at = int(plan.node[p])
        where = f"on node {names.nodes[at]}" if at >= 0 else "not placed"
        sentence = f"pod {names.pods[p]}: {where}, but holds {_device_name(instance, j)}"
        found.append(Violation(NAME, names.pods[p], at, int(instance.shared.node[j]), sentence))
    key = plan.device_pod * max(len(instance.shared), 1) + plan.device
    pair, times = np.unique(key, return_counts=True)
    for both, count in zip(pair[times > 1].tolist(), times[times > 1].tolist(), strict=True):
        p, j = divmod(both, len(instance.shared))
        sentence = f"pod {names.pods[p]}: holds {_device_name(instance, j)} {count} times"
        found.append(Violation(NAME, names.pods[p], count, 1, sentence))
    return found


def _room(instance: Instance, plan: Plan) -> list[Violation]:
    """Thousandths asked of each device against thousandths free."""
    asked = _asked(instance, plan)
    found = []
    for j in np.flatnonzero(asked > instance.shared.free).tolist():
        name, free = _device_name(instance, j), int(instance.shared.free[j])
        sentence = f"{name}: {int(asked[j])} thousandths asked, {free} free"
        found.append(Violation(NAME, name, int(asked[j]), free, sentence))
    return found


def _asked(instance: Instance, plan: Plan) -> Ints:
    """(J,) thousandths: a share, or all 1000 for a device held whole."""
    role = instance.pod_role[plan.device_pod]
    share, whole = instance.roles.share[role], instance.roles.whole[role]
    part = np.where(share > 0, share, np.where(whole > 0, WHOLE, 0))
    asked = np.zeros(len(instance.shared), dtype=np.int64)
    np.add.at(asked, plan.device, part)
    return asked
