"""A World made numeric, and plans found again on it by name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Allocating, Falling, Flight
from gangplan.cluster.instances.setaside import instance_without
from gangplan.cluster.uses import uses_of
from gangplan.cluster.world import World
from gangplan.datasets.eviction_entries import KINDS, pods_of
from gangplan.datasets.kubernetes.assemble.build import build
from gangplan.datasets.kubernetes.read import snapshot_of
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.datasets.plan_file import plan_of
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan

SOURCE = "cluster"
"""Where the objects of a World come from, in faults."""

Entry = dict[str, Any]


def instance_of(world: World, *, levels: Sequence[str] = ()) -> Instance:
    """Make a world numeric.

    Parameters
    ----------
    levels : node-label keys that form one hierarchy, widest first.

    Raises
    ------
    InputError : objects that cannot be read, by name.
    """
    faults = Faults()
    documents = (Document(SOURCE, obj) for obj in world.documents())
    snapshot = snapshot_of(documents, faults, levels=levels)
    faults.check()
    return build(snapshot)


def tolerant(world: World, *, levels: Sequence[str] = ()) -> tuple[Instance, dict[str, str]]:
    """Make a world numeric, without the objects that cannot be read.

    Whatever such an object could forbid stays forbidden: see ``setaside``.

    Returns
    -------
    The instance, and why each object was set aside, by ``Kind namespace/name``.
    """
    return instance_without(world, SOURCE, levels)


def placed_document(instance: Instance, plan_document: Mapping[str, object]) -> Plan:
    """Find a plan file's placements, claims and evictions on another instance than it was made for.

    Raises
    ------
    Changed : a name that is not there any more.
    """
    try:
        return plan_of(plan_document, instance, "")
    except InputError as error:
        raise Changed(tuple(fault.message for fault in error.faults)) from None


def placed(instance: Instance, flights: Sequence[Flight], world: World) -> Plan:
    """Find what flights place, evict and allocate, by name.

    A claim that has its devices already on the instance is passed over. A part of a group is a plan
    like any other: pods that are not in a flight stay where they are.

    Parameters
    ----------
    world : the one that the instance was made of: it says which claim is whose.

    Raises
    ------
    Changed : names that are not there any more, all of them.
    """
    _refuse_lost(instance, flights)
    finding = _Claims(instance, world)
    for flight in flights:
        for allocating in flight.allocatings:
            finding.add(flight, allocating)
    entries = [
        {"pod": one.pod, "node": one.node, "devices": [], "claims": finding.own.get(one.pod, [])}
        for flight in flights
        for one in flight.placings
    ]
    if finding.lost:
        raise Changed(tuple(finding.lost))
    document = {
        "groups": [{"pods": entries}],
        "evictions": list(_evictions(instance, flights)),
        **({"shared_claims": finding.shared} if finding.shared else {}),
    }
    return placed_document(instance, document)


def _refuse_lost(instance: Instance, flights: Iterable[Flight]) -> None:
    pods, nodes = set(instance.names.pods), set(instance.names.nodes)
    units = _units(instance)
    lost: list[str] = []
    for flight in flights:
        for placing in flight.placings:
            if placing.pod not in pods:
                lost.append(f"Pod {placing.pod}: it does not wait any more")
            if placing.node not in nodes:
                lost.append(f"Node {placing.node}: it is not there any more")
        for kind, unit, fallings in _falling_units(flight):
            v = units.get((kind, unit))
            if v is None:
                lost.append(f"{kind} {unit}: it cannot be evicted any more")
            elif other := {one.pod for one in fallings} ^ set(pods_of(instance, v)):
                lost.append(f"{kind} {unit}: it has other pods now: {min(other)}")
    if lost:
        raise Changed(tuple(dict.fromkeys(lost)))


def _units(instance: Instance) -> dict[tuple[str, str], int]:
    kinds = (KINDS[kind] for kind in instance.running.kind.tolist())
    return {unit: v for v, unit in enumerate(zip(kinds, instance.names.units, strict=True))}


def _falling_units(flight: Flight) -> Iterator[tuple[str, str, list[Falling]]]:
    found: dict[tuple[str, str], list[Falling]] = {}
    for falling in flight.fallings:
        found.setdefault((falling.kind, falling.unit), []).append(falling)
    for (kind, unit), fallings in found.items():
        yield kind, unit, fallings


def _evictions(instance: Instance, flights: Iterable[Flight]) -> Iterator[Entry]:
    units = _units(instance)
    names = {(kind, unit): None for one in flights for kind, unit, _ in _falling_units(one)}
    for kind, unit in names:
        v = units[kind, unit]
        priority = int(instance.running.priority[v])
        pods = pods_of(instance, v)
        yield {"unit": unit, "kind": kind, "priority": priority, "pods": pods, "for": []}


class _Claims:
    """The claims of flights as a plan file has them.

    Attributes
    ----------
    own : pod -> devices of claims of its own. shared : devices of claims that pods share.
    lost : what is not so any more.
    """

    def __init__(self, instance: Instance, world: World) -> None:
        self.own: dict[str, list[Entry]] = {}
        self.shared: list[Entry] = []
        self.lost: list[str] = []
        self._world = world
        specs = instance.claims.shared_spec.tolist()
        self._shared = dict(zip(instance.names.shared, specs, strict=True))

    def add(self, flight: Flight, allocating: Allocating) -> None:
        """Take what one claim is to get; nothing where it has its devices, or needs none."""
        results = ((allocating.allocation or {}).get("devices") or {}).get("results") or ()
        spec = self._shared.get(allocating.claim)
        if not results or (spec is not None and spec < 0):
            return
        if spec is not None:
            self.shared += [_row(allocating.claim, result) for result in results]
            return
        for placing in flight.placings:
            entry = self._entry(placing.pod, allocating.claim)
            if entry is not None:
                rows = [_row(entry, result) for result in results]
                self.own.setdefault(placing.pod, []).extend(rows)
                return
        self.lost.append(f"ResourceClaim {allocating.claim}: no pod of the plan uses it any more")

    def _entry(self, pod_name: str, claim: str) -> str | None:
        """Name the pod's entry that the claim serves."""
        pod = self._world.find("Pod", pod_name)
        if pod is None:
            return None
        return next((use.entry for use in uses_of(self._world, pod) if use.name == claim), None)


def _row(claim: str, result: Mapping[str, Any]) -> Entry:
    return {"claim": claim, **{key: result[key] for key in _RESULT}}


_RESULT = ("request", "driver", "pool", "device")
