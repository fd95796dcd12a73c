"""Manifests of plain clusters with devices: a fabric that a gang shares, nodes of GPUs and NICs."""

from collections.abc import Iterator

import numpy as np

from gangplan.experiments.manifests import (
    ROOT,
    Obj,
    device_class,
    gang,
    node,
    request,
    resource_slice,
    template,
)


def group_claim(pods: int, nodes: int) -> Iterator[Obj]:
    """One gang whose pods share a claim of their PodGroup: a channel that all nodes reach."""
    driver = "channel.example.com"
    yield resource_slice("fabric", driver, "fabric", [{"name": "channel-0"}], allNodes=True)
    yield device_class("channel", f'device.driver == "{driver}"')
    yield template("channel", [request("channel", "channel", 1)])
    for n in range(nodes):
        yield node(f"n{n:04d}")
    yield from gang("train", pods, (), ("channel",))


def aligned(nodes: int, gangs: int, seed: int) -> Iterator[Obj]:
    """Nodes of 8 GPUs and 8 NICs, one of each on a PCIe root, and gangs that ask for pairs."""
    draws = np.random.default_rng(seed)
    for word in ("gpu", "nic"):
        yield device_class(word, f'device.driver == "{word}.example.com"')
    yield template("pair", [request("gpu", "gpu", 1), request("nic", "nic", 1)], ROOT)
    for n in range(nodes):
        name = f"n{n:04d}"
        yield node(name)
        for word in ("gpu", "nic"):
            devices = [_device(word, i, draws) for i in range(8)]
            driver = f"{word}.example.com"
            yield resource_slice(f"{name}-{word}", driver, name, devices, nodeName=name)
    for g in range(gangs):
        claims, pods = int(draws.choice([1, 2, 4, 8])), int(draws.choice([4, 8, 16, 32]))
        yield from gang(f"g{g:04d}", pods, ("pair",) * claims, priority=1 + g % 2)


def _device(word: str, i: int, draws: np.random.Generator) -> Obj:
    attributes = {
        "uuid": {"string": draws.bytes(8).hex()},
        "model": {"string": f"{word}-h"},
        "index": {"int": i},
        "driverVersion": {"version": "1.2.3"},
        ROOT: {"string": f"pci{i:04x}:00"},
    }
    capacity = {"memory": {"value": "80Gi"}}
    return {"name": f"{word}-{i}", "attributes": attributes, "capacity": capacity}
