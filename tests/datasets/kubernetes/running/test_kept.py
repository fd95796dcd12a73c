"""Pods that stay because a selector would fail on a device that comes free with them.

kube-scheduler asks no selector about a device in use; about a free one it does, and where one fails
the node serves the request no longer.
"""

from typing import Any

import pytest

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asks,
    barred,
    by_name,
    claim,
    claiming,
    device,
    device_class,
    host,
    notes,
    request,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import child, composite, gang, instance, pod
from tests.datasets.kubernetes.running.work import ALL, never, units

MODEL = 'device.attributes["gpu.example.com"].model == "x"'
GOOD: Obj = device("good", attributes={"model": "x"})
NONE: Obj = device("none")
ASKS = template("t", asks(request("r", "gpu", MODEL)))
URGENT: Obj = {"priority": 9}
WHY = (
    "a selector would fail on a device that comes free, and bar the nodes that reach it"
    " (ResourceClaimTemplate lab/t: request r: no such key: model, gpu.example.com/n1/none)"
)


def cluster(*objects: Obj, devices: tuple[Obj, ...] = (GOOD, NONE), **more: Any) -> Instance:
    """One node, and a pod that waits; claim ``c`` has the device on which its selector fails."""
    held = claim(allocated=[result("none")], on="n1")
    waits = claiming("w", "t", spec=URGENT)
    cards = slice_("s", *devices, **more)
    return instance(host("n1"), device_class(), cards, ASKS, held, waits, *objects)


def test_the_user_of_such_a_device_is_not_evicted_and_others_are() -> None:
    built = cluster(claiming("old", by_name(), on="n1"), pod("other", on="n1", gpus=0))
    assert (list(units(built)), barred(built)) == (["lab/other"], set())
    assert notes(built, "not evicted") == [f"1 pod not evicted: {WHY}: lab/old"]


def test_what_falls_with_it_stays_too() -> None:
    old = claiming("g-0", by_name(), group="g", on="n1")
    rest = pod("g-1", "g", "n1", gpus=0)
    assert list(units(cluster(gang("g", 1), old, rest))) == ["lab/g-1"]
    whole = cluster(gang("g", 1, spec=ALL), old, rest)
    assert list(units(whole)) == []
    assert notes(whole, "PodGroup lab/g is never evicted")
    tree = [composite("top", 1, **ALL), child("g", "top", **ALL), old, rest]
    assert list(units(cluster(*tree))) == []


def test_all_users_of_a_claim_stay() -> None:
    both = [claiming(name, by_name(), on="n1") for name in ("a", "b")]
    built = cluster(*both)
    assert list(units(built)) == []
    assert notes(built, "not evicted") == [f"2 pods not evicted: {WHY}: lab/a, lab/b"]


def test_where_a_free_device_bars_the_node_already_nobody_is_kept() -> None:
    built = cluster(claiming("old", by_name(), on="n1"), devices=(GOOD, NONE, device("free-none")))
    assert (list(units(built)), barred(built)) == (["lab/old"], {"n1"})


def test_who_never_comes_free_and_who_asks_nothing_of_it_keep_nobody() -> None:
    leaving = claiming("x", by_name(), on="n1", deletionTimestamp="2026-01-01T00:00:00Z")
    built = cluster(claiming("old", by_name(), on="n1"), leaving)
    assert list(units(built)) == ["lab/old"]
    fine = cluster(claiming("old", by_name(), on="n1"), devices=(GOOD, device("none", **_model())))
    assert list(units(fine)) == ["lab/old"]


@pytest.mark.parametrize("on", ["n1", ["n1", "n2"]])
def test_groups_that_evict_nobody_count_too(on: str | list[str]) -> None:
    """Others may evict the user, while such a group is placed on the node."""
    held = claim(allocated=[result("none")], on="n1")
    meek = claiming("w", "t", spec=URGENT | {"preemptionPolicy": "Never"})
    objects = [slice_("s", GOOD, NONE, on=on), ASKS, held, meek, pod("v", gpus=0, spec=URGENT)]
    built = instance(
        host("n1"), host("n2"), device_class(), *objects, claiming("old", by_name(), on="n1")
    )
    assert (list(units(built)), never(built)) == ([], [])


def _model() -> Obj:
    return {"attributes": {"model": "y"}}
