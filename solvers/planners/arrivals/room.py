"""What is free on every node, as pods arrive; the one thing here that changes."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import EMPTY
from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one pod goes: role k, node n, and the places of its devices on that node."""

    role: int
    node: int
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Room:
    """Free room; the arrays are changed in place by ``take`` and ``give``.

    Attributes
    ----------
    instance : its roles are what arrives; its numbers of pods are not read.
    free : (N, R) what pods of each node can still ask for.
    left : (N, W) thousandths free of each shared device of a node, in the order of the devices;
        0 where a node has fewer than W.
    device : (N, W) number j of each of them; -1 where a node has fewer.
    fits_class : (K, C) the node classes of each role.
    """

    instance: Instance
    free: Ints
    left: Ints
    device: Ints
    fits_class: Flags

    def take(self, spot: Spot) -> None:
        """Place a pod."""
        self._move(spot, -1)

    def give(self, spot: Spot) -> None:
        """Take a pod away again."""
        self._move(spot, 1)

    def _move(self, spot: Spot, sign: int) -> None:
        roles = self.instance.roles
        self.free[spot.node] += sign * roles.request[spot.role]
        amount = int(roles.share[spot.role]) or EMPTY
        for place in spot.places:
            self.left[spot.node, place] += sign * amount

    def devices(self, spot: Spot) -> list[int]:
        """Return the device numbers j that the pod holds."""
        return [int(self.device[spot.node, place]) for place in spot.places]


def empty_room(instance: Instance) -> Room:
    """Return the room before the first arrival.

    Raises
    ------
    FormulationError : gangs, topology rules, claims or running work, which do not arrive pod by
        pod.
    """
    why = _refused(instance)
    if why:
        raise FormulationError(f"arrivals: {why}; only pods of their own arrive one after another")
    n, shared = len(instance.nodes), instance.shared
    owned = np.bincount(shared.node, minlength=n)
    width = int(owned.max(initial=0))
    first = np.concatenate(([0], np.cumsum(owned)))
    place = np.arange(len(shared)) - first[shared.node]
    left = np.zeros((n, width), dtype=np.int64)
    device = np.full((n, width), -1, dtype=np.int64)
    left[shared.node, place] = shared.free
    device[shared.node, place] = np.arange(len(shared))
    return Room(instance, instance.nodes.free.copy(), left, device, instance.roles.eligible)


def _refused(instance: Instance) -> str:
    """Return what of an instance cannot be planned pod by pod; empty: nothing."""
    if (instance.roles.minimum > 0).any() or (instance.groups.minimum > 0).any():
        return "a gang"
    if len(instance.composites) or len(instance.rules):
        return "a tree of groups or a topology rule"
    if instance.claims or len(instance.running):
        return "claims or running work"
    return ""
