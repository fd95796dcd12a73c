"""What the reader keeps of resource.k8s.io objects: frozen records between documents and columns.

Names of attributes, capacities and counters are qualified (``domain/id``: the driver is the domain
of a bare id). Quantities are exact fractions.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from gangplan.datasets.kubernetes.terms import Requirement, Toleration

ALL = 0
"""``ChoiceRecord.count`` of allocationMode All."""

EXTENDED = "<extended-resources>"
"""Name of the claim for extended resources, as kube-scheduler calls it; no pod can call one so."""

Identity = tuple[str, str, str]
"""Driver, pool and name of a device."""

Terms = tuple[tuple[Requirement, ...], ...]
"""Node selector terms: an OR of ANDs; an empty term matches nothing."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """Value of a device attribute.

    Attributes
    ----------
    type : ``int``, ``bool``, ``string`` or ``version``.
    values : one value, or the elements of a list.
    listed : it is a list (DRAListTypeAttributes).
    """

    type: str
    values: tuple[int | bool | str, ...]
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Policy:
    """requestPolicy of a consumable capacity: ``valid`` values, or a range (``least`` set)."""

    default: Fraction | None = None
    valid: tuple[Fraction, ...] = ()
    least: Fraction | None = None
    most: Fraction | None = None
    step: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Capacity:
    """A capacity of a device."""

    value: Fraction
    policy: Policy | None = None


@dataclass(frozen=True, slots=True)
class DeviceTaint:
    """A device taint; effect ``None`` forbids nothing and is not kept."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class DeviceRecord:
    """A device of a slice.

    Attributes
    ----------
    attributes, capacity : by qualified name.
    multi : allowMultipleAllocations.
    draws : (counter set, counter, amount), sorted.
    node, selector, everywhere : its reach, where the slice leaves it to each device.
    late : it has bindingConditions: ready only some time after its allocation.
    unsupported : fields of alpha features that are not honoured; the device is left out.
    """

    name: str
    attributes: dict[str, Attribute] = field(default_factory=dict)
    capacity: dict[str, Capacity] = field(default_factory=dict)
    multi: bool = False
    taints: tuple[DeviceTaint, ...] = ()
    draws: tuple[tuple[str, str, Fraction], ...] = ()
    node: str = ""
    selector: Terms | None = None
    everywhere: bool = False
    late: bool = False
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SliceRecord:
    """A ResourceSlice; exactly one of ``node``, ``selector``, ``everywhere``, ``each`` is set.

    Attributes
    ----------
    slices : pool.resourceSliceCount.
    each : perDeviceNodeSelection.
    counters : counter set -> counter -> value.
    """

    name: str
    driver: str
    pool: str
    generation: int
    slices: int
    devices: tuple[DeviceRecord, ...]
    counters: dict[str, dict[str, Fraction]]
    source: str
    node: str = ""
    selector: Terms | None = None
    everywhere: bool = False
    each: bool = False


@dataclass(frozen=True, slots=True)
class ClassRecord:
    """A DeviceClass: CEL selectors, all of which must hold."""

    name: str
    selectors: tuple[str, ...]
    extended: str
    created: float | None
    source: str


@dataclass(frozen=True, slots=True)
class ChoiceRecord:
    """``exactly`` (name empty) or one entry of ``firstAvailable``."""

    name: str
    device_class: str
    selectors: tuple[str, ...] = ()
    count: int = 1
    admin: bool = False
    tolerations: tuple[Toleration, ...] = ()
    capacity: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """A request: its choices, best first."""

    name: str
    choices: tuple[ChoiceRecord, ...]


@dataclass(frozen=True, slots=True)
class ConstraintRecord:
    """matchAttribute or (``distinct``) distinctAttribute; no ``requests``: all of the claim.

    An entry of ``requests`` is ``request`` or ``request/subrequest``.
    """

    requests: tuple[str, ...]
    attribute: str
    distinct: bool


@dataclass(frozen=True, slots=True)
class SpecRecord:
    """What a claim asks; hashable: equal specs are one. Opaque ``config`` decides no placement."""

    requests: tuple[RequestRecord, ...]
    constraints: tuple[ConstraintRecord, ...] = ()
    unsupported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ResultRecord:
    """One device of an allocation; ``consumed``: capacity of a share, by qualified name."""

    request: str
    driver: str
    pool: str
    device: str
    admin: bool = False
    consumed: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True, slots=True)
class AllocationRecord:
    """status.allocation; ``selector`` None: its devices are reached from everywhere."""

    results: tuple[ResultRecord, ...]
    selector: Terms | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """An object that a claim is reserved for, or its controller (``resource``: plural, or kind)."""

    group: str
    resource: str
    name: str
    uid: str = ""


@dataclass(frozen=True, slots=True)
class ClaimRecord:
    """A ResourceClaim.

    ``made_for``: entry of resourceClaims that a controller made it for, or `EXTENDED`.
    """

    namespace: str
    name: str
    spec: SpecRecord
    allocation: AllocationRecord | None
    reserved: tuple[Reference, ...]
    controller: Reference | None
    terminating: bool
    source: str
    made_for: str = ""


@dataclass(frozen=True, slots=True)
class TemplateRecord:
    """A ResourceClaimTemplate."""

    namespace: str
    name: str
    spec: SpecRecord
    source: str


@dataclass(frozen=True, slots=True)
class TaintRuleRecord:
    """A DeviceTaintRule; None in ``driver``, ``pool``, ``device`` selects any one."""

    name: str
    driver: str | None
    pool: str | None
    device: str | None
    selects: bool
    taint: DeviceTaint | None
    source: str


@dataclass(frozen=True, slots=True)
class PodClaim:
    """An entry of resourceClaims of a pod or PodGroup: one of ``claim`` and ``template``.

    ``generated``: the claim that status.resourceClaimStatuses names for the template; None where
    it says nothing yet, empty where none is needed.
    """

    name: str
    claim: str = ""
    template: str = ""
    generated: str | None = None


@dataclass(slots=True)
class DeviceObjects:
    """Everything of resource.k8s.io in a snapshot."""

    slices: list[SliceRecord] = field(default_factory=list)
    classes: list[ClassRecord] = field(default_factory=list)
    claims: list[ClaimRecord] = field(default_factory=list)
    templates: list[TemplateRecord] = field(default_factory=list)
    taint_rules: list[TaintRuleRecord] = field(default_factory=list)
