"""The parts that PodGroups, CompositePodGroups, their templates and Jobs share (scheduling.k8s.io).

=========  ==========  =================================================================
version    Kubernetes  differences
=========  ==========  =================================================================
v1alpha2   1.36        podGroupTemplateRef, disruptionMode a text (Pod, PodGroup)
v1beta1    1.37        workloadRef, disruptionMode a union, preemptionPolicy, parent
v1alpha3   1.37        as v1beta1, and CompositePodGroup
=========  ==========  =================================================================
"""

from dataclasses import dataclass

from gangplan.datasets.kubernetes.devicerecords import PodClaim
from gangplan.datasets.kubernetes.objects.podclaims import pod_claims
from gangplan.datasets.kubernetes.objects.pods import ANNOTATIONS
from gangplan.datasets.kubernetes.records import MOST_PRIORITY, POLICIES, TopologyRule
from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.fields import Faults, Fields
from gangplan.datasets.kubernetes.text.names import namespace, object_name

GROUP = "scheduling.k8s.io"
KUBERNETES = {"v1alpha2": "1.36", "v1beta1": "1.37", "v1alpha3": "1.37"}
"""API version -> the Kubernetes that serves it."""

SHARED = frozenset(
    {
        "schedulingPolicy",
        "schedulingConstraints",
        "disruptionMode",
        "priorityClassName",
        "priority",
    }
)
"""Fields of every group and template, in all versions."""

_INT32 = 2**31 - 1
_MOST_CLAIMS = 4
_ONLY_OLD = {"podGroupTemplateRef": "workloadRef"}
_ONLY_NEW = {
    "workloadRef": "podGroupTemplateRef",
    "parentCompositePodGroupName": "",
    "preemptionPolicy": "",
    "compositePodGroupTemplates": "",
}


@dataclass(frozen=True, slots=True)
class Identity:
    """Where an object is, and when it was made (seconds since the epoch)."""

    namespace: str
    name: str
    created: float | None
    annotations: dict[str, str]  # those of gangplan.io and Kueue
    uid: str = ""


def identity(fields: Fields, *, generate: bool = False) -> Identity:
    """Read the metadata of a namespaced object; the namespace is ``default`` where it is absent.

    Parameters
    ----------
    generate : a generateName may stand for the name, which the server would make longer.
    """
    metadata = fields.section("metadata")
    if generate and not metadata.has("name") and metadata.has("generateName"):
        name = metadata.text("generateName").rstrip("-.")
    else:
        name = object_name(fields)
    return Identity(
        namespace(fields),
        name,
        metadata.timestamp("creationTimestamp"),
        _annotations(metadata),
        metadata.text("uid"),
    )


def _annotations(metadata: Fields) -> dict[str, str]:
    """Annotations that are read; those of others need not even be texts."""
    found = metadata.mapping("annotations")
    if found is None:
        return {}
    return {key: found.text(key) for key in found.obj if key.startswith(ANNOTATIONS)}


def spec(fields: Fields) -> Fields:
    """Give the required ``spec``; unknown sections beside it are faults.

    Where it is missing, an empty one is given whose own faults go nowhere: once is enough.
    """
    fields.only(schema.OBJECT)
    found = fields.mapping("spec", required=True)
    return found if found is not None else Fields({}, fields.source, Faults(), fields, "spec")


def only(fields: Fields, version: str, known: frozenset[str]) -> None:
    """Fault unknown fields; one of another version is named as such."""
    old = version == "v1alpha2"
    hinted = {key for key in (_ONLY_NEW if old else _ONLY_OLD) if fields.has(key)} - known
    for key in sorted(hinted):
        instead = (_ONLY_NEW if old else _ONLY_OLD)[key]
        other = "v1beta1 and v1alpha3 (1.37)" if old else "v1alpha2 (1.36)"
        text = f"a field of {GROUP}/{other}, not of {version} ({KUBERNETES[version]})"
        fields.fault(key, text + (f", which has {instead}" if instead else ""))
    fields.only(known | hinted)


def policy(fields: Fields, count: str, *, default: int | None = None) -> tuple[bool, int]:
    """Read ``schedulingPolicy``: ``basic: {}`` or ``gang: {COUNT: n}``.

    Parameters
    ----------
    count : ``minCount`` or ``minGroupCount``.
    default : the count where a gang gives none; without one it is required.

    Returns
    -------
    gang, minimum
        Whether it is a gang, and its count; 0 for basic.
    """
    union = fields.mapping("schedulingPolicy", required=True)
    if union is None:
        return False, 0
    union.only(frozenset({"basic", "gang"}))
    chosen = union.one_of("basic", "gang")
    body = union.mapping(chosen) if chosen else None
    if chosen != "gang" or body is None:
        if body is not None:
            body.only(frozenset())
        return False, 0
    body.only(frozenset({count}))
    least = body.integer(count, default or 1, required=default is None, minimum=1, maximum=_INT32)
    return True, least


def topology(fields: Fields) -> tuple[TopologyRule, ...]:
    """Read ``schedulingConstraints.topology``: at most one required key."""
    constraints = fields.section("schedulingConstraints")
    constraints.only(frozenset({"topology"}))
    entries = constraints.items("topology")
    if len(entries) > 1:
        constraints.fault("topology", f"at most 1 entry expected, got {len(entries)}")
    rules = []
    for entry in entries:
        entry.only(frozenset({"key"}))
        key = entry.text("key", required=True)
        if key:
            rules.append(TopologyRule(key, "required"))
    return tuple(rules)


def disruption(fields: Fields, version: str) -> str:
    """Read ``disruptionMode`` as ``single`` (default) or ``all``, in the version's own form."""
    value = fields.obj.get("disruptionMode")
    if version == "v1alpha2":
        if isinstance(value, dict):
            fields.fault("disruptionMode", "Pod or PodGroup expected; a union is of 1.37")
            return "single"
        mode = fields.text("disruptionMode", "Pod", choices=("Pod", "PodGroup"))
        return "all" if mode == "PodGroup" else "single"
    if isinstance(value, str):
        fields.fault("disruptionMode", "single: {} or all: {} expected; a text is of 1.36")
        return "single"
    union = fields.mapping("disruptionMode")
    if union is None:
        return "single"
    union.only(frozenset({"single", "all"}))
    chosen = union.one_of("single", "all")
    body = union.mapping(chosen) if chosen else None
    if body is not None:
        body.only(frozenset())
    return chosen or "single"


def priority(fields: Fields) -> tuple[int | None, str]:
    """Read ``priority`` and ``priorityClassName``; no group has a priority of the system."""
    number = fields.integer("priority", None, minimum=-_INT32 - 1, maximum=MOST_PRIORITY)
    return number, fields.text("priorityClassName")


def preemption_policy(fields: Fields) -> str:
    """Read ``preemptionPolicy`` of whatever has one; empty without."""
    return fields.text("preemptionPolicy", choices=POLICIES)


def claims(fields: Fields, status: Fields) -> tuple[PodClaim, ...]:
    """Read ``resourceClaims``, and what the status says of them."""
    entries = fields.items("resourceClaims")
    if len(entries) > _MOST_CLAIMS:
        fields.fault("resourceClaims", f"at most {_MOST_CLAIMS} expected, got {len(entries)}")
    return pod_claims(fields, status)


def workload_ref(fields: Fields, *, required: bool = False) -> str:
    """Read ``workloadRef`` (1.37): the Workload's name; empty without one."""
    reference = fields.mapping("workloadRef", required=required)
    if reference is None:
        return ""
    reference.only(frozenset({"workloadName", "templateName"}))
    reference.text("templateName", required=True)
    return reference.text("workloadName", required=True)


def template_ref(fields: Fields) -> str:
    """Read ``podGroupTemplateRef`` (1.36): the Workload's name; empty without one."""
    reference = fields.mapping("podGroupTemplateRef")
    if reference is None:
        return ""
    reference.only(frozenset({"workload"}))
    workload = reference.mapping("workload", required=True)
    if workload is None:
        return ""
    workload.only(frozenset({"workloadName", "podGroupTemplateName"}))
    workload.text("podGroupTemplateName", required=True)
    return workload.text("workloadName", required=True)
