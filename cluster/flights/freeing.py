"""The evictions of a plan, found again in a World: who falls, for whom, and what it empties."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Falling
from gangplan.cluster.flights.drafts import SOURCE, Drafts, members_of
from gangplan.cluster.flights.wanted import pool_of
from gangplan.cluster.uses import allocation_in, group_name, uses_of
from gangplan.cluster.world import World, uid_of
from gangplan.datasets.eviction_entries import KINDS
from gangplan.datasets.json_file import refuse
from gangplan.datasets.plan_fields import objects, text, texts


@dataclass(frozen=True, slots=True)
class Freeing:
    """An entry of ``evictions``.

    Attributes
    ----------
    groups : drafts that it falls for, at least one.
    places : nodes, and pools of devices, that it makes room on.
    wholes : PodGroups with claims of their own that lose all their pods, by this and by others.
    """

    fallings: tuple[Falling, ...]
    groups: tuple[str, ...]
    places: frozenset[str]
    wholes: frozenset[str]


def freeings_of(
    plan_document: Mapping[str, Any], world: World, drafts: Drafts
) -> tuple[Freeing, ...]:
    """Find the evictions of a plan.

    Raises
    ------
    Changed : a pod that is not there or not bound, all of them; or an eviction for nobody that
        gets a pod.
    InputError : the document is no plan.
    """
    lost: list[str] = []
    known = drafts.by_group()
    found: list[tuple[list[Falling], list[str]]] = []
    for i, entry in enumerate(objects(SOURCE, "evictions", plan_document.get("evictions", []))):
        unit, kind = (text(SOURCE, f"evictions[{i}].{k}", entry.get(k)) for k in ("unit", "kind"))
        if kind not in KINDS:
            raise refuse(SOURCE, f"evictions[{i}].kind", f"one of {', '.join(KINDS)} expected")
        names = texts(SOURCE, f"evictions[{i}].pods", entry.get("pods"))
        groups = [
            draft
            for group in texts(SOURCE, f"evictions[{i}].for", entry.get("for"))
            for draft in known.get(group, ())
        ]
        if not groups:
            lost.append(f"{kind} {unit}: it is evicted for nobody that the plan places")
        falls = [_falling(world, name, unit, kind, lost) for name in names]
        found.append(([falling for falling in falls if falling is not None], groups))
    if lost:
        raise Changed(tuple(lost))
    return _freeings(world, found)


def _falling(world: World, name: str, unit: str, kind: str, lost: list[str]) -> Falling | None:
    pod = world.find("Pod", name)
    if pod is None or not pod["spec"].get("nodeName"):
        why = "it is not there any more" if pod is None else "it is not bound any more"
        lost.append(f"Pod {name}: {why}, and was to be evicted")
        return None
    ours = pod["spec"].get("schedulerName") == world.scheduler
    return Falling(name, uid_of(pod), str(pod["spec"]["nodeName"]), unit, kind, ours)


def _freeings(
    world: World, found: Iterable[tuple[list[Falling], list[str]]]
) -> tuple[Freeing, ...]:
    found = list(found)
    wholes = _wholes(world, (one for falls, _ in found for one in falls))
    freeings = []
    for falls, groups in found:
        mine = [replace(one, whole=wholes.get(one.uid, "")) for one in falls]
        lose = {one.whole for one in mine if one.whole}
        freeings.append(
            Freeing(
                tuple(mine),
                tuple(dict.fromkeys(groups)),
                frozenset(place for one in mine for place in _places(world, one)),
                frozenset(group for group in lose if _has_claims(world, group)),
            )
        )
    return tuple(freeings)


def _wholes(world: World, falls: Iterable[Falling]) -> dict[str, str]:
    """UID of a pod that falls -> its PodGroup, where no running member stays."""
    mine: dict[str, set[str]] = defaultdict(set)
    for falling in falls:
        pod = world.find("Pod", falling.pod)
        if pod is not None and (group := group_name(pod)):
            mine[group].add(falling.uid)
    return {
        uid: group
        for group, uids in mine.items()
        if {uid_of(pod) for pod in members_of(world, group)} <= uids
        and world.find("PodGroup", group) is not None
        for uid in uids
    }


def _has_claims(world: World, group: str) -> bool:
    obj = world.find("PodGroup", group)
    return obj is not None and bool(obj["spec"].get("resourceClaims"))


def _places(world: World, falling: Falling) -> list[str]:
    """Node of a victim, and the pools of its devices."""
    pod = world.find("Pod", falling.pod)
    assert pod is not None
    places = [falling.node]
    try:
        uses = uses_of(world, pod)
    except Changed:
        return places  # a victim whose claim is gone holds nothing of it
    for use in uses:
        results = ((allocation_in(use.claim) or {}).get("devices") or {}).get("results") or ()
        places += [pool_of(result) for result in results]
    return places
