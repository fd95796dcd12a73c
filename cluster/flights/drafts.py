"""The groups of a plan that get pods, found again in a World: what flights are made of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Member, Placing
from gangplan.cluster.flights.wanted import Want, Wants
from gangplan.cluster.uses import group_name, role_name
from gangplan.cluster.world import Object, World, name_of, uid_of
from gangplan.datasets.kubernetes.objects.annotations import ROLE_MINIMUM, wishes
from gangplan.datasets.plan_fields import objects, text

SOURCE = "plan"
"""Name of the plan document in errors."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A group with its pods.

    Attributes
    ----------
    name : what its set is called: ``namespace/name`` of the PodGroup, ``pod:`` and that of a pod.
    tree : root CompositePodGroup; empty without one.
    places : nodes, and pools of devices (``driver//pool``), that it lands on.
    """

    name: str
    member: Member
    placings: tuple[Placing, ...]
    priority: int
    tree: str
    places: frozenset[str]


@dataclass(frozen=True, slots=True)
class Drafts:
    """All groups that get pods, and the claims of their pods."""

    drafts: tuple[Draft, ...]
    wants: tuple[Want, ...]

    @property
    def names(self) -> list[str]:
        """Names of the groups."""
        return [draft.name for draft in self.drafts]

    def by_group(self) -> dict[str, list[str]]:
        """Give names of the groups by what a plan file calls them: a PodGroup, a pod, or both."""
        found: dict[str, list[str]] = {}
        for draft in self.drafts:
            found.setdefault(draft.member.group, []).append(draft.name)
        return found


def drafts_of(plan_document: Mapping[str, Any], world: World) -> Drafts:
    """Find the groups of a plan that get pods.

    Raises
    ------
    Changed : names that are not there, all of them.
    InputError : the document is no plan.
    """
    making = _Making(world, Wants(world, plan_document))
    drafts = []
    for i, entry in enumerate(objects(SOURCE, "groups", plan_document.get("groups"))):
        pods = objects(SOURCE, f"groups[{i}].pods", entry.get("pods"))
        if pods:
            drafts += making.draft(text(SOURCE, f"groups[{i}].group", entry.get("group")), pods)
    if making.lost:
        raise Changed(tuple(dict.fromkeys(making.lost)))
    return Drafts(tuple(drafts), making.wants.found())


@dataclass(slots=True)
class _Making:
    """What has been found of a plan so far, and what is lost."""

    world: World
    wants: Wants
    lost: list[str] = field(default_factory=list)

    def draft(self, group: str, entries: Iterable[Mapping[str, Any]]) -> list[Draft]:
        """Find one group, with all its pods; nothing where anything is lost."""
        found: list[tuple[Object, Placing, list[str]]] = []
        name, record = "", None
        before = len(self.lost)
        for entry in entries:
            pod_name, node_name = (text(SOURCE, "groups", entry.get(k)) for k in ("pod", "node"))
            pod = self._find("Pod", pod_name)
            node = self._find("Node", node_name)
            if pod is None or node is None:
                continue
            of = group_name(pod)
            name = of or f"pod:{pod_name}"
            if (of or pod_name) != group:
                self.lost.append(
                    f"Pod {pod_name}: it belongs to {of or 'no group'}, not to {group}"
                )
                continue
            record = self._find("PodGroup", of) if of else pod
            mark = text(SOURCE, "groups", entry.get("mark"))
            placing = Placing(pod_name, uid_of(pod), node_name, uid_of(node), group, mark)
            try:
                places = self.wants.add(name, pod, entry)
            except Changed as error:
                self.lost += error.sentences
                continue
            found.append((pod, placing, places))
        if record is None or len(self.lost) > before:
            return []
        pods = [pod for pod, _, _ in found]
        return [
            Draft(
                name,
                _member(self.world, group, record, pods),
                tuple(placing for _, placing, _ in found),
                _priority(record, pods),
                tree_of(self.world, record),
                frozenset(p for _, placing, places in found for p in (placing.node, *places)),
            )
        ]

    def _find(self, kind: str, name: str) -> Object | None:
        obj = self.world.find(kind, name)
        if obj is None:
            self.lost.append(f"{kind} {name}: it is not there any more")
        return obj


def tree_of(world: World, group: Object) -> str:
    """Name the root CompositePodGroup of a PodGroup; empty without one."""
    root, seen = "", set()
    obj: Object | None = group
    while obj is not None and (above := obj["spec"].get("parentCompositePodGroupName")):
        root = f"{group['metadata']['namespace']}/{above}"
        if root in seen:
            break
        seen.add(root)
        obj = world.find("CompositePodGroup", root)
    return root


def minimum_of(group: Object) -> int:
    """Members that a PodGroup needs: of a gang its minCount, of a basic group in a tree one."""
    gang = (group["spec"].get("schedulingPolicy") or {}).get("gang")
    if gang is not None:
        return int(gang["minCount"])
    return 1 if group["spec"].get("parentCompositePodGroupName") else 0


def members_of(world: World, group: str) -> list[Object]:
    """Bound members of a PodGroup that are neither finished nor being deleted."""
    return world.once(_members).get(group, [])


def _members(world: World) -> dict[str, list[Object]]:
    found: dict[str, list[Object]] = {}
    for pod in world.objects.get("Pod", ()):
        group = group_name(pod)
        if group and is_running(pod):
            found.setdefault(group, []).append(pod)
    return found


def is_running(pod: Mapping[str, Any]) -> bool:
    """Whether a pod is bound, not finished and not being deleted."""
    finished = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return bool(
        pod["spec"].get("nodeName")
        and not finished
        and not pod["metadata"].get("deletionTimestamp")
    )


def _member(world: World, group: str, record: Object, pods: list[Object]) -> Member:
    if record.get("kind") == "Pod":
        return Member(group, uid_of(record), "Pod", 0)
    minima = _role_minima(record)
    roles = {}
    if minima:
        everybody = [*pods, *members_of(world, group)]
        for role, least in minima.items():
            mine = (pod for pod in everybody if role_name(pod) == role)
            roles[role] = (least, tuple(dict.fromkeys(map(name_of, mine))))
    return Member(group, uid_of(record), "PodGroup", minimum_of(record), roles)


def _role_minima(group: Object) -> dict[str, int]:
    annotations = group["metadata"].get("annotations") or {}
    if ROLE_MINIMUM not in annotations:
        return {}
    faults: list[str] = []
    ours = {ROLE_MINIMUM: annotations[ROLE_MINIMUM]}
    found = wishes(ours, "PodGroup", lambda path, message: faults.append(f"{path}: {message}"))
    if faults:
        raise Changed(tuple(f"PodGroup {name_of(group)}: {fault}" for fault in faults))
    return dict(found.role_minimum)


def _priority(record: Object, pods: Iterable[Object]) -> int:
    """Priority of a group; admission fills it in, else its pods say it."""
    own = record["spec"].get("priority")
    return int(own) if own is not None else max(int(p["spec"].get("priority") or 0) for p in pods)
