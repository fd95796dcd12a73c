"""core/v1 Pod, or a pod template, -> `PodRecord`."""

from gangplan.datasets.kubernetes.objects.affinity import anti_terms, eligibility
from gangplan.datasets.kubernetes.objects.podclaims import check_users, extended_claim, pod_claims
from gangplan.datasets.kubernetes.objects.requests import effective_request
from gangplan.datasets.kubernetes.objects.unsupported import hard_rules
from gangplan.datasets.kubernetes.records import DEFAULT_SCHEDULER, POLICIES, PodRecord
from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.documents import Document
from gangplan.datasets.kubernetes.text.fields import Faults, Fields
from gangplan.datasets.kubernetes.text.names import subdomain

PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
FINISHED = ("Succeeded", "Failed")
ANNOTATIONS = ("gangplan.io/", "kueue.x-k8s.io/")

_INT32 = 2**31 - 1
_MIRROR, _CONFIG = "kubernetes.io/config.mirror", "kubernetes.io/config.source"


def pod(document: Document, faults: Faults) -> PodRecord | None:
    """Read a Pod; None, and faults, where something is wrong with it."""
    before = len(faults)
    fields = document.fields(faults)
    metadata = fields.section("metadata")
    name = subdomain(metadata, "name", required=True)
    space = subdomain(metadata, "namespace") or "default"
    spec = fields.mapping("spec", required=True)
    if spec is None or len(faults) > before:
        return None
    status = fields.section("status")
    record = pod_from_spec(space, name, metadata, spec, status, document.source, faults)
    return record if len(faults) == before else None


def pod_from_spec(
    namespace: str,
    name: str,
    metadata: Fields,
    spec: Fields,
    status: Fields,
    source: str,
    faults: Faults,
) -> PodRecord | None:
    """Make the record of a pod, or of one that a template would make.

    Parameters
    ----------
    namespace, name : of the pod; templates have none.
    metadata, spec, status : of the pod or template; ``status`` may be empty.
    source : where it came from.
    faults : what is wrong goes here, with the paths of the three.

    Returns
    -------
    PodRecord or None
        None where something is wrong.
    """
    before = len(faults)
    spec.only(schema.POD_SPEC)
    phase = status.text("phase", "Pending", choices=PHASES) or "Pending"
    node = spec.text("nodeName")
    labels = metadata.labels("labels")
    containers = spec.items("containers", required=True)
    initial = spec.items("initContainers")
    claims = pod_claims(spec, status)
    check_users(spec, (*containers, *initial), claims)
    running = bool(node) and phase not in FINISHED
    record = PodRecord(
        namespace=namespace,
        name=name,
        node=node,
        phase=phase,
        terminating=bool(metadata.text("deletionTimestamp")),
        gated=_gated(spec),
        group=_group(spec),
        request=effective_request(spec, containers, initial, status if running else None),
        eligibility=eligibility(spec),
        priority=spec.integer("priority", None, minimum=-_INT32 - 1, maximum=_INT32),
        priority_class=spec.text("priorityClassName"),
        owner=_owner(metadata),
        labels=labels,
        annotations=_annotations(metadata),
        unsupported=hard_rules(spec, containers, initial, admitted=metadata.has("uid")),
        anti=anti_terms(spec, labels),
        created=metadata.timestamp("creationTimestamp"),
        source=source,
        scheduler=spec.text("schedulerName") or DEFAULT_SCHEDULER,
        claims=claims,
        extended_claim=extended_claim(status),
        uid=metadata.text("uid"),
        preemption_policy=spec.text("preemptionPolicy", choices=POLICIES),
        nominated=status.text("nominatedNodeName"),
        started=status.timestamp("startTime"),
        fixed=_fixed(metadata),
        ready=_ready(status),
    )
    return record if len(faults) == before else None


def _gated(spec: Fields) -> bool:
    gates = spec.items("schedulingGates")
    for gate in gates:
        gate.only(schema.GATE)
    return bool(gates)


def _group(spec: Fields) -> str:
    group = spec.mapping("schedulingGroup")
    if group is None:
        return ""
    group.only(schema.GROUP)
    return subdomain(group, "podGroupName", required=True)


def _owner(metadata: Fields) -> str:
    for entry in metadata.items("ownerReferences"):
        if entry.boolean("controller"):
            return f"{entry.text('kind')}/{entry.text('name')}"
    return ""


def _fixed(metadata: Fields) -> str:
    """Name the kind of pod that nobody evicts; empty for all others."""
    owners = metadata.obj.get("ownerReferences")
    for entry in owners if isinstance(owners, list) else ():
        kind = entry.get("kind") if isinstance(entry, dict) else None
        if kind == "DaemonSet" or kind == "Node":
            return "DaemonSet" if kind == "DaemonSet" else "mirror"
    found = metadata.obj.get("annotations")
    if not isinstance(found, dict):
        return ""
    if _MIRROR in found:
        return "mirror"
    return "static" if found.get(_CONFIG, "api") != "api" else ""


def _ready(status: Fields) -> bool:
    """Whether no condition says otherwise; ``Unknown`` is not ready, as in Kubernetes."""
    conditions = status.obj.get("conditions")
    for entry in conditions if isinstance(conditions, list) else ():
        if isinstance(entry, dict) and entry.get("type") == "Ready":
            return bool(entry.get("status") == "True")
    return True


def _annotations(metadata: Fields) -> dict[str, str]:
    found = metadata.mapping("annotations")
    if found is None:
        return {}
    return {key: found.text(key) for key in found.obj if key.startswith(ANNOTATIONS)}
