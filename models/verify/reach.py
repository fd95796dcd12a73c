"""Where devices can be used: every device from every node with a user; ALL means all of a node.

The reference allocator works on the node of a claim's first pod. Which user came first is not in a
plan: an ALL choice is right if there is a user's node whose asked devices are those given, and for
all ALL choices of a claim it is the same node.
"""

from collections import Counter
from functools import cache

import numpy as np

from gangplan.models.claims import ALL
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.allocated import Allocation, broken, claim_name, users_by_claim
from gangplan.models.verify.violation import Violation


class Reach:
    """Which node reaches which device, looked up."""

    def __init__(self, instance: Instance) -> None:
        devices = instance.devices
        self.instance = instance
        self.node, self.zone = devices.node.tolist(), devices.zone.tolist()
        self.local: dict[int, list[int]] = {}
        for i in np.flatnonzero(devices.zone < 0).tolist():
            self.local.setdefault(self.node[i], []).append(i)
        self.far = np.flatnonzero(devices.zone >= 0)
        self.asked = cache(self._asked)

    def __call__(self, device: int, node: int) -> bool:
        """Tell whether a pod on the node can use the device."""
        zone = self.zone[device]
        return self.node[device] == node if zone < 0 else self.in_zone(zone, node)

    def in_zone(self, zone: int, node: int) -> bool:
        """Tell whether a zone has the node."""
        return bool(self.instance.devices.zones[zone, node])

    def _asked(self, choice: int, node: int) -> frozenset[int]:
        """Devices that the choice asks and the node reaches."""
        zones = self.instance.devices.zones
        far = self.far[zones[self.instance.devices.zone[self.far], node]] if len(zones) else []
        asks = self.instance.claims.asks[choice]
        return frozenset(i for i in [*self.local.get(node, ()), *map(int, far)] if asks[i])


def check_reach(instance: Instance, used: list[Allocation], reach: Reach) -> list[Violation]:
    """Check that every user's node reaches every device of its claim."""
    names = instance.names
    return [
        broken(
            one.what,
            n,
            reach.node[i],
            f"request {names.choices[b]}: device {names.devices[i]} is not reached from node "
            f"{names.nodes[n]}",
        )
        for one in used
        for n in one.nodes
        for b, i in dict.fromkeys(one.rows)
        if not reach(i, n)
    ]


def check_zones(instance: Instance, plan: Plan, reach: Reach) -> list[Violation]:
    """Check that users of a claim that is allocated already stay where its devices are reached."""
    found = []
    names, zone = instance.names, instance.claims.shared_zone.tolist()
    for c, pods in enumerate(users_by_claim(instance, plan)):
        for p in pods if zone[c] >= 0 else ():
            n = int(plan.node[p])
            if not reach.in_zone(zone[c], n):
                said = (
                    f"pod {names.pods[p]} uses it on node {names.nodes[n]}, which does not reach "
                    "its devices"
                )
                found.append(broken(claim_name(instance, (-1, c)), n, -1, said))
    return found


def check_barred(instance: Instance, used: list[Allocation]) -> list[Violation]:
    """Check that nobody uses a choice on a node where it is barred."""
    names, barred = instance.names, instance.claims.barred
    return [
        broken(
            one.what,
            n,
            -1,
            f"request {names.choices[b]}: not to be used on node {names.nodes[n]}",
        )
        for one in used
        for b in dict.fromkeys(b for b, _ in one.rows)
        for n in one.nodes
        if barred[b, n]
    ]


def check_all(instance: Instance, used: list[Allocation], reach: Reach) -> list[Violation]:
    """Check that ALL choices got every asked device of one user's node, each once."""
    count = instance.claims.choice_count
    found = []
    for one in used:
        every = {b: Counter[int]() for b, _ in one.rows if count[b] == ALL}
        for b, i in one.rows:
            if b in every:
                every[b][i] += 1
        if every:
            nearest: list[Violation] = min(
                (_differences(one, every, n, reach) for n in one.nodes), key=len
            )
            found += nearest
    return found


def _differences(
    one: Allocation, every: dict[int, Counter[int]], node: int, reach: Reach
) -> list[Violation]:
    """List what keeps a node from being the one where the claim was allocated."""
    found = []
    names = reach.instance.names
    for b, given in every.items():
        asked = reach.asked(b, node)
        for i in sorted({*asked, *given}):
            have, need = given[i], int(i in asked)
            if have != need:
                said = (
                    f"request {names.choices[b]}: all devices that node {names.nodes[node]} "
                    f"reaches are asked, {names.devices[i]} is given {have} times, not {need}"
                )
                found.append(broken(one.what, have, need, said))
    return found
