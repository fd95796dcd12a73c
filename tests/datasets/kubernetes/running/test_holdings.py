"""Allocated claims of running pods: who uses them, and what comes free when they all fall."""

from typing import Any

import pytest

from gangplan.models.instance import Instance
from tests.datasets.kubernetes.devices.claims import (
    DRIVER,
    Obj,
    asks,
    by_name,
    claim,
    claiming,
    claiming_gang,
    counters,
    device,
    device_class,
    draws,
    fitting,
    generated,
    host,
    number,
    request,
    result,
    slice_,
    template,
)
from tests.datasets.kubernetes.objects import gang, instance, pod
from tests.datasets.kubernetes.running.work import DAEMON, holds, never, pod_number

ENTRY: Obj = {"name": "c", "resourceClaimTemplateName": "t"}
GONE: Obj = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
GI = 2**30


def cluster(*objects: Obj) -> Instance:
    """One node with two devices; a pod of higher priority waits for one."""
    waits = claiming("w", "t", spec={"priority": 9})
    return instance(
        host("n1"), device_class(), slice_("s", "d0", "d1"), template(), waits, *objects
    )


def held(name: str = "c", *devices: str, **fields: Any) -> Obj:
    return claim(name, allocated=[result(one) for one in devices or ("d0",)], on="n1", **fields)


def user(name: str = "old", **fields: Any) -> Obj:
    return claiming(name, by_name(), on="n1", **fields)


def whole(
    *users: str, devices: tuple[str, ...] = ("d0",), shared: str = ""
) -> list[dict[str, Any]]:
    return [
        {
            "users": list(users),
            "shared": shared,
            "devices": list(devices),
            "counters": [],
            "pots": [],
        }
    ]


def test_a_device_comes_free_with_the_pod_that_names_its_claim() -> None:
    built = cluster(held(), user())
    assert holds(built) == whole("old")
    assert bool(built.devices.taken[number(built, "d0")])
    assert fitting(built) == {"d0", "d1"}


def test_a_claim_with_several_users_waits_for_the_last_one() -> None:
    assert holds(cluster(held(reserved=["a"]), user("a"), user("b"))) == whole("a", "b")


def test_a_claim_that_was_made_for_a_pod_is_its_own() -> None:
    made = held(owner=("Pod", "old"), annotations={"resource.kubernetes.io/pod-claim-name": "c"})
    built = cluster(made, claiming("old", "t", on="n1"))
    assert holds(built) == whole("old")
    assert built.running.pod_devices.tolist() == [1]
    named = claiming("old", "t", on="n1", status={"phase": "Running", **generated("c")})
    assert holds(cluster(held(), named)) == whole("old")


def test_a_claim_of_a_group_has_all_its_running_members_as_users() -> None:
    group = claiming_gang("g", 1, ENTRY)
    group["status"] = generated("c")
    members = [claiming("g-0", ENTRY, group="g", on="n1"), pod("g-1", "g", "n1", gpus=0)]
    assert holds(cluster(held(), group, *members)) == whole("g-0", "g-1")
    by_reservation = held(
        reserved=[
            {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "u"}
        ]
    )
    plain = claiming_gang("g", 1)
    assert holds(cluster(by_reservation, plain, *members[1:])) == whole("g-1")


@pytest.mark.parametrize(
    "users",
    [
        [],
        [user("x", **GONE)],
        [user("x", ownerReferences=DAEMON)],
        [user("x"), user("y", **GONE)],
    ],
)
def test_a_user_that_is_no_pod_of_a_unit_keeps_it(users: list[Obj]) -> None:
    built = cluster(held(), *users)
    assert holds(built) == []
    assert bool(built.devices.taken[number(built, "d0")])


@pytest.mark.parametrize(
    "reserved",
    [
        ["ghost"],
        [{"resource": "pods", "name": "old", "uid": "another"}],
        [{"apiGroup": "example.com", "resource": "things", "name": "old", "uid": "u"}],
        [{"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "ghost", "uid": "u"}],
        ["w2"],
        [{"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "before"}],
        [{"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "h", "uid": "now"}],
    ],
)
def test_a_reservation_for_somebody_else_keeps_it(reserved: list[Any]) -> None:
    waits = claiming("w2", by_name())
    groups = [gang("g", 1, uid="now"), pod("g-0", "g", "n1", gpus=0), gang("h", 1, uid="now")]
    built = cluster(held(reserved=reserved), user(uid="old"), waits, *groups)
    assert holds(built) == []


def test_a_shared_claim_that_others_wait_for_is_known_by_its_number() -> None:
    built = cluster(held(), user(), claiming("joins", by_name()))
    assert holds(built) == whole("old", shared="lab/c")


def test_a_device_that_two_claims_hold_does_not_come_free_with_one() -> None:
    twice = [held("c"), held("other"), user(), claiming("b", by_name("other"), on="n1")]
    assert holds(cluster(*twice)) == []


def test_an_admin_holds_nothing() -> None:
    admin = claim(allocated=[result("d0", adminAccess=True)], on="n1")
    built = cluster(admin, user())
    assert holds(built) == []
    assert not built.devices.taken.any()


def test_nobody_waits_for_devices_and_nothing_is_said_of_them() -> None:
    built = instance(host("n1"), slice_("s", "d0"), held(), user(), pod("w"))
    assert holds(built) == []
    assert built.running.pod_devices.tolist() == [1]


def test_gpus_of_own_claims_count_and_of_shared_ones_do_not() -> None:
    own = cluster(held("c", "d0", "d1"), user())
    assert own.running.pod_devices.tolist() == [2]
    together = cluster(held("c", "d0", "d1"), user("a"), user("b"))
    assert together.running.pod_devices.tolist() == [0, 0]
    nic = slice_("z", "z0", pool="nics", driver="nic.example.com")
    other = claim("c", allocated=[result("z0", "nics", "nic.example.com")], on="n1")
    other["spec"] = asks(request("r", "net"))
    built = cluster(device_class("net", "true"), nic, other, user())
    assert built.running.pod_devices.tolist() == [0]


def test_extended_resources_of_devices_count_once() -> None:
    cards = device_class("cards", "true", extendedResourceName="example.com/gpu")
    old = pod("old", on="n1", gpus=0)
    old["spec"]["containers"][0]["resources"]["requests"] = {"example.com/gpu": "1"}
    assert cluster(cards, old).running.pod_devices.tolist() == [1]
    made = held(
        owner=("Pod", "old"), annotations={"resource.kubernetes.io/extended-resource-claim": "true"}
    )
    assert cluster(cards, made, old).running.pod_devices.tolist() == [1]


# -- counters and pots -------------------------------------------------------------------------

CARD = [
    counters("c", mode="4"),
    slice_(
        "s",
        device("big", consumesCounters=draws(mode="4")),
        device("small", consumesCounters=draws(mode="1"), attributes={"size": "small"}),
        slices=2,
    ),
]
BIG = asks(request("r", "gpu", f'!has(device.attributes["{DRIVER}"].size)'))


def partitions(*objects: Obj, **fields: Any) -> Instance:
    waits = claiming("w", "t", spec={"priority": 9, **fields})
    return instance(host("n1"), device_class(), *CARD, template(spec=BIG), waits, *objects)


def test_what_a_partition_drew_returns_although_nobody_asks_for_it() -> None:
    built = partitions(held("c", "small"), user())
    assert built.names.devices == (f"{DRIVER}/n1/big",)
    assert built.devices.counter_free.tolist() == [3]
    assert holds(built) == [
        {"users": ["old"], "shared": "", "devices": [], "counters": [1], "pots": []}
    ]


def test_a_device_that_comes_free_draws_again_and_returns_what_it_drew() -> None:
    built = partitions(held("c", "big"), user())
    assert built.devices.counter_free.tolist() == [0]
    assert built.devices.draw_amount.tolist() == [4]
    assert holds(built)[0] | {"users": []} == {
        "users": [], "shared": "", "devices": ["big"], "counters": [4], "pots": []
    }  # fmt: skip
    stays = partitions(held("c", "big"), user(ownerReferences=DAEMON))
    assert stays.devices.draw_amount.tolist() == []


def test_what_a_counter_is_short_of_is_made_up_first() -> None:
    both = [held("a", "big"), held("b", "small"), claiming("x", by_name("a"), on="n1")]
    built = partitions(*both, claiming("y", by_name("b"), on="n1"))
    assert built.devices.counter_free.tolist() == [0]  # 5 of 4 are drawn
    assert [one["counters"] for one in holds(built)] == [[3]]


MULTI = device("m", allowMultipleAllocations=True, capacity={"memory": "80Gi"})


def share(name: str, amount: str) -> Obj:
    taken: dict[str, Any] = {"consumedCapacity": {f"{DRIVER}/memory": amount}, "shareID": name}
    return claim(name, allocated=[result("m", **taken)], on="n1")


def shares(*objects: Obj, spec: Obj | None = None, **of_pod: Any) -> Instance:
    some = request("r", capacity={"requests": {"memory": "40Gi"}})
    waits = claiming("w", "t", spec={"priority": 9, **of_pod})
    template_ = template(spec=spec or asks(some))
    return instance(host("n1"), device_class(), slice_("s", MULTI), template_, waits, *objects)


def test_a_share_returns_to_its_pot_and_the_device_fits_who_could_use_it_then() -> None:
    built = shares(share("c", "60Gi"), user())
    assert built.devices.pot_free.tolist() == [20 * GI]
    assert holds(built) == [
        {"users": ["old"], "shared": "", "devices": [], "counters": [], "pots": [60 * GI]}
    ]
    assert fitting(built) == {"m"}
    assert fitting(shares(share("c", "60Gi"), user(ownerReferences=DAEMON))) == set()


def test_what_a_pot_is_short_of_is_made_up_first() -> None:
    built = shares(
        share("c", "60Gi"), share("d", "30Gi"), user(), claiming("b", by_name("d"), on="n1")
    )
    assert built.devices.pot_free.tolist() == [0]
    assert [one["pots"] for one in holds(built)] == [[50 * GI], [20 * GI]]


def test_an_all_request_waits_for_no_share() -> None:
    every = asks(request("r", allocationMode="All", capacity={"requests": {"memory": "40Gi"}}))
    built = shares(share("c", "60Gi"), user(), spec=every)
    assert holds(built) == []
    assert fitting(built) == set()


def test_who_evicts_nobody_gets_no_device_that_comes_free() -> None:
    meek = claiming("x", "t", spec={"preemptionPolicy": "Never"})
    built = cluster(held(), user(), meek)
    assert never(built) == ["x"]
    assert (fitting(built, 0), fitting(built, 1)) == ({"d0", "d1"}, {"d1"})
    assert holds(built) == whole("old")
    assert (
        "groups that evict nobody get no device that can come free; what evictions return to"
        " counters and capacities that these groups draw from is not planned with"
    ) in built.names.notes
    alone = cluster(meek)
    assert fitting(alone, 0) == {"d0", "d1"}
    assert len(alone.claims.choice_count) == 1


def test_nothing_returns_to_counters_and_pots_that_such_groups_draw_from() -> None:
    built = partitions(held("c", "small"), user(), preemptionPolicy="Never")
    assert holds(built) == []
    assert built.devices.counter_free.tolist() == [3]
    pots = shares(share("c", "60Gi"), user(), preemptionPolicy="Never")
    assert holds(pots) == []
    assert fitting(pots) == set()


def test_a_shared_claim_with_one_such_user_is_theirs() -> None:
    meek = claiming("x", by_name("new"), spec={"preemptionPolicy": "Never"})
    built = cluster(held(), user(), claim("new"), meek, claiming("y", by_name("new")))
    column = int(built.claims.shared_spec[0])
    choice = int((built.claims.request_spec == column).argmax())
    assert fitting(built, choice) == {"d1"}


def test_pods_are_numbered_by_name() -> None:
    built = cluster(held(), user("b"), user("a"))
    assert (pod_number(built, "a"), pod_number(built, "b")) == (0, 1)
