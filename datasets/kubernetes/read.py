"""Files -> Instance: the public way in for manifests and ``kubectl get -o json`` lists.

What is wrong with the sources is collected and raised together, one line a fault; what is read but
not used is told in the instance's notes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gangplan.datasets.kubernetes.assemble.build import build
from gangplan.datasets.kubernetes.assemble.duplicates import duplicates_of
from gangplan.datasets.kubernetes.objects import deviceobjects, foreign, groupspec, kueue
from gangplan.datasets.kubernetes.objects.budgets import budget
from gangplan.datasets.kubernetes.objects.composites import composite
from gangplan.datasets.kubernetes.objects.groups import group
from gangplan.datasets.kubernetes.objects.jobs import JobRecord, expand, job
from gangplan.datasets.kubernetes.objects.kinds import READ, Skipped, api_group
from gangplan.datasets.kubernetes.objects.nodes import node
from gangplan.datasets.kubernetes.objects.origins import origin
from gangplan.datasets.kubernetes.objects.pods import pod
from gangplan.datasets.kubernetes.objects.priorityclasses import priority_class
from gangplan.datasets.kubernetes.objects.workloads import WorkloadRecord, unused, workload
from gangplan.datasets.kubernetes.records import PodRecord, Snapshot
from gangplan.datasets.kubernetes.snapshotobject import SNAPSHOT_GROUP, SNAPSHOT_KIND
from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.documents import Document, load
from gangplan.datasets.kubernetes.text.fields import Faults, describe
from gangplan.models.instance import Instance

RELEASES = ("1.36", "1.37")

_VERSIONS = {
    ("", "Node"): ("v1",),
    ("", "Pod"): ("v1",),
    ("batch", "Job"): ("v1",),
    ("policy", "PodDisruptionBudget"): ("v1",),
    (groupspec.GROUP, "PriorityClass"): ("v1",),
    (groupspec.GROUP, "PodGroup"): tuple(groupspec.KUBERNETES),
    (groupspec.GROUP, "Workload"): tuple(groupspec.KUBERNETES),
    (groupspec.GROUP, "CompositePodGroup"): tuple(groupspec.KUBERNETES),
    ("kueue.x-k8s.io", "Topology"): ("v1alpha1", "v1beta1", "v1beta2", "v1"),
    (SNAPSHOT_GROUP, SNAPSHOT_KIND): ("v1",),
    **{(deviceobjects.GROUP, kind): known for kind, known in deviceobjects.VERSIONS.items()},
}


def read(
    sources: Sequence[str],
    *,
    kubernetes: str = "1.37",
    levels: Sequence[str] = (),
    ignore_unsupported: bool = False,
    seen: Callable[[Document], None] | None = None,
) -> Instance:
    """Read manifests into an instance.

    Parameters
    ----------
    sources : files, folders and ``-`` (standard input) of YAML or JSON.
    kubernetes : ``1.36`` or ``1.37``: what a Job without pods becomes.
    levels : node-label keys that form one hierarchy, widest first; without them a Kueue Topology
        in the sources declares one.
    ignore_unsupported : place groups whose hard rules are not all honoured, with a note for each
        such field, instead of holding them.
    seen : called with each object, before it is read.

    Raises
    ------
    InputError
        With every fault found (the first 20 and the number of the rest).
    """
    faults = Faults()
    documents = load(sources, faults)
    if seen is not None:
        documents = _told(documents, seen)
    snapshot = snapshot_of(documents, faults, kubernetes=kubernetes, levels=levels)
    faults.check()
    return build(snapshot, ignore_unsupported=ignore_unsupported)


def _told(documents: Iterable[Document], seen: Callable[[Document], None]) -> Iterator[Document]:
    for document in documents:
        seen(document)
        yield document


def snapshot_of(
    documents: Iterable[Document],
    faults: Faults,
    *,
    kubernetes: str = "1.37",
    levels: Sequence[str] = (),
) -> Snapshot:
    """Sort API objects into a snapshot; what is wrong goes to ``faults``."""
    if kubernetes not in RELEASES:
        faults.add("", "", "kubernetes", f"one of {', '.join(RELEASES)} expected, got {kubernetes}")
    if len(set(levels)) < len(levels) or not all(levels):
        faults.add("", "", "levels", f"different label keys expected, got {', '.join(levels)}")
    reading = _Reading(faults, kubernetes)
    for document in documents:
        reading.add(document)
    return reading.finish(tuple(dict.fromkeys(levels)))


@dataclass(slots=True)
class _Topology:
    name: str
    levels: tuple[str, ...]
    source: str


@dataclass(slots=True)
class _Reading:
    """One pass over the documents."""

    faults: Faults
    kubernetes: str
    snapshot: Snapshot = field(default_factory=Snapshot)
    jobs: list[JobRecord] = field(default_factory=list)
    workloads: list[WorkloadRecord] = field(default_factory=list)
    topologies: list[_Topology] = field(default_factory=list)
    skipped: Skipped = field(default_factory=Skipped)

    def add(self, document: Document) -> None:
        """Read one object, or take note that it is not read."""
        kind, group_name = document.kind, api_group(document.api_version)
        key = (group_name, kind)
        if key not in READ:
            name = describe(document.obj).partition(" ")[2]
            refused = self.skipped.skip(document.api_version, kind, name)
            if refused:
                self._fault(document, "kind", refused)
            return
        version = document.api_version.rpartition("/")[2]
        if version not in _VERSIONS[key]:
            self._fault(document, "apiVersion", _unknown_version(key, version))
            return
        self._shape(document)
        _READERS[key](self, document, version)

    def _shape(self, document: Document) -> None:
        """Fault unknown fields beside ``spec`` and in the metadata: they may be misspelt ones."""
        fields = document.fields(self.faults)
        if document.kind != "PriorityClass":  # which has no spec
            fields.only(schema.OBJECT)
        fields.section("metadata").only(schema.METADATA)

    def finish(self, levels: tuple[str, ...]) -> Snapshot:
        """Expand the Jobs, settle the levels and write the notes."""
        snapshot = self.snapshot
        duplicates_of("Job", self.jobs, self.faults)
        duplicates_of("Workload", self.workloads, self.faults)
        duplicates_of("Topology", self.topologies, self.faults)
        pods, groups, notes = expand(self.jobs, snapshot.pods, snapshot.groups, self._bound_jobs())
        snapshot.pods += pods
        snapshot.groups += groups
        snapshot.levels = levels or self._declared()
        if levels:
            snapshot.notes += [
                f"Topology {one.name} is not used: levels are given"
                for one in self.topologies
                if one.levels != levels
            ]
        snapshot.notes += notes
        snapshot.notes += unused(self.workloads, snapshot.groups, snapshot.composites)
        if pods and self.skipped.saw("LimitRange"):  # the pods of others have its defaults already
            snapshot.notes.append("LimitRange is not read: pods of Jobs are without its defaults")
        snapshot.notes += self.skipped.notes()
        return snapshot

    def _fault(self, document: Document, path: str, message: str) -> None:
        self.faults.add(document.source, describe(document.obj), path, message)

    def _bound_jobs(self) -> dict[tuple[str, str], str]:
        """Jobs that a Workload of the user's names, and the PodGroup made from it."""
        made: dict[tuple[str, str], list[str]] = {}
        for record in self.snapshot.groups:
            made.setdefault((record.namespace, record.workload), []).append(record.name)
        bound = {}
        for owner in self.workloads:
            mine = made.get((owner.namespace, owner.name), [])
            # 1.37 makes a group anyway; 1.36 leaves a Job with a Workload of its own alone.
            if owner.job and (len(mine) == 1 or self.kubernetes == "1.36"):
                bound[owner.namespace, owner.job] = mine[0] if len(mine) == 1 else ""
        return bound

    def _declared(self) -> tuple[str, ...]:
        """Levels of the Kueue Topology; several must not differ."""
        found = sorted(self.topologies, key=lambda one: one.name)
        for other in found[1:]:
            if other.levels != found[0].levels:
                text = f"other levels than Topology {found[0].name}; say which with --levels"
                self.faults.add(other.source, f"Topology {other.name}", "spec.levels", text)
        return found[0].levels if found else ()

    def _node(self, document: Document, version: str) -> None:
        record = node(document, self.faults, self.snapshot.notes)
        if record is not None:
            self.snapshot.nodes.append(record)

    def _pod(self, document: Document, version: str) -> None:
        record = pod(document, self.faults)
        if record is not None:
            self.snapshot.pods.append(_with_bonds(record, document.obj))

    def _job(self, document: Document, version: str) -> None:
        record = job(document.fields(self.faults), self.kubernetes)
        if record is not None:
            template = document.obj["spec"]["template"]
            self.jobs.append(replace(record, pod=_with_bonds(record.pod, template)))

    def _priority_class(self, document: Document, version: str) -> None:
        record = priority_class(document, self.faults)
        if record is not None:
            self.snapshot.classes.append(record)

    def _group(self, document: Document, version: str) -> None:
        self.snapshot.groups.append(group(document.fields(self.faults), version))

    def _composite(self, document: Document, version: str) -> None:
        self.snapshot.composites.append(composite(document.fields(self.faults), version))

    def _workload(self, document: Document, version: str) -> None:
        self.workloads.append(workload(document.fields(self.faults), version))

    def _device_object(self, document: Document, version: str) -> None:
        fields = document.fields(self.faults)
        deviceobjects.read_object(self.snapshot.devices, fields, document.kind, version)

    def _budget(self, document: Document, version: str) -> None:
        record = budget(document.fields(self.faults))
        if record is not None:
            self.snapshot.budgets.append(record)

    def _origin(self, document: Document, version: str) -> None:
        record = origin(document.fields(self.faults))
        first = self.snapshot.origin
        if first is not None:
            text = f"a plan is of one cluster at one moment, and {first.source} has a Snapshot too"
            self._fault(document, "", text)
        elif record is not None:
            self.snapshot.origin = record

    def _topology(self, document: Document, version: str) -> None:
        fields = document.fields(self.faults)
        name = fields.section("metadata").text("name", required=True)
        self.topologies.append(_Topology(name, kueue.levels(fields), document.source))


_READERS: Mapping[tuple[str, str], Callable[[_Reading, Document, str], None]] = {
    ("", "Node"): _Reading._node,
    ("", "Pod"): _Reading._pod,
    ("batch", "Job"): _Reading._job,
    ("policy", "PodDisruptionBudget"): _Reading._budget,
    (groupspec.GROUP, "PriorityClass"): _Reading._priority_class,
    (groupspec.GROUP, "PodGroup"): _Reading._group,
    (groupspec.GROUP, "CompositePodGroup"): _Reading._composite,
    (groupspec.GROUP, "Workload"): _Reading._workload,
    ("kueue.x-k8s.io", "Topology"): _Reading._topology,
    (SNAPSHOT_GROUP, SNAPSHOT_KIND): _Reading._origin,
    **{(deviceobjects.GROUP, kind): _Reading._device_object for kind in deviceobjects.VERSIONS},
}


def _unknown_version(key: tuple[str, str], version: str) -> str:
    group_name, kind = key
    known = ", ".join(_VERSIONS[key])
    text = f"{kind} {version} is not known; known: {known}"
    if group_name == groupspec.GROUP and version == "v1alpha1":
        text += " (v1alpha1 is of Kubernetes 1.35)"
    if group_name == deviceobjects.GROUP and version == "v1alpha3":
        text += " (v1alpha3 is of Kubernetes 1.31)"
    if group_name == "policy" and version == "v1beta1":
        text += " (v1beta1 is of Kubernetes 1.24)"
    return text


def _with_bonds(record: PodRecord, obj: Mapping[str, object]) -> PodRecord:
    """Add the labels and annotations by which another gang API binds the pod."""
    metadata = obj.get("metadata")
    found: list[Mapping[str, object]] = []
    for key in ("labels", "annotations"):
        value = metadata.get(key) if isinstance(metadata, dict) else None
        found.append(value if isinstance(value, dict) else {})
    bonds = foreign.bonds(*found)
    if not bonds:
        return record
    return replace(record, unsupported=tuple(sorted({*record.unsupported, *bonds})))
