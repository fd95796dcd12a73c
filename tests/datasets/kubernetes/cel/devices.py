"""Devices as drivers publish them, and the answer of an expression on one."""

from fractions import Fraction

from gangplan.datasets.kubernetes.cel import CelFailure, compile_selector, evaluate
from gangplan.datasets.kubernetes.devicerecords import Attribute, Capacity, DeviceRecord

DRIVER = "gpu.nvidia.com"
GI = 2**30


def device(
    attributes: dict[str, object] | None = None,
    capacity: dict[str, Fraction | int] | None = None,
    *,
    multi: bool = False,
) -> DeviceRecord:
    """A device; a text that begins with ``v:`` is a version, a tuple a list."""
    return DeviceRecord(
        "d",
        {name: _attribute(value) for name, value in (attributes or {}).items()},
        {name: Capacity(Fraction(value)) for name, value in (capacity or {}).items()},
        multi,
    )


def _attribute(value: object) -> Attribute:
    values = value if isinstance(value, tuple) else (value,)
    plain = tuple(
        one.removeprefix("v:") if isinstance(one, str) else one
        for one in values
        if isinstance(one, bool | int | str)
    )
    kind = {bool: "bool", int: "int", str: "string"}[type(plain[0])]
    if plain != values:
        kind = "version"
    return Attribute(kind, plain, isinstance(value, tuple))


A100 = device(
    {
        f"{DRIVER}/type": "gpu",
        f"{DRIVER}/uuid": "GPU-4404041a-04cf-1ccf-9e70-f139a9b1e23c",
        f"{DRIVER}/productName": "NVIDIA A100-SXM4-80GB",
        f"{DRIVER}/architecture": "Ampere",
        f"{DRIVER}/index": 3,
        f"{DRIVER}/mig": False,
        f"{DRIVER}/driverVersion": "v:550.127.8",
        f"{DRIVER}/cudaComputeCapability": "v:8.0.0",
        f"{DRIVER}/links": ("nvlink", "pcie"),
        f"{DRIVER}/versions": ("v:1.0.0", "v:2.0.0"),
        "resource.kubernetes.io/pcieRoot": "pci0000:01",
    },
    {f"{DRIVER}/memory": 80 * GI, f"{DRIVER}/multiprocessors": 108},
)
MIG = device(
    {
        f"{DRIVER}/type": "mig",
        f"{DRIVER}/profile": "1g.10gb",
        f"{DRIVER}/parentUUID": "GPU-4404041a-04cf-1ccf-9e70-f139a9b1e23c",
    },
    {f"{DRIVER}/memory": Fraction(9856 * 2**20)},
)
NIC = device({"dra.net/ip": "10.0.1.7", "dra.net/rdma": True, "dra.net/mtu": 9000}, multi=True)


def answer(expression: str, one: DeviceRecord = A100, driver: str = DRIVER) -> bool | str:
    """True, False, or the reason of the failure."""
    found = evaluate(compile_selector(expression), one, driver)
    return found.reason if isinstance(found, CelFailure) else found
