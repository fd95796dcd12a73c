"""Whether only pods of our scheduler are placed, and only they are evicted."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gangplan.cluster.flight import Flight
from gangplan.cluster.site import Site
from gangplan.cluster.uses import group_name
from gangplan.cluster.world import World


def ours(site: Site, world: World, flights: Sequence[Flight]) -> tuple[str, ...]:
    """Say which pods are not ours to place or to evict, and which groups are of several schedulers.

    kube-scheduler rejects every pod of a group with several schedulerNames, and so do we: each
    would wait for the other one's pods (KEP-4671, "Algorithm Limitations").
    """
    return (
        *_placed(site, world, flights),
        *_evicted(site, world, flights),
        *_mixed(world, flights),
    )


def _placed(site: Site, world: World, flights: Sequence[Flight]) -> Iterator[str]:
    for flight in flights:
        for placing in flight.placings:
            found = _scheduler(world.find("Pod", placing.pod))
            if found is not None and found != site.scheduler:
                yield (
                    f"Pod {placing.pod}: its schedulerName is {found}, not {site.scheduler}:"
                    " it is not ours to place"
                )


def _evicted(site: Site, world: World, flights: Sequence[Flight]) -> Iterator[str]:
    if site.evict_foreign:
        return
    for flight in flights:
        for falling in flight.fallings:
            found = _scheduler(world.find("Pod", falling.pod))
            if found is not None and found != site.scheduler:
                yield (
                    f"Pod {falling.pod}: its schedulerName is {found}, not {site.scheduler}:"
                    " it is evicted with --evict-foreign only"
                )


def _mixed(world: World, flights: Sequence[Flight]) -> Iterator[str]:
    groups = {
        member.group for flight in flights for member in flight.members if member.kind != "Pod"
    }
    names: dict[str, set[str]] = defaultdict(set)
    for pod in world.objects.get("Pod", ()):
        group = group_name(pod)
        finished = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
        if group in groups and not finished:
            names[group].add(str(_scheduler(pod)))
    for group in sorted(names):
        if len(names[group]) > 1:
            said = ", ".join(sorted(names[group]))
            yield f"PodGroup {group}: its pods name several schedulers: {said}"


def _scheduler(pod: Mapping[str, Any] | None) -> str | None:
    return None if pod is None else str(pod["spec"].get("schedulerName") or "default-scheduler")
