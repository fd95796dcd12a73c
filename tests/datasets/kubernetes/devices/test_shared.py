"""How many pods may reserve a claim."""

from gangplan.models.claims import NO_LIMIT
from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    by_name,
    claim,
    claiming,
    claiming_gang,
    device_class,
    host,
    notes,
    result,
    slice_,
)
from tests.datasets.kubernetes.objects import gang, instance

REST = "a claim of their PodGroup (spec.resourceClaims) has no such limit"


def limit(built: Instance) -> int:
    (found,) = built.claims.shared_limit.tolist()
    return int(found)


def built_of(group: Obj, pods: int, *objects: Obj) -> Instance:
    made = [claiming(f"g-{n}", by_name(), group="g") for n in range(pods)]
    return instance(host("n1"), device_class(), slice_("s", "d0"), group, *made, *objects)


def reserved(*names: str) -> Obj:
    return claim(allocated=[result("d0")], reserved=names)


def test_256_pods_may_use_a_claim_and_more_are_told() -> None:
    built = built_of(gang("g", 1), 257, claim())
    assert limit(built) == 256
    (note,) = notes(built, "ResourceClaim lab/c")
    assert note == (f"ResourceClaim lab/c: 257 waiting pods and 0 others use it, 256 may; {REST}")
    assert notes(built_of(gang("g", 1), 256, claim()), "ResourceClaim lab/c") == []


def test_a_claim_of_the_pod_group_has_no_limit() -> None:
    built = built_of(claiming_gang("g", 1, by_name()), 257, claim())
    assert limit(built) == NO_LIMIT
    assert notes(built, "ResourceClaim lab/c") == []


def test_those_that_have_reserved_it_count() -> None:
    assert limit(built_of(gang("g", 1), 1, reserved("old-0", "old-1"))) == 254


def test_a_waiting_pod_that_has_reserved_it_already_counts_once() -> None:
    assert limit(built_of(gang("g", 1), 2, reserved("g-0", "old-1"))) == 255


def test_pods_beside_a_group_are_limited_only_where_they_are_too_many() -> None:
    group = claiming_gang("g", 1, by_name())
    few = [claiming(f"p-{n}", by_name()) for n in range(3)]
    assert limit(built_of(group, 300, claim(), *few)) == NO_LIMIT
    many = [claiming(f"p-{n}", by_name()) for n in range(257)]
    assert limit(built_of(group, 3, claim(), *many)) == 256


def test_a_pod_group_of_a_pods_name_is_another_user() -> None:
    group = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g-0", "uid": "u"}
    used = claim(allocated=[result("d0")], reserved=[group])
    assert limit(built_of(gang("g", 1), 1, used)) == 255


def test_a_claim_that_is_full_takes_no_other_pod_group() -> None:
    mine = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "u"}
    others = [f"old-{n}" for n in range(256)]
    group = claiming_gang("g", 1, by_name())
    full = built_of(group, 3, reserved(*others))
    assert limit(full) == 0
    assert notes(full, "256 others use it")
    used = claim(allocated=[result("d0")], reserved=[*others[1:], mine])
    assert limit(built_of(group, 3, used)) == NO_LIMIT
    assert limit(built_of(group, 3, reserved(*others[1:]))) == NO_LIMIT
