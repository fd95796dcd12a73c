"""Measure: devices of claims as one number a node and a pod, so that nodes can be sorted.

A device without counters counts 1000. One that draws counts what it takes of the counter of which
it takes the smallest part (a MIG slice: of the multiprocessors); so placements that overlap are not
counted twice. Nothing is decided by it but the order in which nodes are tried.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance

WHOLE = 1000
"""A device."""


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """Thousandths of devices: (N,) that nodes have free, (K,) that a pod takes for itself."""

    node: Ints
    role: Ints


def measure_of(instance: Instance) -> Measure:
    """Measure nodes and roles."""
    devices, claims = instance.devices, instance.claims
    n_nodes, n_devices, n_counters = len(instance.nodes), len(devices), len(devices.counter_free)
    largest = np.ones(n_counters, dtype=np.int64)
    np.maximum.at(largest, devices.draw_counter, devices.draw_amount)
    part = devices.draw_amount * WHOLE // largest[devices.draw_counter]
    size = np.full(n_devices, WHOLE, dtype=np.int64)
    np.minimum.at(size, devices.draw_device, part)
    draws = np.zeros(n_devices, dtype=np.bool_)
    draws[devices.draw_device] = True
    mine = (devices.node >= 0) & ~devices.taken
    node = np.zeros(n_nodes, dtype=np.int64)
    np.add.at(node, devices.node[mine & ~draws], WHOLE)
    rules = np.unique(devices.draw_counter[part == size[devices.draw_device]])
    of_counter = np.full(n_counters, -1, dtype=np.int64)
    of_counter[devices.draw_counter] = devices.node[devices.draw_device]
    rules = rules[of_counter[rules] >= 0]
    np.add.at(node, of_counter[rules], devices.counter_free[rules] * WHOLE // largest[rules])
    spec = np.zeros(claims.n_specs, dtype=np.int64)
    for b in np.flatnonzero((claims.rank == 0) & ~claims.choice_admin).tolist():
        fits = claims.fits[b]
        each = int(size[fits].mean()) if fits.any() else 0
        spec[claims.choice_spec[b]] += each * max(int(claims.choice_count[b]), 1)
    role = np.zeros(len(instance.roles), dtype=np.int64)
    np.add.at(role, claims.own_role, spec[claims.own_spec])
    return Measure(node, role)
