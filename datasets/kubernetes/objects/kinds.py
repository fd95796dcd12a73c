"""What becomes of each kind of object: read, skipped in silence of its own, told of, or refused.

No object is dropped without a word: kinds without influence on a placement are counted in one
note, objects of other gang APIs are named, and a kind that nobody knows is a fault.
"""

import difflib
from collections import Counter, defaultdict

from gangplan.datasets.kubernetes.order import natural
from gangplan.datasets.kubernetes.snapshotobject import SNAPSHOT_GROUP, SNAPSHOT_KIND

READ = frozenset(
    {
        ("", "Node"),
        ("", "Pod"),
        ("batch", "Job"),
        ("policy", "PodDisruptionBudget"),
        ("resource.k8s.io", "DeviceClass"),
        ("resource.k8s.io", "DeviceTaintRule"),
        ("resource.k8s.io", "ResourceClaim"),
        ("resource.k8s.io", "ResourceClaimTemplate"),
        ("resource.k8s.io", "ResourceSlice"),
        ("scheduling.k8s.io", "PriorityClass"),
        ("scheduling.k8s.io", "PodGroup"),
        ("scheduling.k8s.io", "CompositePodGroup"),
        ("scheduling.k8s.io", "Workload"),
        ("kueue.x-k8s.io", "Topology"),
        (SNAPSHOT_GROUP, SNAPSHOT_KIND),
    }
)
"""(API group, kind) of the objects that are read."""

# Kinds of Kubernetes' own groups that bear on no placement, or only through a Pod that says so.
_QUIET = {
    "": "Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace"
    " PersistentVolume PersistentVolumeClaim PodTemplate ReplicationController ResourceQuota"
    " Secret Service ServiceAccount",
    "admissionregistration.k8s.io": "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"
    " MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding"
    " ValidatingWebhookConfiguration",
    "apiextensions.k8s.io": "CustomResourceDefinition",
    "apiregistration.k8s.io": "APIService",
    "apps": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    "autoscaling": "HorizontalPodAutoscaler Scale",
    "batch": "CronJob",
    "certificates.k8s.io": "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
    "coordination.k8s.io": "Lease LeaseCandidate",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
    "internal.apiserver.k8s.io": "StorageVersion",
    "lifecycle.k8s.io": "Eviction EvictionRequest",
    "networking.k8s.io": "IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR",
    "node.k8s.io": "RuntimeClass",
    "policy": "Eviction",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "resource.k8s.io": "ResourcePoolStatusRequest",
    "scheduling.k8s.io": "",
    "storage.k8s.io": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment"
    " VolumeAttributesClass",
    "storagemigration.k8s.io": "StorageVersionMigration",
}
_KNOWN = {group: frozenset(kinds.split()) for group, kinds in _QUIET.items()}

GANG_APIS = frozenset(
    {
        "scheduling.x-k8s.io",
        "scheduling.volcano.sh",
        "batch.volcano.sh",
        "flow.volcano.sh",
        "topology.volcano.sh",
        "jobset.x-k8s.io",
        "leaderworkerset.x-k8s.io",
        "disaggregatedset.x-k8s.io",
        "kubeflow.org",
        "trainer.kubeflow.org",
        "grove.io",
        "scheduler.grove.io",
        "scheduling.run.ai",
        "kai.scheduler",
        "ray.io",
        "resource.nvidia.com",
    }
)
"""API groups whose objects place pods together; not read, but never passed over in silence."""

PROTOTYPES = frozenset({"devmgmtproto.k8s.io"})
"""API groups of prototypes that resource.k8s.io took the place of: refused."""

# Kinds of resource.k8s.io before ResourceSlice was what it is (1.26 to 1.31).
_EARLY = frozenset(
    [
        "DevicePool",
        "PodScheduling",
        "PodSchedulingContext",
        "ResourceClaimParameters",
        "ResourceClass",
        "ResourceClassParameters",
        "ResourcePool",
    ]
)
_TYPO = 0.85  # difflib ratio: PodGruop and PodGroup have 0.875, PodGroupSet and PodGroup 0.84
_NAMED = 20


def api_group(api_version: str) -> str:
    """Give the API group of ``group/version``; empty for the core group."""
    return api_version.rpartition("/")[0]


class Skipped:
    """Objects that are not read, until their notes are written."""

    def __init__(self) -> None:
        self._quiet: Counter[str] = Counter()
        self._gang: defaultdict[tuple[str, str], list[str]] = defaultdict(list)

    def skip(self, api_version: str, kind: str, name: str) -> str:
        """Take note of an object that is not in `READ`.

        Parameters
        ----------
        name : ``namespace/name``, or what there is of it.

        Returns
        -------
        str
            Why it is refused; empty where it is only passed over.
        """
        group = api_group(api_version)
        if kind in _KNOWN.get(group, ()):
            self._quiet[kind] += 1
            return ""
        if group in PROTOTYPES or (group == "resource.k8s.io" and kind in _EARLY):
            return f"{kind} of {api_version} was a prototype; resource.k8s.io/v1 has ResourceSlice"
        near = difflib.get_close_matches(kind, sorted({known for _, known in READ}), 1, _TYPO)
        same_name = near and near[0] == kind
        groups = sorted({whose for whose, known in READ if known == kind and whose})
        meant = difflib.get_close_matches(group, groups, 1, _TYPO)
        if meant and group not in GANG_APIS:
            return f"unknown API group {group}, is it {meant[0]}?"
        if group in _KNOWN or (near and not same_name):
            return f"unknown kind in {api_version}" + (f", is it {near[0]}?" if near else "")
        if group in GANG_APIS or kind in ("PodGroup", "Workload", "CompositePodGroup"):
            self._gang[api_version, kind].append(name)
        else:
            self._quiet[f"{kind} ({api_version})"] += 1
        return ""

    def saw(self, kind: str) -> bool:
        """Whether an object of a kind without influence was passed over."""
        return kind in self._quiet

    def notes(self) -> list[str]:
        """One sentence for all kinds without influence, one for each kind of a gang API."""
        found = []
        if self._quiet:
            counts = ", ".join(f"{n} {kind}" for kind, n in sorted(self._quiet.items()))
            found.append(f"not needed for a placement, skipped: {counts}")
        for (api_version, kind), names in sorted(self._gang.items()):
            names = sorted(names, key=natural)
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            listed = ", ".join(names[:_NAMED]) + more
            found.append(f"{api_version} {kind} is not read, nothing is planned from it: {listed}")
        return found
