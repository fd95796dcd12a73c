"""batch/v1 Job: the pods that a Job without pods will make, and the group they will be in.

1.36 (KEP-5547): an Indexed Job with completions == parallelism > 1 is a gang of all its pods, any
other Job makes bare pods. 1.37 (KEP-6089): ``spec.scheduling`` says; without it the group is basic.
A pod template that names a PodGroup brings its own in both. Where a Job's pods are in the sources
they alone count, and the Job says nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gangplan.datasets.kubernetes.objects import groupspec
from gangplan.datasets.kubernetes.objects.annotations import PREFIX
from gangplan.datasets.kubernetes.objects.annotationtext import path
from gangplan.datasets.kubernetes.objects.pods import pod_from_spec
from gangplan.datasets.kubernetes.records import OF_JOB, GroupRecord, PodRecord
from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.fields import Fields

MOST = 100_000
"""Pods of one Job; Kubernetes allows an Indexed Job no more."""

LABELS = ("batch.kubernetes.io/job-name", "job-name")
"""Labels by which a pod names its Job, now and before 1.27."""

_SPEC = frozenset(
    [
        "activeDeadlineSeconds",
        "backoffLimit",
        "backoffLimitPerIndex",
        "completionMode",
        "completions",
        "managedBy",
        "manualSelector",
        "maxFailedIndexes",
        "parallelism",
        "podFailurePolicy",
        "podReplacementPolicy",
        "scheduling",
        "selector",
        "successPolicy",
        "suspend",
        "template",
        "ttlSecondsAfterFinished",
    ]
)
_SCHEDULING = frozenset(
    {"schedulingPolicy", "schedulingConstraints", "disruptionMode", "resourceClaims"}
)
# A child Job whose PodGroup comes from a template of its parent's Workload (KEP-6089).
_DELEGATED = (
    "scheduling.k8s.io/group-template-name",
    "scheduling.k8s.io/parent-compositepodgroup",
)
_CONTROLLER = "kubernetes.io/job-controller"
_DONE = frozenset({"Complete", "Failed", "SuccessCriteriaMet", "FailureTarget"})


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A Job and what it would make.

    Attributes
    ----------
    pods : how many pods are active at once: min(parallelism, completions - succeeded).
    asleep : why it makes no pod; empty where it does.
    active : pods that its status says are there already.
    pod : the first pod it would make.
    group : the PodGroup its controller would make; None where there is none.
    """

    namespace: str
    name: str
    pods: int
    asleep: str
    active: int
    pod: PodRecord
    group: GroupRecord | None
    source: str


def job(fields: Fields, kubernetes: str) -> JobRecord | None:
    """Read a Job; None, and faults, where something is wrong with it.

    Parameters
    ----------
    kubernetes : ``1.36`` or ``1.37``: the release whose Job controller makes the group.
    """
    before = len(fields.faults)
    who = groupspec.identity(fields, generate=True)
    for key in who.annotations:
        if key.startswith(PREFIX):
            fields.fault(path(key), "belongs on the PodGroup, or on the pod template")
    spec = groupspec.spec(fields)
    spec.only(_SPEC)
    parallelism = spec.integer("parallelism", 1, minimum=0, maximum=MOST)
    active = min(parallelism, _left(spec, fields.section("status"), parallelism))
    asleep = _asleep(spec, fields.section("status"), active)
    if fields.section("metadata").has("deletionTimestamp"):
        asleep = "it is being deleted"
    pod = _first_pod(fields, spec, who)
    group = None
    if pod is not None:
        old = kubernetes == "1.36"
        gang = _inferred(spec, parallelism) if old else _explicit(spec, parallelism)
        if old and spec.has("scheduling"):
            spec.fault("scheduling", "a field of Kubernetes 1.37, not of 1.36")
        group = None if gang is None or pod.group else _group(fields, spec, who, gang, pod)
    if len(fields.faults) > before or pod is None:
        return None
    there = fields.section("status").integer("active", 0, minimum=0)
    return JobRecord(who.namespace, who.name, active, asleep, there, pod, group, fields.source)


def expand(
    jobs: Sequence[JobRecord],
    pods: Sequence[PodRecord],
    groups: Sequence[GroupRecord],
    bound: dict[tuple[str, str], str],
) -> tuple[list[PodRecord], list[GroupRecord], list[str]]:
    """Make the pods and groups of the Jobs that have no pods.

    Parameters
    ----------
    pods, groups : what the sources have.
    bound : (namespace, Job name) -> PodGroup made for it through a Workload that names the Job;
        empty where that Workload has none yet, and then the pods are free.

    Returns
    -------
    pods, groups, notes
        To be added to the snapshot.
    """
    have = {(pod.namespace, name) for pod in pods for name in _jobs_of(pod)}
    taken = {(record.namespace, record.name) for record in groups}
    taken_pods = {(pod.namespace, pod.name) for pod in pods}
    new_pods: list[PodRecord] = []
    new_groups: list[GroupRecord] = []
    notes: list[str] = []
    for record in sorted(jobs, key=lambda one: (one.namespace, one.name)):
        where = (record.namespace, record.name)
        if where in have:
            continue
        if record.asleep:
            notes.append(f"Job {record.namespace}/{record.name} makes no pods: {record.asleep}")
            continue
        if record.active:
            notes.append(
                f"Job {record.namespace}/{record.name} has {record.active} active pods that are not"
                " in the sources: all its pods are planned as new"
            )
        group = record.pod.group or bound.get(where, "")
        if not group and record.group is not None and where not in bound:
            group = _free_name(record.group, taken)
            taken.add((record.namespace, group))
            new_groups.append(replace(record.group, name=group))
        new_pods += _pods(record, group, taken_pods)
    return new_pods, new_groups, notes


def _left(spec: Fields, status: Fields, parallelism: int) -> int:
    completions = spec.integer("completions", None, minimum=0)
    succeeded = status.integer("succeeded", 0, minimum=0)
    if completions is None:  # a work queue: parallelism alone decides, until a pod says it is done
        if spec.text("completionMode") == "Indexed":
            spec.fault("completions", "missing in an Indexed Job")
        return 0 if succeeded else parallelism
    return max(completions - succeeded, 0)


def _asleep(spec: Fields, status: Fields, active: int) -> str:
    manager = spec.text("managedBy")
    done = [entry.text("type") for entry in status.items("conditions") if _is_true(entry)]
    if _DONE.intersection(done):
        return "it has finished"
    if spec.boolean("suspend"):
        return "it is suspended"
    if manager not in ("", _CONTROLLER):
        return f"it is managed by {manager}"
    return "" if active else "it needs none"


def _is_true(entry: Fields) -> bool:
    return entry.text("status") == "True"


def _first_pod(fields: Fields, spec: Fields, who: groupspec.Identity) -> PodRecord | None:
    template = spec.mapping("template", required=True)
    body = template.mapping("spec", required=True) if template is not None else None
    if template is None or body is None:
        return None
    template.only(schema.TEMPLATE)
    template.section("metadata").only(schema.METADATA)
    made = pod_from_spec(
        who.namespace,
        f"{who.name}-0",
        template.section("metadata"),
        body,
        Fields({}, fields.source, fields.faults),
        fields.source,
        fields.faults,
    )
    if made is None:
        return None
    labels = {**made.labels, **dict.fromkeys(LABELS, who.name)}
    return replace(made, owner=f"Job/{who.name}", labels=labels, created=who.created)


def _inferred(spec: Fields, parallelism: int) -> tuple[bool, int] | None:
    """1.36: a gang of all pods, or None for bare pods."""
    mode = spec.text("completionMode", choices=("NonIndexed", "Indexed"))
    whole = spec.integer("completions", None) == parallelism
    return (True, parallelism) if mode == "Indexed" and whole and parallelism > 1 else None


def _explicit(spec: Fields, parallelism: int) -> tuple[bool, int]:
    """1.37: what ``spec.scheduling`` says, basic without it."""
    spec.text("completionMode", choices=("NonIndexed", "Indexed"))
    scheduling = spec.mapping("scheduling")
    if scheduling is None or not scheduling.has("schedulingPolicy"):
        return False, 0
    default = max(parallelism, 1)
    gang, minimum = groupspec.policy(scheduling, "minCount", default=default)
    if gang and minimum > default:
        scheduling.fault(
            "schedulingPolicy.gang.minCount", f"{minimum} is above parallelism {parallelism}"
        )
    return gang, minimum


def _group(
    fields: Fields, spec: Fields, who: groupspec.Identity, gang: tuple[bool, int], pod: PodRecord
) -> GroupRecord:
    scheduling = spec.section("scheduling")
    scheduling.only(_SCHEDULING)
    annotations = fields.section("metadata").obj.get("annotations")
    delegated = [key for key in _DELEGATED if isinstance(annotations, dict) and key in annotations]
    return GroupRecord(
        namespace=who.namespace,
        name=who.name,
        gang=gang[0],
        minimum=gang[1],
        parent="",
        rules=groupspec.topology(scheduling),
        role_minimum={},
        disruption=groupspec.disruption(scheduling, "v1beta1"),
        priority=pod.priority,
        priority_class=pod.priority_class,
        unsupported=tuple(map(path, delegated)),
        created=who.created,
        api_version=OF_JOB,
        source=fields.source,
        claims=groupspec.claims(scheduling, Fields({}, fields.source, fields.faults)),
    )


def _jobs_of(pod: PodRecord) -> set[str]:
    kind, _, owner = pod.owner.partition("/")
    named = {pod.labels[key] for key in LABELS if key in pod.labels}
    return named | {owner} if kind == "Job" else named


def _free_name(group: GroupRecord, taken: set[tuple[str, str]]) -> str:
    name = group.name
    while (group.namespace, name) in taken:
        name += "-job"
    return name


def _pods(record: JobRecord, group: str, taken: set[tuple[str, str]]) -> list[PodRecord]:
    made: list[PodRecord] = []
    number = 0
    while len(made) < record.pods:
        name = f"{record.name}-{number}"
        number += 1
        if (record.namespace, name) not in taken:
            made.append(replace(record.pod, name=name, group=group))
    return made
