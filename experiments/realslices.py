"""Public ResourceSlices, copied to a thousand nodes, and gangs that ask for GPUs beside their NICs.

Four machines, a quarter of the nodes each: GB200 (4 GPUs, 8 NICs), MI300X (8 and 8), A100 with EFA
(8 and 4, a NIC for two GPUs), Gaudi2 (2, no NIC). The files are read where `gangplan` finds public
data; names, nodes, pools and hardware ids are made anew for every node. What the files lack is
added, and nothing else (see `ADDED`).
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gangplan.datasets.kubernetes.text.documents import load
from gangplan.datasets.kubernetes.text.fields import Faults
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

ADDED = (
    "added: seven more MI300X GPUs, numaNode of GB200 and MI300X GPUs, "
    "a channel pool for each rack of 18 GB200"
)
"""What the public files do not have. GB200: GPU and NIC share no PCIe root; MI300X: its NICs name
none; so both match by NUMA node, which their GPUs do not tell."""

GPU, NIC, CHANNEL = "gpu", "nic", "channel.example.com"

NUMA = "dra.net/numaNode"

NVIDIA = 'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"]'

RACK = 18
"""Nodes of a GB200 rack, which share their channels."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine of the public files.

    Attributes
    ----------
    selector : CEL expression of its GPUs, the driver first: what is not there is an error.
    files : GPU slice, then NIC slice.
    match : attribute that a GPU and a NIC beside it share.
    cell : GPUs and NICs of a claim.
    claims : claims of a pod, and how likely.
    """

    name: str
    selector: str
    files: tuple[str, ...]
    match: str
    gpus: int
    cell: tuple[int, int]
    claims: tuple[tuple[int, float], ...]


MACHINES = (
    Machine("gb200", f'{NVIDIA}.productName == "NVIDIA GB200"',
            ("oci-gb200_gpu.nvidia.com.yaml", "oci-gb200_dra.net.yaml"), NUMA, 4, (1, 2),
            ((1, 0.3), (2, 0.3), (4, 0.4))),
    Machine("mi300x", 'device.driver == "gpu.amd.com"',
            ("amd-mi300x_gpu.amd.com.yaml", "azure-mi300x_dra.net.yaml"), NUMA, 8, (1, 1),
            ((1, 0.2), (2, 0.2), (4, 0.3), (8, 0.3))),
    Machine("a100", f'{NVIDIA}.productName.contains("A100")',
            ("aws-p4d-a100_gpu.nvidia.com.yaml", "aws-p4d-a100_dra.net.yaml"), ROOT, 8, (2, 1),
            ((1, 0.3), (2, 0.3), (4, 0.4))),
    Machine("gaudi2", 'device.driver == "gaudi.intel.com"',
            ("intel-gaudi2.yaml",), ROOT, 2, (1, 0), ((1, 0.5), (2, 0.5))),
)  # fmt: skip


def missing(folder: Path) -> list[str]:
    """Public files that are not in the folder."""
    return [f for machine in MACHINES for f in machine.files if not (folder / f).is_file()]


def objects(folder: Path, nodes: int, groups: int, seed: int) -> Iterator[Obj]:
    """Nodes, slices, classes, templates, then ``groups`` gangs.

    Raises
    ------
    InputError : a public file cannot be read.
    """
    draws = np.random.default_rng(seed)
    yield from _classes()
    each = nodes // len(MACHINES)
    for machine in MACHINES:
        slices = _machine_slices(machine, folder)
        for n in range(each):
            name = f"{machine.name}-{n:04d}"
            yield node(name, {"rack": f"{machine.name}-{n // RACK}"})
            for one in slices:
                yield _copy(one, name, draws)
        yield _template(machine)
    for rack in range(-(-each // RACK)):
        yield _channels(rack)
    for g in range(groups):
        yield from _gang(g, draws)


def _machine_slices(machine: Machine, folder: Path) -> list[Obj]:
    faults = Faults()
    documents = list(load([str(folder / f) for f in machine.files], faults))
    faults.check()
    slices = [document.obj for document in documents]
    gpus = slices[0]["spec"]["devices"]
    if machine.name == "mi300x":
        gpus[:] = [_mi300x(gpus[0], i) for i in range(machine.gpus)]
        slices[0]["spec"]["driver"] = "gpu.amd.com"
    if machine.match == NUMA:
        for i, gpu in enumerate(gpus):
            gpu["attributes"][NUMA] = {"int": i * 2 // len(gpus)}
    return slices


def _mi300x(first: Obj, i: int) -> Obj:
    gpu: Obj = copy.deepcopy(first)
    gpu["name"] = f"gpu-{i}-{128 + 8 * i}"
    gpu["attributes"]["pciAddr"] = {"string": f"{3 + i:04x}:00:02.0"}
    gpu["attributes"][ROOT] = {"string": f"pci{3 + i:04x}:00"}
    return gpu


def _copy(one: Obj, node_name: str, draws: np.random.Generator) -> Obj:
    """Copy a slice to a node, with hardware ids of its own."""
    driver, devices = one["spec"]["driver"], copy.deepcopy(one["spec"]["devices"])
    for device in devices:
        for name in ("uuid", "serial", "dra.net/mac", "deviceID"):
            if name in device["attributes"]:
                device["attributes"][name] = {"string": draws.bytes(8).hex()}
    return resource_slice(f"{node_name}-{driver}", driver, node_name, devices, nodeName=node_name)


def _classes() -> Iterator[Obj]:
    for machine in MACHINES:
        yield device_class(f"{GPU}-{machine.name}", machine.selector)
    yield device_class(NIC, 'device.driver == "dra.net" && device.attributes["dra.net"].rdma')
    yield device_class(CHANNEL, f'device.driver == "{CHANNEL}"')
    yield template("channel", [request("channel", CHANNEL, 1)])


def _template(machine: Machine) -> Obj:
    gpus, nics = machine.cell
    requests = [request("gpus", f"{GPU}-{machine.name}", gpus)]
    if nics:
        requests.append(request("nics", NIC, nics))
    return template(machine.name, requests, machine.match if nics else "")


def _channels(rack: int) -> Obj:
    """Channels that the nodes of a rack share, as IMEX channels are: one a gang."""
    terms = [{"key": "rack", "operator": "In", "values": [f"gb200-{rack}"]}]
    reach = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
    devices = [{"name": f"channel-{i}"} for i in range(16)]
    name = f"channels-{rack}"
    return resource_slice(name, CHANNEL, f"rack-{rack}", devices, nodeSelector=reach)


def _gang(g: int, draws: np.random.Generator) -> Iterator[Obj]:
    """Draw a gang; on GB200 half of them want a channel."""
    machine = MACHINES[int(draws.choice(len(MACHINES), p=[0.25, 0.3, 0.25, 0.2]))]
    sizes, chances = zip(*machine.claims, strict=True)
    claims = int(draws.choice(sizes, p=chances))
    pods = int(draws.choice([4, 8, 16], p=[0.3, 0.4, 0.3]))
    common = ("channel",) if machine.name == "gb200" and draws.random() < 0.5 else ()
    own = (machine.name,) * claims
    yield from gang(f"{machine.name}-{g:03d}", pods, own, common, 1 + g % 2)
