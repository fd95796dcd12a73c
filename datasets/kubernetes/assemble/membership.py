"""Which pod belongs to what: pods that hold room, pods that leave, and the units that wait.

A unit becomes one row of ``Groups``: a PodGroup with its pods, equal bare pods, or one pod whose
PodGroup does not exist. Membership is ``spec.schedulingGroup.podGroupName`` and nothing else.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from gangplan.datasets.kubernetes.assemble.anti import Forbidders
from gangplan.datasets.kubernetes.assemble.devices.users import Users
from gangplan.datasets.kubernetes.assemble.priorities import Priorities
from gangplan.datasets.kubernetes.objects.annotations import ROLE_LABEL, Wishes, wishes
from gangplan.datasets.kubernetes.order import by_name, full_name, natural
from gangplan.datasets.kubernetes.records import (
    NEVER,
    GroupRecord,
    PodRecord,
    Snapshot,
    TopologyRule,
)
from gangplan.datasets.kubernetes.text.fields import Faults

FINISHED = frozenset({"Succeeded", "Failed"})


@dataclass(slots=True)
class Unit:
    """A group in the making.

    Attributes
    ----------
    name : ``namespace/name`` of the PodGroup, or of the first pod where there is none.
    record : the PodGroup; None for bare pods.
    pending : pods that may be placed, in natural order of their names.
    running : members bound, not finished, not terminating.
    gated, leaving : pods with scheduling gates; members being deleted. They do not count.
    foreign : unbound pods that another scheduler places. They do not count.
    rules : topology rules of the group and of its pods' annotations.
    unsupported : hard rules that are not honoured.
    held : reasons why it may place nothing now.
    parent : number of the composite above it; -1 for a root.
    other_priority : waiting and running pods of another priority than their PodGroup's.
    other_policy : waiting pods whose preemptionPolicy is not their PodGroup's.
    """

    namespace: str
    name: str
    record: GroupRecord | None
    pending: list[PodRecord] = field(default_factory=list)
    running: list[PodRecord] = field(default_factory=list)
    gated: list[PodRecord] = field(default_factory=list)
    leaving: list[PodRecord] = field(default_factory=list)
    foreign: list[PodRecord] = field(default_factory=list)
    rules: tuple[TopologyRule, ...] = ()
    unsupported: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    priority: int = 0
    parent: int = -1
    other_priority: list[PodRecord] = field(default_factory=list)
    other_policy: list[PodRecord] = field(default_factory=list)

    @property
    def gang(self) -> bool:
        """Whether it has a minimum: a gang, or any group in a tree."""
        return self.record is not None and (self.record.gang or bool(self.record.parent))

    @property
    def minimum(self) -> int:
        """Members it needs; a basic group in a tree needs one."""
        if self.record is None or not self.gang:
            return 0
        return self.record.minimum if self.record.gang else 1


@dataclass(slots=True)
class Membership:
    """All pods, sorted out.

    Attributes
    ----------
    units : rows of ``Groups``, by name.
    holding : pods that hold room on a node: bound and not finished, leaving ones included.
    running : bound pods that are not, by name.
    leaving : bound pods that are being deleted, by name.
    gated : unbound pods with scheduling gates, by name.
    foreign : unbound pods that another scheduler places.
    """

    units: list[Unit]
    holding: list[PodRecord]
    running: list[PodRecord]
    leaving: list[PodRecord]
    gated: list[PodRecord]
    foreign: list[PodRecord]


def role_of(pod: PodRecord) -> str:
    """Give the role that a pod's label names; empty without one."""
    return pod.labels.get(ROLE_LABEL, "")


def pod_wishes(pod: PodRecord, faults: Faults) -> Wishes:
    """Read a pod's annotations; what is wrong goes to ``faults``."""

    def fault(path: str, message: str) -> None:
        faults.add(pod.source, f"Pod {full_name(pod)}", path, message)

    return wishes(pod.annotations, "Pod", fault)


def gather(snapshot: Snapshot, priorities: Priorities, users: Users, faults: Faults) -> Membership:
    """Sort the pods of a snapshot into units, and find who holds room."""
    groups = {
        (record.namespace, record.name): Unit(
            record.namespace, f"{record.namespace}/{record.name}", record, rules=record.rules
        )
        for record in snapshot.groups
    }
    found = Membership([], [], [], [], [], [])
    loose: list[PodRecord] = []
    standing: list[PodRecord] = []
    for pod in snapshot.pods:
        unit = groups.get((pod.namespace, pod.group)) if pod.group else None
        if pod.phase in FINISHED or (pod.terminating and not pod.node):
            continue
        if pod.node:
            found.holding.append(pod)
            (found.leaving if pod.terminating else found.running).append(pod)
            if unit is not None:
                (unit.leaving if pod.terminating else unit.running).append(pod)
            elif pod.annotations and pod.owner and not (pod.terminating or pod.group):
                standing.append(pod)
        elif snapshot.is_foreign(pod):
            found.foreign.append(pod)
            if unit is not None:
                unit.foreign.append(pod)
        elif pod.gated:
            found.gated.append(pod)
            if unit is not None:
                unit.gated.append(pod)
        else:
            (loose if unit is None else unit.pending).append(pod)
    found.running.sort(key=by_name)
    found.leaving.sort(key=by_name)
    found.gated.sort(key=by_name)
    making = _Making(priorities, Forbidders(found.holding), users, faults)
    for unit in groups.values():
        making.fill(unit)
    found.units = [*groups.values(), *making.loose(loose, standing, groups.values())]
    found.units.sort(key=lambda unit: natural(unit.name))
    return found


@dataclass(frozen=True, slots=True)
class _Making:
    """What it takes to read the pods of a unit together."""

    priorities: Priorities
    forbidders: Forbidders
    users: Users
    faults: Faults

    def fill(self, unit: Unit) -> None:
        """Fill in what a PodGroup and its pods say together."""
        record = unit.record
        assert record is not None
        unit.pending.sort(key=by_name)
        unit.gated.sort(key=by_name)
        unit.priority = self.priorities.of_group(record)
        said = [pod for pod in unit.pending if pod.priority is not None or pod.priority_class]
        # A running pod has been given its number; one without it says nothing.
        said += [pod for pod in unit.running if pod.priority is not None]
        unit.other_priority = [pod for pod in said if self.priorities.of_pod(pod) != unit.priority]
        if record.preemption_policy:
            own = {"", record.preemption_policy}
            unit.other_policy = [
                pod for pod in unit.pending if self.priorities.policy_of(pod) not in own
            ]
        unit.unsupported.extend(record.unsupported)
        forbidden = {self.forbidders.path(pod) for pod in unit.pending} - {""}
        if forbidden:
            unit.unsupported.append(min(forbidden, key=natural))
        # Each scheduler would wait for the other one's pods; kube-scheduler rejects them all.
        members = (*unit.pending, *unit.gated, *unit.foreign, *unit.running)
        names = {pod.scheduler for pod in members}
        if unit.pending and len(names) > 1:
            unit.held.append(f"its pods name several schedulers: {', '.join(sorted(names))}")
        asked = {pod_wishes(pod, self.faults) for pod in unit.pending}
        if len(asked) == 1:
            (wish,) = asked
            unit.rules = tuple(dict.fromkeys((*unit.rules, *wish.rules)))
            unit.unsupported.extend(wish.unsupported)
        elif asked:
            unit.held.append("its pods disagree in their topology annotations")

    def loose(
        self, pods: Iterable[PodRecord], standing: Iterable[PodRecord], groups: Iterable[Unit]
    ) -> list[Unit]:
        """Make units of pods without a PodGroup, and of each pod whose PodGroup does not exist.

        Equal pods are one unit; what makes pods equal is the key.
        """
        taken = {unit.name for unit in groups}
        alike: dict[Hashable, Unit] = {}
        for pod in sorted(pods, key=by_name):
            wish = pod_wishes(pod, self.faults)
            priority = self.priorities.of_pod(pod)
            forbidden = self.forbidders.path(pod)
            # A rule binds the pods of one owner; pods of nobody have nobody to be close to.
            alone = pod.name if pod.group or (wish.rules and not pod.owner) else ""
            preempts = (self.priorities.policy_of(pod) != NEVER, pod.nominated)
            key = (*_nature(pod), self.users.of(pod), alone, priority, forbidden, wish, preempts)
            unit = alike.get(key)
            if unit is None:
                name = full_name(pod)
                name = f"{name} (pod)" if name in taken else name
                alike[key] = unit = Unit(pod.namespace, name, None, rules=wish.rules)
                unit.priority = priority
                unit.unsupported += [*wish.unsupported, *([forbidden] if forbidden else [])]
                if pod.group:
                    unit.held.append(f"PodGroup {pod.namespace}/{pod.group} does not exist")
            unit.pending.append(pod)
        units = list(alike.values())
        self._stand(units, standing)
        return units

    def _stand(self, units: Iterable[Unit], standing: Iterable[PodRecord]) -> None:
        """Give units with rules the running pods of their owner that have the same rules."""
        bound: dict[Hashable, list[Unit]] = defaultdict(list)
        for unit in units:
            if unit.rules:
                bound[unit.namespace, unit.pending[0].owner, unit.rules].append(unit)
        for pod in standing if bound else ():
            rules = pod_wishes(pod, self.faults).rules
            for unit in bound.get((pod.namespace, pod.owner, rules), ()):
                unit.running.append(pod)


def _nature(pod: PodRecord) -> tuple[Hashable, ...]:
    """Give what equal bare pods have in common, besides what other objects decide."""
    return (
        pod.namespace,
        pod.owner,
        pod.eligibility,
        tuple(sorted(pod.request.items())),
        pod.unsupported,
        role_of(pod),
    )
