"""Whether flights keep every rule, with what has been done already as part of the world."""

from typing import Any

import pytest

from gangplan import api
from gangplan.cluster.checks import fits
from gangplan.cluster.flights import flights_of
from gangplan.cluster.instances import instance_of
from gangplan.cluster.world import World, name_of
from gangplan.datasets.kubernetes.assemble.build import build
from gangplan.datasets.kubernetes.read import snapshot_of
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.datasets.plan_file import plan_document
from gangplan.models.errors import InputError
from gangplan.solvers.base import Limits
from tests.cluster import workloads as w
from tests.cluster.checks.test_flights import gang, world

Object = dict[str, Any]


def plan_of(here: World, **options: Any) -> Object:
    """Plan a world."""
    instance = instance_of(here)
    return plan_document(instance, api.plan(instance, limits=Limits(10.0), **options))


def moved(here: World, node: str, *pods: str) -> World:
    """Give the world with pods bound to a node."""
    found = [
        {**pod, "spec": {**pod["spec"], "nodeName": node}, "status": {"phase": "Running"}}
        if name_of(pod) in pods
        else pod
        for pod in here.objects["Pod"]
    ]
    return here.with_objects({"Pod": found})


def test_a_plan_fits_the_world_it_was_made_of() -> None:
    here = world(*w.racks(1, 2, cpu="2"), *gang("a", 4))
    assert fits(here, flights_of(plan_of(here), here)) == ()


def test_a_flight_half_done_fits_and_so_does_one_that_is_done() -> None:
    here = world(w.node("n1", cpu="3"), *gang("a", 3))
    flights = flights_of(plan_of(here), here)
    assert fits(moved(here, "n1", "default/a-0"), flights) == ()
    assert fits(moved(here, "n1", "default/a-0", "default/a-1", "default/a-2"), flights) == ()


def test_room_that_somebody_took_is_seen() -> None:
    here = world(
        w.node("n1", cpu="3"), *gang("a", 3), w.pod("other", scheduler="default-scheduler")
    )
    flights = flights_of(plan_of(here), here)
    (said,) = fits(moved(here, "n1", "default/other"), flights)
    assert "n1" in said
    assert "cpu" in said


def test_a_pod_bound_elsewhere_does_not_wait_any_more() -> None:
    here = world(w.node("n1", cpu="1"), *gang("a", 1), w.node("n2", cpu="1"))
    flights = flights_of(plan_of(here), here)
    (node,) = flights[0].nodes
    other = {"n1": "n2", "n2": "n1"}[node]
    assert fits(moved(here, other, "default/a-0"), flights) == (
        "Pod default/a-0: it does not wait any more",
    )


def test_flights_that_were_planned_together_do_not_fit_without_the_others_victims() -> None:
    here = world(
        w.node("n1", cpu="2"), *_prior(gang("a", 1, cpu="1"), 5), *_prior(gang("b", 1, cpu="1"), 3),
        w.pod("v", cpu="2"),
    )  # fmt: skip
    here = moved(here, "n1", "default/v")
    flights = flights_of(plan_of(here), here)
    assert fits(here, flights) == ()
    alone = [flight for flight in flights if not flight.fallings]
    assert not alone or fits(here, alone)


def _prior(objects: list[Object], priority: int) -> list[Object]:
    return [{**obj, "spec": {**obj["spec"], "priority": priority}} for obj in objects]


def test_a_hard_rule_that_was_ignored_does_not_fit() -> None:
    spread = {"maxSkew": 1, "topologyKey": w.RACK, "whenUnsatisfiable": "DoNotSchedule"}
    selector = {"labelSelector": {"matchLabels": {"app": "a"}}}
    pod = w.pod("p", labels={"app": "a"}, topologySpreadConstraints=[{**spread, **selector}])
    here = world(w.node("n1", rack="r0"), pod)
    faults = Faults()
    documents = (Document("cluster", obj) for obj in here.documents())
    instance = build(snapshot_of(documents, faults), ignore_unsupported=True)
    document = plan_document(instance, api.plan(instance, limits=Limits(10.0)))
    flights = flights_of(document, here)
    assert len(flights) == 1
    assert fits(here, flights)


def test_an_object_that_cannot_be_read_is_an_error_only_where_that_is_asked_for() -> None:
    here = world(w.node("n1"), *gang("a", 1))
    flights = flights_of(plan_of(here), here)
    odd = w.pod("odd", shape="round")
    here = here.with_objects({"Pod": [*here.objects["Pod"], *world(odd).objects["Pod"]]})
    assert fits(here, flights) == ()
    with pytest.raises(InputError, match="Pod default/odd"):
        fits(here, flights, strict=True)
