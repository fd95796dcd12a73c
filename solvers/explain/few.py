"""How many devices one pod asks for, and how many a node has: numbers for a shortage of devices."""

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.claims import ALL
from gangplan.models.instance import Instance
from gangplan.models.options.slots import request_name


def too_few_devices(instance: Instance, g: int, resource: str) -> str:
    """Say that one pod's request asks for more devices than any node has, where that is so.

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
                    return _numbers(instance, q, int(_there(instance, q)[may].max()))
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
