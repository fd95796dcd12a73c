"""What a shortage of devices is about: how many a pod asks for and a node has, which are held."""

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.claims import ALL
from gangplan.models.instance import Instance
from gangplan.models.options.slots import request_name


def too_few_devices(instance: Instance, g: int, resource: str) -> str:
    """Say that one pod's request asks for more devices than any node has, or for held ones.

    Parameters
    ----------
    resource : of a `Shortage`: ``devices for request NAME of claim NAME``.
    """
    claims = instance.claims
    for k in np.flatnonzero(instance.roles.group == g).tolist():
        may = instance.roles.eligible[k][instance.nodes.node_class]
        for w in claims.own_of(k):
            for q in np.flatnonzero(claims.request_spec == claims.own_spec[w]).tolist():
                words = f"devices for request {request_name(instance, q)} of claim"
                if resource == f"{words} {instance.names.own[w]}" and may.any():
                    most = int(_there(instance, q)[may].max())
                    return _in_the_way(instance, q, may) or _numbers(instance, q, most)
    return ""


def _numbers(instance: Instance, request: int, most: int) -> str:
    mine = instance.claims.choice_request == request
    counts = instance.claims.choice_count[mine]
    asked = int(np.where(counts == ALL, 1, counts).min())
    if asked <= most:
        return ""
    devices = "device" if asked == 1 else "devices"
    has = f"more than {most}" if most else "one"
    return f": one pod asks for {asked} {devices}, no node it may use has {has} free that fits"


def _in_the_way(instance: Instance, request: int, may: Flags) -> str:
    """Name what keeps a request for all devices from them, on the nodes that it may use."""
    claims, devices = instance.claims, instance.devices
    mine = np.flatnonzero(claims.choice_request == request)
    if (claims.choice_count[mine] != ALL).any():
        return ""
    reached = [number for number, zone in enumerate(devices.zones) if (zone & may).any()]
    seen = np.isin(devices.node, np.flatnonzero(may)) | np.isin(devices.zone, reached)
    asked = claims.asks[mine].any(axis=0) & seen
    held = asked & devices.taken & ~claims.choice_admin[mine].all()
    unfit = asked & ~claims.fits[mine].any(axis=0) & ~held
    told = [
        f"{_names(instance, which)} {what}"
        for which, what in ((held, "held"), (unfit, "not fit for it"))
        if which.any()
    ]
    return f": it asks for all devices of a node, with {', '.join(told)}" if told else ""


def _names(instance: Instance, devices: Flags) -> str:
    first, *others = (instance.names.devices[i] for i in np.flatnonzero(devices).tolist())
    return f"{first} and {len(others)} more" if others else first


def _there(instance: Instance, request: int) -> Ints:
    """(N,) devices that some choice of the request could have on each node, by itself.

    One that may be shared counts as many, since it may serve a claim more than once.
    """
    claims, devices, n = instance.claims, instance.devices, len(instance.nodes)
    mine = np.flatnonzero(claims.choice_request == request)
    free = claims.choice_admin[mine, None] | ~devices.taken
    fit = np.flatnonzero((claims.fits[mine] & free).any(axis=0))
    each = np.where(devices.multi[fit], 2**20, 1)
    near, far = devices.node[fit] >= 0, devices.zone[fit] >= 0
    there = np.zeros(n, dtype=np.int64)
    np.add.at(there, devices.node[fit][near], each[near])
    for zone, amount in zip(devices.zone[fit][far].tolist(), each[far].tolist(), strict=True):
        there[devices.zones[zone]] += amount
    return there
