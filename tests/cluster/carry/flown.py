"""Flights of a live cluster in tests: planned as users do, carried out, looked at afterwards."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gangplan.cluster import faultpoints
from gangplan.cluster.flight import Flight
from gangplan.cluster.flights import flights_of
from gangplan.cluster.kinds import CONFIG_MAP
from gangplan.cluster.site import Site, Waits
from tests.cluster.audit import audit
from tests.cluster.audit.history import History
from tests.cluster.checks.planned import plan_of, site_of, world_of
from tests.cluster.live import Live

Object = dict[str, Any]

SHORT = Waits(evict=2.0, leave=10.0, claim=5.0, ready=5.0, bind=2.0, confirm=1.0, away=20.0)


def site(live: Live, *, holder: str = "tests", **options: Any) -> Site:
    """Give a site that loses patience soon."""
    options = {"waits": SHORT, "holder": holder, **options}
    return site_of(live, **options)


def flight_in(live: Live, *, evict_foreign: bool = False, **options: Any) -> Flight:
    """Plan the cluster as it is; the plan has to be one flight."""
    world = world_of(live, evict_foreign=evict_foreign)
    flights = flights_of(plan_of(world, **options), world)
    assert len(flights) == 1, [flight.name for flight in flights]
    return flights[0]


def at(name: str, act: Callable[[], object]) -> Callable[[str], None]:
    """Give a listener that does something the first time a place is passed."""
    done: list[bool] = []

    def listen(passed: str) -> None:
        if passed == name and not done:
            done.append(True)
            act()

    return listen


@contextmanager
def when(name: str, act: Callable[[], object]) -> Iterator[None]:
    """Do something the first time a place is passed."""
    listener = at(name, act)
    faultpoints.listeners.append(listener)
    try:
        yield
    finally:
        faultpoints.listeners.remove(listener)


def wrong(live: Live, history: History | None = None, **options: Any) -> list[str]:
    """Give what is wrong with the cluster, now that nothing is on its way any more."""
    return audit(live.admin, live.served, history, **options)


@contextmanager
def without_kubelets(live: Live) -> Iterator[None]:
    """Stop KWOK, which would end the pods of a Job as soon as they are bound."""
    live.plane.end("kwok")
    try:
        yield
    finally:
        live.plane.start_kubelets()


def journals(live: Live) -> list[Object]:
    """Give the journals that are left."""
    return list(live.admin.get(CONFIG_MAP.path("gangplan-system"), _OURS)["items"])


_OURS = {"labelSelector": "app.kubernetes.io/managed-by=gangplan"}


def set_status(live: Live, pod: str, status: Object) -> None:
    """Write a pod's status, as its kubelet would."""
    live.admin.patch(live.served["Pod"].path_of(f"default/{pod}", "status"), {"status": status})


def bind(live: Live, pod: str, node: str) -> None:
    """Bind a pod, as somebody else would."""
    path = live.served["Pod"].path_of(f"default/{pod}", "binding")
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    meta = {"name": pod, "namespace": "default"}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": meta, "target": target}
    live.admin.post(path, body)


def delete(live: Live, kind: str, name: str) -> None:
    """Delete an object at once, and wait until it is gone."""
    path = live.served[kind].path_of(name)
    live.admin.delete(path, {"gracePeriodSeconds": 0})
    plural = live.served[kind].path(name.rpartition("/")[0])
    short = name.rpartition("/")[2]
    live.wait(lambda: all(o["metadata"]["name"] != short for o in live.admin.get(plural)["items"]))
