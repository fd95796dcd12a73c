"""Devices of a large cluster: equal devices are judged once, and order changes nothing."""

import random
import time

from gangplan.datasets.kubernetes.assemble.build import build
from gangplan.datasets.kubernetes.assemble.devices.inventory import inventory_of
from gangplan.datasets.kubernetes.assemble.devices.kinds import kinds_of
from gangplan.datasets.kubernetes.assemble.devices.pools import pools_of
from gangplan.datasets.kubernetes.assemble.devices.reach import Reach
from gangplan.datasets.kubernetes.assemble.devices.taints import Taints
from gangplan.datasets.kubernetes.cel import Reads
from gangplan.datasets.kubernetes.devicerecords import (
    Attribute,
    ChoiceRecord,
    ClassRecord,
    ConstraintRecord,
    DeviceRecord,
    PodClaim,
    RequestRecord,
    SliceRecord,
    SpecRecord,
    TemplateRecord,
)
from gangplan.datasets.kubernetes.records import (
    Eligibility,
    GroupRecord,
    NodeRecord,
    PodRecord,
    Snapshot,
)
from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asks,
    by_name,
    claim,
    claiming,
    counters,
    device,
    device_class,
    draws,
    first_of,
    host,
    request,
    result,
    slice_,
    taint_rule,
    template,
)
from tests.datasets.kubernetes.objects import gang, instance

DRIVER = "gpu.example.com"
N_NODES, N_SPECS = 5_000, 20


def attributes(node: int, j: int) -> dict[str, Attribute]:
    return {
        f"{DRIVER}/uuid": Attribute("string", (f"GPU-{node}-{j}",)),
        f"{DRIVER}/model": Attribute("string", (("h100", "l4")[node % 2],)),
        f"{DRIVER}/root": Attribute("string", (f"root-{node}-{j // 2}",)),
    }


def spec(number: int) -> SpecRecord:
    model = f'device.attributes["{DRIVER}"].model == "{("h100", "l4")[number % 2]}"'
    choice = ChoiceRecord("", "gpu", selectors=(model,), count=1 + number // 2)
    rules = (ConstraintRecord((), f"{DRIVER}/root", False),) if number % 3 else ()
    return SpecRecord((RequestRecord("r", (choice,)),), rules)


def snapshot() -> Snapshot:
    made = Snapshot()
    made.devices.classes = [ClassRecord("gpu", (f'device.driver == "{DRIVER}"',), "", None, "x")]
    for n in range(N_NODES):
        made.nodes.append(
            NodeRecord(f"n{n}", {}, (), {"cpu": 64_000, "pods": 110}, False, True, "x")
        )
        devices = tuple(DeviceRecord(f"d{j}", attributes(n, j)) for j in range(8))
        made.devices.slices.append(
            SliceRecord(f"s{n}", DRIVER, f"n{n}", 1, 1, devices, {}, "x", node=f"n{n}")
        )
    for s in range(N_SPECS):
        made.devices.templates.append(TemplateRecord("lab", f"t{s}", spec(s), "x"))
        made.groups.append(
            GroupRecord("lab", f"g{s}", True, 1, "", (), {}, "single", 0, "", (), None, "v1", "x")
        )
        made.pods += [pod(f"g{s}-{i}", f"g{s}", f"t{s}") for i in range(50)]
    return made


def pod(name: str, group: str, claim: str) -> PodRecord:
    return PodRecord(
        "lab", name, "", "Pending", False, False, group, {"cpu": 1000, "pods": 1}, Eligibility(),
        0, "", "", {}, {}, (), (), None, "x", claims=(PodClaim("c", template=claim),),
    )  # fmt: skip


def test_forty_thousand_devices_and_twenty_specs_are_assembled_in_seconds() -> None:
    made = snapshot()
    start = time.perf_counter()
    built = build(made)
    assert time.perf_counter() - start < 20  # idle: see docs/devices.md
    assert (len(built.devices), built.claims.n_specs) == (8 * N_NODES, N_SPECS)
    assert built.claims.fits.sum(axis=1).tolist() == [4 * N_NODES] * N_SPECS


def test_what_no_selector_reads_makes_no_kind() -> None:
    made = snapshot()
    pools = pools_of(made.devices.slices[:40], [])
    inventory = inventory_of(pools, Reach(made.nodes), Taints([]), [])
    model = Reads(attributes=frozenset({f"{DRIVER}/model"}))
    assert len(kinds_of(inventory, Reads(), []).kinds) == 1
    assert len(kinds_of(inventory, model, []).kinds) == 2
    assert kinds_of(inventory, model, []).of.tolist() == [0] * 8 + [1] * 8 + kinds_after(38)
    uuid = Reads(attributes=frozenset({f"{DRIVER}/uuid"}))
    assert len(kinds_of(inventory, uuid, []).kinds) == 320


def kinds_after(nodes: int) -> list[int]:
    return [n % 2 for n in range(nodes) for _ in range(8)]


def objects() -> list[Obj]:
    """A bit of everything."""
    shared = device(
        "shared",
        allowMultipleAllocations=True,
        capacity={"memory": "80Gi"},
        consumesCounters=draws(mode="1"),
        attributes={"model": "h100"},
    )
    plain = device("d10", consumesCounters=draws(mode="1"), attributes={"root": "x"})
    wide = asks(first_of("r", ("one", "gpu"), ("two", "big")))
    tied = asks(request(count=2), constraints=[{"matchAttribute": f"{DRIVER}/root"}])
    return [
        *(host(f"n{n}") for n in (1, 2, 10)),
        device_class(),
        device_class("big", f'device.attributes["{DRIVER}"].model == "h100"'),
        counters("c", mode="2"),
        slice_("s", shared, plain, "d2", slices=2),
        slice_("t", "e0", on=["n1", "n2"], pool="t"),
        slice_("u", "e1", on=["n2", "n10"], pool="u"),
        slice_("v", "e2", on="n2", pool="v", slices=2),
        slice_("w", "e3", on="n2", pool="w"),
        slice_("x", "e3", on="n2", pool="w", generation=2),
        taint_rule(selector={"device": "e1"}),
        template("t0", wide),
        template("t1", tied),
        claim("c", allocated=[result("d2")], on="n1"),
        claim("d"),
        gang("g", 1),
        *(claiming(f"g-{n}", f"t{n % 2}", group="g") for n in range(4)),
        claiming("p-0", by_name("c")),
        claiming("p-1", by_name("d")),
        claiming("p-2", by_name("d"), by_name("c", "e")),
        claiming("q", "lost"),
    ]


def test_nothing_depends_on_the_order_of_documents() -> None:
    first: Instance | None = None
    for seed in range(6):
        mixed = objects()
        random.Random(seed).shuffle(mixed)
        built = instance(*mixed)
        assert first is None or built.names == first.names
        assert first is None or built.digest() == first.digest()
        first = built
