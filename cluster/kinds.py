"""Kinds of API objects, their paths, and which of them planning needs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind in one version of its API group (``""``: core)."""

    group: str
    version: str
    plural: str
    name: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        """``apiVersion`` of its objects."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def root(self) -> str:
        """Path of its API group and version."""
        return f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"

    def path(self, namespace: str = "", name: str = "", sub: str = "") -> str:
        """Path of a list (all namespaces without one), an object, or a subresource of it."""
        parts = [self.root]
        if namespace:
            parts.append(f"namespaces/{namespace}")
        parts.append(self.plural)
        parts += [part for part in (name, sub) if part]
        return "/".join(parts)

    def path_of(self, full_name: str, sub: str = "") -> str:
        """Path of the object ``namespace/name`` (or ``name``, without namespaces)."""
        namespace, _, name = full_name.rpartition("/")
        return self.path(namespace, name, sub)


NODE = Kind("", "v1", "nodes", "Node", namespaced=False)
POD = Kind("", "v1", "pods", "Pod")
NAMESPACE = Kind("", "v1", "namespaces", "Namespace", namespaced=False)
CONFIG_MAP = Kind("", "v1", "configmaps", "ConfigMap")
EVENT = Kind("events.k8s.io", "v1", "events", "Event")
JOB = Kind("batch", "v1", "jobs", "Job")
LEASE = Kind("coordination.k8s.io", "v1", "leases", "Lease")
PRIORITY_CLASS = Kind("scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", False)
BUDGET = Kind("policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget")

CORE = (NODE, POD, PRIORITY_CLASS)
"""Needed for every plan, served by every cluster."""

SCHEDULING = "scheduling.k8s.io"
GROUP_VERSIONS = ("v1beta1", "v1alpha3", "v1alpha2")
"""Versions of PodGroup, the best first; a cluster serves the first two, or the last."""

GROUP_KINDS = (
    Kind(SCHEDULING, "", "podgroups", "PodGroup"),
    Kind(SCHEDULING, "", "workloads", "Workload"),
)
COMPOSITE = Kind(SCHEDULING, "v1alpha3", "compositepodgroups", "CompositePodGroup")

TOPOLOGY_VERSIONS = ("v1", "v1beta2", "v1beta1", "v1alpha1")
TOPOLOGY = Kind("kueue.x-k8s.io", "", "topologies", "Topology", namespaced=False)
"""Kueue's: declares the levels of the cluster; used where it is served."""

DRA = "resource.k8s.io"
DRA_KINDS = (
    Kind(DRA, "v1", "resourceslices", "ResourceSlice", namespaced=False),
    Kind(DRA, "v1", "deviceclasses", "DeviceClass", namespaced=False),
    Kind(DRA, "v1", "resourceclaims", "ResourceClaim"),
    Kind(DRA, "v1", "resourceclaimtemplates", "ResourceClaimTemplate"),
)
TAINT_RULE_VERSIONS = ("v1", "v1beta2", "v1alpha3")
TAINT_RULE = Kind(DRA, "", "devicetaintrules", "DeviceTaintRule", namespaced=False)
