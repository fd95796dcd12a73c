"""Claims that a controller has made, and the status that does not say so yet."""

from typing import Any

import pytest

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    claim,
    claiming,
    claiming_gang,
    device_class,
    generated,
    host,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import gang, held, instance, obj

ENTRY = {"name": "c", "resourceClaimTemplateName": "t"}
OF_POD = {"resource.kubernetes.io/pod-claim-name": "c"}
OF_GROUP = {"resource.kubernetes.io/podgroup-claim-name": "c"}


def built_of(*objects: Obj) -> Instance:
    nodes = [host("n1"), host("n2")]
    return instance(*nodes, device_class(), slice_("s", "d0", "d1"), template(), *objects)


def made(name: str, owner: tuple[str, str], notes: Obj, **more: Any) -> Obj:
    return claim(name, owner=owner, allocated=[result("d0")], on="n1", annotations=notes, **more)


def test_a_pods_claim_is_found_by_its_owner_and_annotation() -> None:
    pods = [claiming(f"g-{n}", "t", group="g") for n in range(2)]
    built = built_of(gang("g", 1), *pods, made("x", ("Pod", "g-0"), OF_POD))
    assert (built.names.shared, held(built)) == (("lab/x",), {})
    assert built.roles.wanted.tolist() == [1, 1]
    assert built.devices.zones[built.claims.shared_zone].tolist() == [[True, False]]


@pytest.mark.parametrize(
    ("owner", "notes", "uid"),
    [
        (("Pod", "other"), OF_POD, ""),
        (("PodGroup", "g-0"), OF_POD, ""),
        (("Pod", "g-0"), {"resource.kubernetes.io/pod-claim-name": "d"}, ""),
        (("Pod", "g-0"), {}, ""),
        (("Pod", "g-0"), OF_POD, "before"),
    ],
)
def test_a_claim_of_another_owner_or_entry_is_not_the_pods(
    owner: tuple[str, str], notes: Obj, uid: str
) -> None:
    one = made("x", owner, notes)
    one["metadata"]["ownerReferences"][0]["uid"] = uid
    built = built_of(gang("g", 1), claiming("g-0", "t", group="g", uid="now"), one)
    assert (built.names.shared, built.names.own, held(built)) == ((), ("c",), {})


@pytest.mark.parametrize("notes", [OF_GROUP, OF_POD])
@pytest.mark.parametrize("status", [None, generated("x")])
def test_the_claim_of_a_pod_group_is_found_likewise(notes: Obj, status: Obj | None) -> None:
    group = claiming_gang("g", 1, ENTRY)
    if status is not None:
        group["status"] = status
    pods = [claiming(f"g-{n}", ENTRY, group="g") for n in range(2)]
    built = built_of(group, *pods, made("x", ("PodGroup", "g"), notes))
    assert (built.names.shared, held(built)) == (("lab/x",), {})
    assert built.roles.wanted.tolist() == [2]


def test_a_claim_that_was_made_and_is_being_deleted_holds_the_pod() -> None:
    going = made("x", ("Pod", "p"), OF_POD, deletionTimestamp="2026-01-01T00:00:00Z")
    built = built_of(claiming("p", "t"), going)
    assert held(built) == {"lab/p": "ResourceClaim lab/x is being deleted"}


def test_the_claim_for_extended_resources_is_found_likewise() -> None:
    notes = {"resource.kubernetes.io/extended-resource-claim": "true"}
    container = {"name": "c", "resources": {"limits": {"example.com/card": "1"}}}
    pod = obj("v1", "Pod", "p", {"containers": [container]})
    stands = device_class("card", extendedResourceName="example.com/card")
    built = built_of(stands, pod, made("x", ("Pod", "p"), notes))
    assert (built.names.shared, built.names.own, held(built)) == (("lab/x",), (), {})
