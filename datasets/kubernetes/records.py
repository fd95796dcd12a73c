"""What the reader keeps of each API object: small frozen records between documents and Instance.

Quantities are integers in base units: millicores for ``cpu``, bytes for memory-like resources,
counts for everything else; requests are rounded up, allocatable is rounded down (both are exact
for every sensible quantity).
"""

from dataclasses import dataclass, field

from gangplan.datasets.kubernetes.devicerecords import DeviceObjects, PodClaim
from gangplan.datasets.kubernetes.snapshotobject import Origin
from gangplan.datasets.kubernetes.terms import Requirement as Requirement
from gangplan.datasets.kubernetes.terms import Toleration as Toleration

DEEPEST = 4
"""WorkloadMaxTreeDepth of Kubernetes 1.37: levels of a tree, its leaf groups included."""


@dataclass(frozen=True, slots=True)
class Taint:
    """A node taint; effects PreferNoSchedule are not kept (they never forbid)."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Everything in a pod that decides which nodes it may use; hashable, shared by equal pods.

    Attributes
    ----------
    selector : sorted (key, value) pairs of nodeSelector.
    terms : required node affinity, an OR of terms that are ANDs; None where there is none.
        An empty term matches nothing.
    tolerations : in the pod's order.
    """

    selector: tuple[tuple[str, str], ...] = ()
    terms: tuple[tuple[Requirement, ...], ...] | None = None
    tolerations: tuple[Toleration, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """A metav1.LabelSelector: matchLabels folded into requirements. None of them: matches all."""

    requirements: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True)
class AntiTerm:
    """A required anti-affinity term of a running pod (it forbids newcomers).

    ``namespaces`` empty means the pod's own; ``any_namespace`` stands for a namespaceSelector.
    """

    selector: LabelSelector
    namespaces: tuple[str, ...]
    any_namespace: bool = False


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """A core/v1 Node."""

    name: str
    labels: dict[str, str]
    taints: tuple[Taint, ...]
    allocatable: dict[str, int]
    unschedulable: bool
    ready: bool
    source: str


DEFAULT_SCHEDULER = "default-scheduler"
"""The scheduler of a pod that names none."""

MOST_PRIORITY = 1_000_000_000
"""HighestUserDefinablePriority: pods and classes of the system alone are above it."""

NEVER = "Never"
"""The preemptionPolicy of what evicts nobody."""

OF_JOB = "batch/v1"
"""``GroupRecord.api_version`` of the PodGroup that a Job without one would have."""

POLICIES = ("PreemptLowerPriority", NEVER)
"""Every preemptionPolicy of pods, groups and priority classes."""


@dataclass(frozen=True, slots=True)
class PodRecord:
    """A core/v1 Pod, or a pod that a Job without pods will make.

    Attributes
    ----------
    node : spec.nodeName; empty while unbound.
    phase : status.phase, ``Pending`` by default.
    terminating : metadata.deletionTimestamp is set.
    gated : spec.schedulingGates is not empty.
    group : spec.schedulingGroup.podGroupName; empty without one.
    request : effective request (init containers, sidecars, overhead, pod-level resources).
    priority : spec.priority, else that of its class, else None (filled in by the builder).
    owner : ``Kind/name`` of the controller, for names only.
    labels : metadata.labels.
    annotations : those of ``kueue.x-k8s.io`` and ``gangplan.io`` only.
    unsupported : paths of hard rules that are not honoured yet, sorted.
    anti : required anti-affinity terms, kept of every pod.
    created : seconds since the epoch; None where absent.
    scheduler : spec.schedulerName.
    claims : spec.resourceClaims. ``extended_claim`` : claim that the scheduler made for its
        extended resources (status.extendedResourceClaimStatus); empty without one.
    uid : metadata.uid; empty in manifests.
    preemption_policy : spec.preemptionPolicy; empty without one.
    nominated : status.nominatedNodeName. ``started`` : status.startTime, seconds since the epoch.
    fixed : ``DaemonSet``, ``mirror`` or ``static`` for pods that nobody evicts; else empty.
    ready : its condition Ready, if there is one, is ``True``.
    """

    namespace: str
    name: str
    node: str
    phase: str
    terminating: bool
    gated: bool
    group: str
    request: dict[str, int]
    eligibility: Eligibility
    priority: int | None
    priority_class: str
    owner: str
    labels: dict[str, str]
    annotations: dict[str, str]
    unsupported: tuple[str, ...]
    anti: tuple[AntiTerm, ...]
    created: float | None
    source: str
    scheduler: str = DEFAULT_SCHEDULER
    claims: tuple[PodClaim, ...] = ()
    extended_claim: str = ""
    uid: str = ""
    preemption_policy: str = ""
    nominated: str = ""
    started: float | None = None
    fixed: str = ""
    ready: bool = True


@dataclass(frozen=True, slots=True)
class TopologyRule:
    """A topology wish: ``key`` a node label, ``mode`` required or preferred, ``slice`` pods."""

    key: str
    mode: str
    slice: int = 0


@dataclass(frozen=True, slots=True)
class GroupRecord:
    """A PodGroup of any version, as v1beta1 would say it.

    Attributes
    ----------
    gang : True for ``gang``, False for ``basic``.
    minimum : gang.minCount; 0 for basic.
    parent : parentCompositePodGroupName; empty for a root.
    rules : topology rules in the order written.
    role_minimum : role name -> minimum of its own (annotation ``gangplan.io/role-minimum``).
    disruption : ``single`` or ``all``.
    unsupported : paths of hard rules that are not honoured yet.
    workload : name of the Workload it was made from; empty without one.
    claims : spec.resourceClaims: each has one allocation for all pods that name it alike.
    preemption_policy : spec.preemptionPolicy (1.37); empty without one.
    uid : metadata.uid; empty in manifests.
    """

    namespace: str
    name: str
    gang: bool
    minimum: int
    parent: str
    rules: tuple[TopologyRule, ...]
    role_minimum: dict[str, int]
    disruption: str
    priority: int | None
    priority_class: str
    unsupported: tuple[str, ...]
    created: float | None
    api_version: str
    source: str
    workload: str = ""
    claims: tuple[PodClaim, ...] = ()
    preemption_policy: str = ""
    uid: str = ""


@dataclass(frozen=True, slots=True)
class CompositeRecord:
    """A CompositePodGroup (v1alpha3); basic policy has minimum 1."""

    namespace: str
    name: str
    minimum: int
    parent: str
    rules: tuple[TopologyRule, ...]
    disruption: str
    priority: int | None
    priority_class: str
    unsupported: tuple[str, ...]
    created: float | None
    source: str
    workload: str = ""
    preemption_policy: str = ""
    uid: str = ""


@dataclass(frozen=True, slots=True)
class PriorityClassRecord:
    """A scheduling.k8s.io/v1 PriorityClass."""

    name: str
    value: int
    default: bool
    source: str
    preemption_policy: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """An amount of pods: a number of them, or of hundredths of all (``percent``)."""

    number: int
    percent: bool = False


@dataclass(frozen=True, slots=True)
class BudgetRecord:
    """A policy/v1 PodDisruptionBudget.

    Attributes
    ----------
    selector : None selects no pod, an empty one all pods of the namespace.
    least, most : spec.minAvailable, spec.maxUnavailable; at most one of them.
    allowed : status.disruptionsAllowed; None where the status does not say.
    disrupted : names in status.disruptedPods: their eviction is counted already.
    unready_free : unhealthyPodEvictionPolicy AlwaysAllow: pods that are not ready do not count.
    """

    namespace: str
    name: str
    selector: LabelSelector | None
    least: Share | None
    most: Share | None
    allowed: int | None
    disrupted: frozenset[str]
    unready_free: bool
    source: str


@dataclass(slots=True)
class Snapshot:
    """Everything read from the sources, before it is made numeric.

    Attributes
    ----------
    levels : label keys declared as one hierarchy, widest first (Kueue Topology, ``--levels``).
    devices : objects of resource.k8s.io.
    origin : the cluster that it was taken of; None where the sources do not say.
    notes : one sentence for each thing that was read and not honoured.
    """

    nodes: list[NodeRecord] = field(default_factory=list)
    pods: list[PodRecord] = field(default_factory=list)
    groups: list[GroupRecord] = field(default_factory=list)
    composites: list[CompositeRecord] = field(default_factory=list)
    classes: list[PriorityClassRecord] = field(default_factory=list)
    budgets: list[BudgetRecord] = field(default_factory=list)
    levels: tuple[str, ...] = ()
    devices: DeviceObjects = field(default_factory=DeviceObjects)
    origin: Origin | None = None
    notes: list[str] = field(default_factory=list)

    def now(self, newest: float) -> float:
        """When it was taken, seconds since the epoch; ``newest`` stands in where nobody says."""
        return newest if self.origin is None else self.origin.taken

    def is_foreign(self, pod: PodRecord) -> bool:
        """Whether another scheduler places the pod; without an origin all are ours."""
        return self.origin is not None and pod.scheduler != self.origin.scheduler
