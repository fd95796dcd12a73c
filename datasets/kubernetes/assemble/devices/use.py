"""What the claims of a pod come down to: specs of its own, and claims that it shares."""

from dataclasses import dataclass, field

from gangplan.datasets.kubernetes.devicerecords import ClaimRecord


@dataclass(frozen=True, slots=True)
class Use:
    """Claims of a pod; equal uses are alike to the planner.

    Attributes
    ----------
    own : name in the pod and number of the spec, of each claim of its own.
    shared : names of the claims that it uses with others, or that are allocated already.
    problems : why it cannot be placed. unsupported : fields that are not honoured.
    """

    own: tuple[tuple[str, int], ...] = ()
    shared: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()


NOTHING = Use()


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """A claim with one allocation: an object, or one still to be made from a template.

    ``spec``: number of it. ``by_group``: users to whom it belongs through their PodGroup, and its
    name.
    """

    name: str
    spec: int
    claim: ClaimRecord | None
    by_group: dict[str, str] = field(default_factory=dict)
