"""Missing pods are placed once more, on other nodes, with nobody evicted."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from gangplan import api
from gangplan.cluster import claims, faultpoints
from gangplan.cluster.carry import look, nominate
from gangplan.cluster.carry.count import Count, count
from gangplan.cluster.carry.fitting import without_traces
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.carry.patience import Pauses, each, is_away, sentence
from gangplan.cluster.client import Object
from gangplan.cluster.errors import Fenced
from gangplan.cluster.flight import Allocating, Flight, Placing
from gangplan.cluster.flights import flights_of
from gangplan.cluster.instances import tolerant
from gangplan.cluster.uses import allocation_in, group_name
from gangplan.cluster.world import World, uid_of
from gangplan.datasets.plan_file import plan_document
from gangplan.models.errors import GangplanError
from gangplan.solvers.base import Limits

ROUNDS = 2
SECONDS = 5.0
"""Of planning in a round: pods of the gang stand bound meanwhile."""


def repair(journal: Journal, seen: Count) -> str:
    """Find other nodes for missing pods; the flight is changed, and nothing is bound yet.

    Returns
    -------
    The step to go on with; empty where there is no other place.

    Raises
    ------
    ClusterError : the server does not answer, or the claims of missing pods cannot be given back.
    """
    seen = _with_replacements(journal, seen)
    journal.repairs += 1
    site, flight = journal.site, journal.flight
    if flight.allocatings:
        # No Binding that is still on its way may come to a pod that has given its devices back.
        each(site, seen.waiting, lambda p: nominate.outdate(site, p, seen.pods[p.pod]))
        seen = count(journal)
        claims.release(site, flight, frozenset(placing.uid for placing in seen.missing))
    world = _world(journal, seen)
    try:
        found = _planned(world, {member.group for member in flight.members})
    except GangplanError as error:
        if isinstance(error, Fenced) or is_away(error):
            raise
        journal.note(f"no other place for missing pods could be planned: {sentence(error)}")
        return ""
    placings = [placing for one in found for placing in one.placings]
    if not placings:
        journal.note("there is no other place for the missing pods")
        return ""
    faultpoints.point("repair.planned")
    allocatings = _still_ours(flight, world) + [a for one in found for a in one.allocatings]
    _exchange(journal, seen, placings, _merged(allocatings))
    places = ", ".join(sorted({placing.node for placing in placings})[:5])
    journal.note(f"{len(placings)} pods are placed once more, on {places}")
    return "claim" if journal.flight.allocatings else "bind"


def _with_replacements(journal: Journal, seen: Count) -> Count:
    """Wait a while for pods that controllers make in the place of those that are gone."""
    pauses = Pauses(journal.site.waits.bind)
    while True:
        lacking = [m for m in seen.failing() if seen.short(m) > len(seen.candidates(m))]
        made_again = all(
            any(
                group_name(pod) == member.group and look.controller_of(pod)
                for pod in seen.pods.values()
            )
            for member in lacking
        )
        if not lacking or not made_again or not pauses.rest():
            return seen
        seen = count(journal)


def _world(journal: Journal, seen: Count) -> World:
    """Give the cluster in which only the groups of this flight wait.

    Others of ours stay where they are nominated: the room there is being made for them.
    """
    site, flight = journal.site, journal.flight
    world = without_traces(site.world(), flight)
    groups = {member.group for member in flight.members if member.kind == "PodGroup"}
    single = {placing.uid for placing in seen.waiting}
    pods = (
        pod
        for pod in world.objects.get("Pod", ())
        if look.node_of(pod)
        or pod["spec"].get("schedulerName") != site.scheduler
        or group_name(pod) in groups
        or uid_of(pod) in single
        or (pod.get("status") or {}).get("nominatedNodeName")
    )
    refused = frozenset(journal.refused)
    nodes = (_closed(node, refused) for node in world.objects.get("Node", ()))
    return world.with_objects({"Pod": pods, "Node": nodes})


def _closed(node: Object, refused: frozenset[str]) -> Object:
    if node["metadata"]["name"] not in refused:
        return node
    return {**node, "spec": {**node["spec"], "unschedulable": True}}


def _planned(world: World, groups: set[str]) -> list[Flight]:
    instance = tolerant(world)[0]
    result = api.plan(
        instance,
        planner="auto",
        objective="groups",
        limits=Limits(seconds=SECONDS),
        preemption=False,
    )
    document = plan_document(instance, result)
    entries: Iterable[Mapping[str, Any]] = document["groups"]  # type: ignore[assignment]
    ours = [entry for entry in entries if entry["group"] in groups]
    return list(flights_of({**document, "groups": ours}, world))


def _exchange(
    journal: Journal,
    seen: Count,
    placings: list[Placing],
    allocatings: tuple[Allocating, ...],
) -> None:
    """Put the new placings into the flight; what they replace is remembered."""
    flight = journal.flight
    moved = {placing.uid for placing in placings}
    kept = [p for p in flight.placings if p.uid in seen.placed or seen.can_wait(p)]
    gone = {p.uid for p in flight.placings} - {p.uid for p in kept}
    journal.earlier += tuple(p for p in flight.placings if p.uid in moved | gone)
    rest = (placing for placing in kept if placing.uid not in moved)
    journal.flight = replace(flight, placings=(*rest, *placings), allocatings=allocatings)
    journal.site.follows(journal.flight)


def _still_ours(flight: Flight, world: World) -> list[Allocating]:
    """Claims of the flight that kept their devices when those of missing pods gave theirs back."""
    claims_now = ((one, world.find("ResourceClaim", one.claim)) for one in flight.allocatings)
    return [one for one, claim in claims_now if claim is not None and allocation_in(claim)]


def _merged(allocatings: Iterable[Allocating]) -> tuple[Allocating, ...]:
    found: dict[str, Allocating] = {}
    for one in allocatings:
        before = found.get(one.claim)
        if before is None:
            found[one.claim] = one
            continue
        users = {user["uid"]: user for user in (*before.users, *one.users)}
        allocation = before.allocation if before.allocation is not None else one.allocation
        found[one.claim] = replace(before, allocation=allocation, users=tuple(users.values()))
    return tuple(found.values())
