"""Whether what is left of a flight still keeps every rule on the cluster as it is now."""

from dataclasses import replace

from gangplan.cluster import checks
from gangplan.cluster.carry import held, look
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.carry.nearby import nearby
from gangplan.cluster.client import Object
from gangplan.cluster.flight import Flight
from gangplan.cluster.uses import allocation_in
from gangplan.cluster.world import World, uid_of


def violations(journal: Journal) -> tuple[str, ...]:
    """Check a flight as it stands; what is done already is part of the cluster.

    Victims that are leaving count as gone: to wait for them is a step of its own.

    Raises
    ------
    GangplanError : the cluster cannot be read.
    """
    flight = journal.flight
    world = without_traces(journal.site.world(), flight)
    there = {uid_of(pod) for pod in world.objects.get("Pod", ())}
    left = tuple(falling for falling in flight.fallings if falling.uid in there)
    rest = replace(flight, fallings=left)
    return checks.fits(nearby(world, rest), (rest,))


def lacks_devices(journal: Journal) -> bool:
    """Whether a claim has lost what this flight allocated.

    Raises
    ------
    ClusterError : the cluster cannot be read.
    """
    world = journal.site.world()
    found = (world.find("ResourceClaim", one.claim) for one in journal.flight.allocatings)
    return any(claim is not None and allocation_in(claim) is None for claim in found)


def without_traces(world: World, flight: Flight) -> World:
    """Give the cluster without the taints of this flight and without its leaving victims."""
    victims = {falling.uid for falling in flight.fallings}
    pods = world.objects.get("Pod", ())
    if victims:
        pods = [pod for pod in pods if not (uid_of(pod) in victims and look.leaving(pod))]
    nodes = (_untainted(node, flight.key) for node in world.objects.get("Node", ()))
    return world.with_objects({"Pod": pods, "Node": nodes})


def _untainted(node: Object, key: str) -> Object:
    taints = node["spec"].get("taints") or ()
    if not any(taint.get("key") == held.TAINT for taint in taints):
        return node
    return {**node, "spec": {**node["spec"], "taints": held.without(taints, key)}}
