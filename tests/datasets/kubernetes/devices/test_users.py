"""Who has which claims: pods, PodGroups, generated claims."""

import pytest

from gangplan.models.claims import NO_LIMIT
from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    Obj,
    asks,
    by_name,
    claim,
    claiming,
    claiming_gang,
    device_class,
    generated,
    host,
    notes,
    request,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import gang, held, instance, job, pod_spec

TEMPLATE = {"name": "c", "resourceClaimTemplateName": "t"}


def built_of(*objects: Obj) -> Instance:
    nodes = [host("n1"), host("n2")]
    return instance(*nodes, device_class(), slice_("s", "d0", "d1"), *objects)


def own(built: Instance) -> list[tuple[int, int]]:
    return list(zip(built.claims.own_role.tolist(), built.claims.own_spec.tolist(), strict=True))


def users(built: Instance) -> dict[str, list[int]]:
    return {
        name: built.claims.user_role[built.claims.user_shared == c].tolist()
        for c, name in enumerate(built.names.shared)
    }


def test_each_pod_has_a_claim_of_its_own_from_a_template() -> None:
    pods = [claiming(f"g-{n}", "t", group="g") for n in range(3)]
    built = built_of(gang("g", 1), template(), *pods)
    assert (own(built), built.names.own) == ([(0, 0)], ("c",))
    assert built.roles.wanted.tolist() == [3]


def test_templates_with_equal_specs_make_equal_pods() -> None:
    pods = [claiming(f"g-{n}", f"t{n}", group="g") for n in range(2)]
    built = built_of(gang("g", 1), template("t0"), template("t1"), *pods)
    assert built.roles.wanted.tolist() == [2]
    assert built.claims.n_specs == 1


def test_pods_with_other_specs_are_other_roles() -> None:
    pods = [claiming(f"g-{n}", f"t{n}", group="g") for n in range(2)]
    two = template("t1", asks(request(count=2)))
    built = built_of(gang("g", 1), template("t0"), two, *pods)
    assert own(built) == [(0, 0), (1, 1)]


def test_bare_pods_with_other_claims_are_other_groups() -> None:
    pods = [claiming("p-0", "t0"), claiming("p-1", "t1"), claiming("p-2", "t0")]
    two = template("t1", asks(request(count=2)))
    built = built_of(template("t0"), two, *pods)
    assert built.names.groups == ("lab/p-0", "lab/p-1")
    assert built.roles.wanted.tolist() == [2, 1]


def test_a_claim_by_name_is_shared_by_all_that_name_it() -> None:
    built = built_of(
        claim(),
        claiming("p-0", by_name()),
        gang("g", 1),
        claiming("g-0", by_name(entry="x"), group="g"),
    )
    assert (users(built), own(built)) == ({"lab/c": [0, 1]}, [])
    assert built.claims.shared_limit.tolist() == [256]


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (by_name("lost"), "ResourceClaim lab/lost does not exist"),
        ("lost", "ResourceClaimTemplate lab/lost does not exist"),
        (by_name("going"), "ResourceClaim lab/going is being deleted"),
    ],
)
def test_a_claim_that_is_not_there_holds_the_group(entry: Obj | str, reason: str) -> None:
    going = claim("going", deletionTimestamp="2026-01-01T00:00:00Z")
    assert held(built_of(going, claiming("p", entry))) == {"lab/p": reason}


def test_an_allocated_claim_pins_its_users() -> None:
    built = built_of(claim(allocated=[result("d0")], on="n2"), claiming("p", by_name()))
    assert built.claims.shared_spec.tolist() == [-1]
    assert built.devices.zones[built.claims.shared_zone].tolist() == [[False, True]]


def test_an_allocation_without_a_selector_pins_to_nothing() -> None:
    built = built_of(claim(allocated=[result("d0")]), claiming("p", by_name()))
    assert built.devices.zones[built.claims.shared_zone].tolist() == [[True, True]]


def test_an_allocation_on_a_node_that_is_not_there_is_told() -> None:
    built = built_of(claim(allocated=[result("d0")], on="gone"), claiming("p", by_name()))
    assert not built.devices.zones.any()
    assert notes(built, "ResourceClaim lab/c is allocated where no node")


def generated_pods(*claims: Obj, names: tuple[str | None, ...] = ("g-0-c",)) -> Instance:
    pods = [
        claiming(f"g-{n}", "t", group="g", status=generated(name)) for n, name in enumerate(names)
    ]
    return built_of(gang("g", 1), template(), *pods, *claims)


def test_a_generated_claim_that_is_not_allocated_is_as_the_template_says() -> None:
    made = [claim(f"g-{n}-c", owner=("Pod", f"g-{n}")) for n in range(2)]
    built = generated_pods(*made, names=("g-0-c", "g-1-c"))
    assert (own(built), built.roles.wanted.tolist(), held(built)) == ([(0, 0)], [2], {})


def test_a_generated_claim_that_is_allocated_pins_its_pod_alone() -> None:
    made = [
        claim("g-0-c", owner=("Pod", "g-0"), allocated=[result("d0")], on="n1"),
        claim("g-1-c", owner=("Pod", "g-1")),
    ]
    built = generated_pods(*made, names=("g-0-c", "g-1-c"))
    assert (users(built), own(built)) == ({"lab/g-0-c": [0]}, [(1, 0)])
    assert built.roles.wanted.tolist() == [1, 1]


def test_a_pod_that_needs_no_claim_has_none() -> None:
    built = generated_pods(names=(None,))
    assert (own(built), held(built)) == ([], {})


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (claim("g-0-c", owner=("Pod", "q")), "ResourceClaim lab/g-0-c belongs to Pod q"),
        (claim("g-0-c"), "ResourceClaim lab/g-0-c belongs to nobody, not to lab/g-0"),
        (claim("x"), "ResourceClaim lab/g-0-c does not exist"),
    ],
)
def test_a_generated_claim_of_another_holds_the_group(made: Obj, reason: str) -> None:
    assert held(generated_pods(made)) == {"lab/g": reason}


def test_a_claim_of_the_pod_group_is_one_for_its_pods() -> None:
    pods = [claiming(f"g-{n}", TEMPLATE, group="g") for n in range(3)]
    built = built_of(claiming_gang("g", 1, TEMPLATE), template(), *pods)
    assert (users(built), own(built)) == ({"lab/g:c": [0]}, [])
    assert built.claims.shared_limit.tolist() == [NO_LIMIT]
    assert built.roles.wanted.tolist() == [3]


def test_an_entry_that_differs_in_one_field_is_a_claim_of_the_pod() -> None:
    other = {"name": "d", "resourceClaimTemplateName": "t"}
    built = built_of(
        claiming_gang("g", 1, TEMPLATE), template(), claiming("g-0", TEMPLATE, other, group="g")
    )
    assert (users(built), own(built)) == ({"lab/g:c": [0]}, [(0, 0)])
    assert built.names.own == ("d",)


def test_a_generated_claim_of_the_pod_group_is_used_where_it_is() -> None:
    made = claim("g-c", owner=("PodGroup", "g"), allocated=[result("d0")], on="n2")
    group = claiming_gang("g", 1, TEMPLATE)
    group["status"] = generated("g-c")
    built = built_of(group, made, template(), claiming("g-0", TEMPLATE, group="g"))
    assert (users(built), held(built)) == ({"lab/g-c": [0]}, {})
    assert built.devices.zones[built.claims.shared_zone].tolist() == [[False, True]]
    made["metadata"]["ownerReferences"][0]["name"] = "h"
    built = built_of(group, made, template(), claiming("g-0", TEMPLATE, group="g"))
    assert held(built) == {"lab/g": "ResourceClaim lab/g-c belongs to PodGroup h"}


def test_a_claim_without_requests_asks_for_nothing() -> None:
    empty = template(spec={"devices": {}})
    built = built_of(empty, claiming("p", "t"))
    assert (own(built), held(built), len(built.devices)) == ([], {}, 0)


def test_two_claims_of_a_pod_are_in_the_order_of_their_names() -> None:
    entries = [{"name": name, "resourceClaimTemplateName": "t"} for name in ("b", "a")]
    built = built_of(template(), claiming("p", *entries))
    assert (built.names.own, own(built)) == (("a", "b"), [(0, 0), (0, 0)])


def test_pods_without_claims_leave_no_trace_of_devices() -> None:
    bare = instance(host("n1"), claiming("p"))
    with_slices = instance(host("n1"), device_class(), slice_("s", "d0"), claiming("p"))
    assert bare.digest() == with_slices.digest()


def test_the_pods_that_a_job_makes_share_the_claim_of_its_group() -> None:
    template_of_pods = {"spec": pod_spec(0, resourceClaims=[TEMPLATE])}
    scheduling = {"schedulingPolicy": {"gang": {"minCount": 2}}, "resourceClaims": [TEMPLATE]}
    made = job("train", 3, template=template_of_pods, scheduling=scheduling)
    built = built_of(template(), made)
    assert (users(built), own(built)) == ({"lab/train:c": [0]}, [])
    assert built.roles.wanted.tolist() == [3]


def test_the_pods_that_a_job_makes_have_claims_of_their_own() -> None:
    made = job("train", 3, template={"spec": pod_spec(0, resourceClaims=[TEMPLATE])})
    built = built_of(template(), made)
    assert (users(built), own(built)) == ({}, [(0, 0)])


def test_a_claim_that_nobody_generated_yet_needs_its_template() -> None:
    built = built_of(claiming_gang("g", 1, TEMPLATE), claiming("g-0", TEMPLATE, group="g"))
    assert held(built) == {"lab/g": "ResourceClaimTemplate lab/t does not exist"}


def test_many_reasons_of_a_group_are_told_in_short() -> None:
    pods = [claiming(f"g-{n}", f"lost-{n}", group="g") for n in range(8)]
    (reason,) = held(built_of(gang("g", 1), *pods)).values()
    assert reason.startswith("ResourceClaimTemplate lab/lost-0 does not exist, ")
    assert reason.endswith(" and 3 more")


def test_a_claim_of_an_earlier_pod_of_the_same_name_is_not_the_pods() -> None:
    made = claim("g-0-c", owner=("Pod", "g-0"))
    made["metadata"]["ownerReferences"][0]["uid"] = "before"
    pod = claiming("g-0", "t", group="g", status=generated("g-0-c"), uid="now")
    built = built_of(gang("g", 1), template(), pod, made)
    why = "ResourceClaim lab/g-0-c belongs to Pod g-0, an earlier one"
    assert held(built) == {"lab/g": why}
    made["metadata"]["ownerReferences"][0]["uid"] = "now"
    assert held(built_of(gang("g", 1), template(), pod, made)) == {}


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (TEMPLATE, False),
        ({**TEMPLATE, "name": "d"}, True),
        ({"name": "c", "resourceClaimTemplateName": "other"}, True),
        ({"name": "c", "resourceClaimName": "t"}, True),
    ],
)
def test_a_claim_of_a_podgroup_that_no_pod_shares_is_told(entry: Obj, told: bool) -> None:
    mine = claiming_gang("g", 1, entry)
    built = built_of(mine, template(), claiming("g-0", "t", group="g"))
    assert len(built.names.shared) == (not told)
    said = (
        f"PodGroup lab/g: none of its pods shares its claim {entry['name']}: a pod does so by"
        " an entry of the same name and the same claim or template"
    )
    assert notes(built, "shares") == [said] * told


def test_a_claim_of_an_earlier_group_of_the_same_name_is_not_the_groups() -> None:
    entry: Obj = {"name": "c", "resourceClaimTemplateName": "t"}
    group = claiming_gang("g", 1, entry) | {"status": generated("g-c")}
    group["metadata"]["uid"] = "now"
    made = claim("g-c", owner=("PodGroup", "g"))
    made["metadata"]["ownerReferences"][0]["uid"] = "before"
    pod = claiming("g-0", entry, group="g")
    built = built_of(group, template(), pod, made)
    why = "ResourceClaim lab/g-c belongs to PodGroup g, an earlier one"
    assert held(built) == {"lab/g": why}
    made["metadata"]["ownerReferences"][0]["uid"] = "now"
    assert held(built_of(group, template(), pod, made)) == {}
