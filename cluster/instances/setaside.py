"""A World without the objects that cannot be read: an Instance all the same, and why each is out.

Nothing that such an object could forbid may become possible by its absence. So a waiting pod takes
the waiting pods of its group with it, a bound pod takes its node (whose room is not known then), an
allocated claim its pools, a rule of taints the devices it could bar; what a PodGroup, a
CompositePodGroup or a PodDisruptionBudget could protect is not evicted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gangplan.cluster.world import World
from gangplan.datasets.kubernetes.assemble.build import build
from gangplan.datasets.kubernetes.devicerecords import DeviceObjects, SliceRecord
from gangplan.datasets.kubernetes.objects.pods import FINISHED
from gangplan.datasets.kubernetes.read import snapshot_of
from gangplan.datasets.kubernetes.records import PodRecord, Snapshot
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults
from gangplan.models.errors import Fault, InputError
from gangplan.models.instance import Instance

UNREAD = "unread"
"""``PodRecord.fixed`` of pods that are not evicted, since what protects them cannot be read."""

_WITHOUT_EFFECT = ("DeviceClass", "PriorityClass", "ResourceClaimTemplate", "Workload")
"""Kinds without which something waits, and nothing more is allowed."""


def instance_without(
    world: World, source: str, levels: Sequence[str]
) -> tuple[Instance, dict[str, str]]:
    """Make a world numeric without what cannot be read.

    Parameters
    ----------
    source : where the objects come from, in faults.
    levels : as in ``instances.instance_of``.

    Returns
    -------
    The instance, and why each object was set aside, by ``Kind namespace/name``.

    Raises
    ------
    InputError : something that everything depends on, such as the levels.
    """
    faults = Faults(most=None)
    documents = (Document(source, obj) for obj in world.documents())
    snapshot = snapshot_of(documents, faults, levels=levels)
    aside = Aside(world)
    aside.take(tuple(faults))
    while True:
        found = Faults(most=None)
        try:
            return build(aside.without(snapshot), faults=found), aside.reasons
        except InputError:
            aside.take(tuple(found), built=True)


@dataclass(slots=True, eq=False)
class Aside:
    """What is set aside, and what follows from it.

    Attributes
    ----------
    reasons : ``Kind namespace/name`` -> why.
    out : objects that are left out.
    waiting : PodGroups whose waiting pods are left out. fixed : those whose pods are not evicted.
    trees : CompositePodGroups that cannot be read. spaces : namespaces where nobody is evicted.
    drivers, pools : whose devices are left out (a pool is of a driver; ``*``: of all drivers).
    silent : bound pods whose annotations are passed over.
    plain : PodGroups whose annotations are passed over.
    """

    world: World
    reasons: dict[str, str] = field(default_factory=dict)
    out: set[str] = field(default_factory=set)
    waiting: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    trees: set[str] = field(default_factory=set)
    spaces: set[str] = field(default_factory=set)
    drivers: set[str] = field(default_factory=set)
    pools: set[tuple[str, str]] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    plain: set[str] = field(default_factory=set)

    def take(self, faults: Iterable[Fault], *, built: bool = False) -> None:
        """Set aside what faults are about.

        Parameters
        ----------
        built : the objects are readable each by itself, and do not go together.

        Raises
        ------
        InputError : a fault that is about no such object, or that setting it aside did not mend.
        """
        before = self._size()
        lost = [fault for fault in faults if not self._take(fault, built)]
        if lost or (built and self._size() == before):
            raise InputError(lost or tuple(faults))

    def without(self, snapshot: Snapshot) -> Snapshot:
        """Give a snapshot without what is set aside."""
        self._below(snapshot)
        return replace(
            snapshot,
            nodes=[one for one in snapshot.nodes if f"Node {one.name}" not in self.out],
            pods=[pod for one in snapshot.pods for pod in self._pods(one)],
            groups=[
                replace(one, rules=(), role_minimum={}) if _full(one) in self.plain else one
                for one in snapshot.groups
                if f"PodGroup {_full(one)}" not in self.out
            ],
            composites=[
                one
                for one in snapshot.composites
                if f"CompositePodGroup {_full(one)}" not in self.out
            ],
            classes=[
                one for one in snapshot.classes if f"PriorityClass {one.name}" not in self.out
            ],
            budgets=[
                one
                for one in snapshot.budgets
                if f"PodDisruptionBudget {_full(one)}" not in self.out
            ],
            devices=self._devices(snapshot.devices),
            notes=list(snapshot.notes),
        )

    def _size(self) -> int:
        return len(self.out) + len(self.waiting) + len(self.silent) + len(self.plain)

    def _take(self, fault: Fault, built: bool) -> bool:
        kind, _, name = fault.item.partition(" ")
        obj = self.world.find(kind, name) or {}
        take = {
            "Pod": self._pod,
            "PodGroup": self._group,
            "CompositePodGroup": self._composite,
            "PodDisruptionBudget": self._budget,
            "ResourceClaim": self._claim,
            "ResourceSlice": self._slice,
            "DeviceTaintRule": self._rule,
        }.get(kind)
        if take is None and kind not in ("Node", *_WITHOUT_EFFECT):
            return False
        why = ": ".join(part for part in (fault.field, fault.message) if part)
        self.reasons.setdefault(fault.item, why)
        if take is None:
            self.out.add(fault.item)
        else:
            take(name, obj, built and fault.field.startswith("metadata.annotations"))
        return True

    def _pod(self, name: str, pod: dict[str, Any], annotated: bool) -> None:
        spec, status = _section(pod, "spec"), _section(pod, "status")
        node = spec.get("nodeName")
        group = _section(spec, "schedulingGroup").get("podGroupName")
        group = f"{name.partition('/')[0]}/{group}" if group else ""
        if node and annotated and name not in self.silent:
            self.silent.add(name)
            return
        self.out.add(f"Pod {name}")
        if status.get("phase") in FINISHED:
            return
        if group:
            self.waiting.add(group)
            self.reasons.setdefault(f"PodGroup {group}", f"its Pod {name} cannot be read")
        if node:
            self.fixed |= {group} - {""}
            self.out.add(f"Node {node}")
            self.reasons.setdefault(f"Node {node}", f"what Pod {name} holds cannot be read")

    def _group(self, name: str, group: dict[str, Any], annotated: bool) -> None:
        self.waiting.add(name)
        if annotated and name not in self.plain:
            self.plain.add(name)
            return
        self.fixed.add(name)
        self.out.add(f"PodGroup {name}")

    def _composite(self, name: str, tree: dict[str, Any], annotated: bool) -> None:
        self.trees.add(name)
        self.out.add(f"CompositePodGroup {name}")

    def _budget(self, name: str, budget: dict[str, Any], annotated: bool) -> None:
        self.spaces.add(name.partition("/")[0])
        self.out.add(f"PodDisruptionBudget {name}")

    def _claim(self, name: str, claim: dict[str, Any], annotated: bool) -> None:
        self.out.add(f"ResourceClaim {name}")
        allocation = _section(claim, "status").get("allocation")
        if allocation is None:
            return
        results = _section(_section({"allocation": allocation}, "allocation"), "devices")
        rows = results.get("results")
        for row in rows if isinstance(rows, list) else [None]:
            self._pool(row if isinstance(row, dict) else {}, "pool")

    def _slice(self, name: str, slice_: dict[str, Any], annotated: bool) -> None:
        self.out.add(f"ResourceSlice {name}")
        spec = _section(slice_, "spec")
        pool = _section(spec, "pool").get("name")
        self._pool({"driver": spec.get("driver"), "pool": pool}, "pool")

    def _rule(self, name: str, rule: dict[str, Any], annotated: bool) -> None:
        self.out.add(f"DeviceTaintRule {name}")
        driver = _section(_section(rule, "spec"), "deviceSelector").get("driver")
        self.drivers.add(driver if isinstance(driver, str) else "*")

    def _pool(self, row: dict[str, Any], key: str) -> None:
        driver, pool = row.get("driver"), row.get(key)
        if isinstance(driver, str) and isinstance(pool, str):
            self.pools.add((driver, pool))
        else:
            self.drivers.add("*")

    def _below(self, snapshot: Snapshot) -> None:
        """Set aside the groups below composites that cannot be read."""
        lost = set(self.trees)
        while more := {
            _full(one)
            for one in snapshot.composites
            if f"{one.namespace}/{one.parent}" in lost and _full(one) not in lost
        }:
            lost |= more
        for one in snapshot.groups if lost else ():
            above = f"{one.namespace}/{one.parent}"
            if one.parent and above in lost:
                self.waiting.add(_full(one))
                self.fixed.add(_full(one))
                self.reasons.setdefault(
                    f"PodGroup {_full(one)}", f"CompositePodGroup {above} cannot be read"
                )

    def _pods(self, pod: PodRecord) -> Iterable[PodRecord]:
        name, group = _full(pod), f"{pod.namespace}/{pod.group}" if pod.group else ""
        if f"Pod {name}" in self.out or (group in self.waiting and not pod.node):
            return
        if pod.node and not pod.fixed and (group in self.fixed or pod.namespace in self.spaces):
            pod = replace(pod, fixed=UNREAD)
        if name in self.silent:
            pod = replace(pod, annotations={})
        yield pod

    def _devices(self, devices: DeviceObjects) -> DeviceObjects:
        out = self.out
        return DeviceObjects(
            slices=[one for one in devices.slices if not self._lost(one)],
            classes=[one for one in devices.classes if f"DeviceClass {one.name}" not in out],
            claims=[one for one in devices.claims if f"ResourceClaim {_full(one)}" not in out],
            templates=[
                one for one in devices.templates if f"ResourceClaimTemplate {_full(one)}" not in out
            ],
            taint_rules=[
                one for one in devices.taint_rules if f"DeviceTaintRule {one.name}" not in out
            ],
        )

    def _lost(self, one: SliceRecord) -> bool:
        return bool({"*", one.driver} & self.drivers) or (one.driver, one.pool) in self.pools


def _full(record: Any) -> str:
    return f"{record.namespace}/{record.name}"


def _section(obj: dict[str, Any], key: str) -> dict[str, Any]:
    value = obj.get(key)
    return value if isinstance(value, dict) else {}
