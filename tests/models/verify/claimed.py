"""Instances with devices and claims, and what the verifier says of allocations made by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from gangplan.models.instance import Instance
from gangplan.models.verify import check
from tests.placing import give, place
from tests.tiny import Row, make_instance
from tests.tiny_devices import with_devices

Given = tuple[int, int, int, int]
OWN = {0: [0]}
POD, OTHER = "pod test/g0-0-0, claim claim0", "pod test/g0-0-1, claim claim0"
D = [f"test/pool/d{i}" for i in range(6)]
GPU: list[dict[str, Any]] = [
    {"node": 0, "gpu": True},
    {"node": 0, "gpu": True},
    {"node": 1, "gpu": True},
]


def cluster(
    devices: Sequence[Row],
    specs: Sequence[Row],
    own: Mapping[int, Sequence[int]] | None = None,
    shared: Sequence[Row] = (),
    pods: Sequence[int] = (2,),
    nodes: int = 2,
    **counters: int,
) -> Instance:
    """Roles of so many bare pods each, on nodes of unlimited room."""
    groups: list[Row] = [{"kind": "bare", "wanted": wanted} for wanted in pods]
    bare = make_instance([{} for _ in range(nodes)], groups)
    return with_devices(bare, devices, specs, own, shared, counters=counters)


def sentences(instance: Instance, nodes: Sequence[int], *rows: Given) -> list[str]:
    found = check(instance, give(place(instance, nodes), *rows))
    assert {v.family for v in found} <= {"claims"}
    assert all(v.sentence.startswith(v.what) for v in found)
    return [v.sentence for v in found]


def ask(*requests: Any, **rules: Any) -> Row:
    return {"requests": list(requests), **rules}
