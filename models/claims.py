"""Claims: what pods ask of devices (ResourceClaims and templates, KEP-4381, KEP-5729), as columns.

A *spec* is what a claim asks: requests, each with choices (``firstAvailable``; a single one for
``exactly``), and rules that compare the devices of several choices. A role has *own* claims, one
allocation a pod; a *shared* claim has one allocation for all pods that use it (a ResourceClaim by
name, or a claim of a PodGroup).
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints, at_least, below, flags, ints
from gangplan.models.errors import InstanceError

ALL = 0
"""``choice_count`` of allocationMode All."""

MOST_RESULTS = 32
"""Devices in one allocation (AllocationResultsMaxSize)."""

NO_LIMIT = 2**40
"""``shared_limit`` of a claim that any number of pods may use."""


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """Specs s, requests q, choices b, rules x, own claims w, shared claims c.

    Attributes
    ----------
    request_spec : (Q,) spec of each request; sorted.
    choice_request : (B,) request of each choice; sorted. The first choice of a request has rank 0,
        the next rank 1, ...: the lower the better.
    choice_count : (B,) devices it takes; ALL: every device that it ``asks`` and the node reaches,
        one at least.
    choice_admin : (B,) adminAccess: takes devices whoever holds them, and uses nothing up.
    fits : (B, I) the device may serve the choice: class, selectors, tolerated taints, capacity.
        Free or taken is not looked at.
    asks : (B, I) devices that an ALL choice must take or fail: ``fits`` and, beside it, what only a
        taint or a missing attribute rules out. Equal to ``fits`` elsewhere.
    barred : (B, N) pods on the node may not use the choice: an expression failed on a device that
        the node reaches, or an ALL choice looks into a pool that is incomplete.
    use_choice, use_pot, use_amount : (U,) what one device given to the choice takes of one of its
        pots, >= 0; sorted by choice, pot.
    rule_spec : (X,) spec of each rule.
    rule_attribute : (X,) attribute that it compares.
    rule_distinct : (X,) True: pairwise different (distinctAttribute); False: one value in common
        (matchAttribute).
    member_rule, member_choice : (E,) choices that a rule binds; sorted by rule, choice.
    own_role, own_spec : (W,) each pod of the role has a claim of the spec of its own; sorted by
        role.
    shared_spec : (C,) spec of each shared claim; -1 where it is allocated already.
    shared_zone : (C,) row of ``devices.zones``: nodes that reach its devices, where it is
        allocated already; -1 where it is not.
    shared_limit : (C,) pods that may still reserve it.
    user_shared, user_role : (V,) every pod of the role uses the shared claim; sorted.
    """

    request_spec: Ints
    choice_request: Ints
    choice_count: Ints
    choice_admin: Flags
    fits: Flags
    asks: Flags
    barred: Flags
    use_choice: Ints
    use_pot: Ints
    use_amount: Ints
    rule_spec: Ints
    rule_attribute: Ints
    rule_distinct: Flags
    member_rule: Ints
    member_choice: Ints
    own_role: Ints
    own_spec: Ints
    shared_spec: Ints
    shared_zone: Ints
    shared_limit: Ints
    user_shared: Ints
    user_role: Ints

    def __post_init__(self) -> None:
        """Check shapes and ranges, as far as the section alone can."""
        b = len(np.asarray(self.choice_request))
        for length_of, names in (
            ("request_spec", ("request_spec",)),
            ("choice_request", ("choice_request", "choice_count")),
            ("use_choice", ("use_choice", "use_pot", "use_amount")),
            ("rule_spec", ("rule_spec", "rule_attribute")),
            ("member_rule", ("member_rule", "member_choice")),
            ("own_role", ("own_role", "own_spec")),
            ("shared_spec", ("shared_spec", "shared_zone", "shared_limit")),
            ("user_shared", ("user_shared", "user_role")),
        ):
            length = len(np.asarray(getattr(self, length_of)))
            for name in names:
                column = ints(getattr(self, name), length, name=f"claims.{name}")
                object.__setattr__(self, name, column)
                at_least(column, -1 if name.startswith("shared_") else 0, f"claims.{name}")
        for name, shape in (
            ("choice_admin", (b,)),
            ("fits", (b, -1)),
            ("asks", (b, -1)),
            ("barred", (b, -1)),
            ("rule_distinct", (len(self.rule_spec),)),
        ):
            grid = flags(getattr(self, name), *shape, name=f"claims.{name}")
            object.__setattr__(self, name, grid)
        for name in ("request_spec", "choice_request", "use_choice", "member_rule", "own_role"):
            at_least(np.diff(getattr(self, name)), 0, f"claims.{name} (sorted)")
        below(self.choice_request, len(self.request_spec), "claims.choice_request")
        below(self.use_choice, b, "claims.use_choice")
        below(self.member_rule, len(self.rule_spec), "claims.member_rule")
        below(self.member_choice, b, "claims.member_choice")
        for name in ("rule_spec", "own_spec", "shared_spec"):
            below(getattr(self, name), self.n_specs, f"claims.{name}")
        below(self.user_shared, len(self.shared_spec), "claims.user_shared")
        at_least(self.shared_limit, 0, "claims.shared_limit")
        if len(np.unique(self.choice_request)) < len(self.request_spec):
            raise InstanceError("claims.choice_request: a request has no choice")
        if self.asks.shape != self.fits.shape or (self.fits & ~self.asks).any():
            raise InstanceError("claims.asks: a device that fits is always asked")
        if ((self.shared_spec >= 0) == (self.shared_zone >= 0)).any():
            raise InstanceError("claims.shared_spec: a shared claim is allocated, or to allocate")
        spec = self.request_spec[self.choice_request[self.member_choice]]
        if (spec != self.rule_spec[self.member_rule]).any():
            raise InstanceError("claims.member_choice: a rule binds choices of its own spec")

    @property
    def n_specs(self) -> int:
        """Number of specs S: every spec has a request."""
        return int(self.request_spec.max()) + 1 if len(self.request_spec) else 0

    @property
    def n_shared(self) -> int:
        """Number of shared claims C."""
        return len(self.shared_spec)

    def __bool__(self) -> bool:
        """Tell whether any pod has a claim."""
        return bool(len(self.own_role) or len(self.user_role))

    @property
    def choice_spec(self) -> Ints:
        """(B,) spec of each choice."""
        return self.request_spec[self.choice_request]

    @property
    def rank(self) -> Ints:
        """(B,) position of each choice in its request, from 0."""
        first = np.searchsorted(self.choice_request, self.choice_request, side="left")
        return (np.arange(len(self.choice_request)) - first).astype(np.int64)

    def choices_of(self, spec: int) -> Ints:
        """Choices of a spec, in order."""
        return np.flatnonzero(self.choice_spec == spec)

    def rules_of(self, spec: int) -> Ints:
        """Rules of a spec."""
        return np.flatnonzero(self.rule_spec == spec)

    def members_of(self, rule: int) -> Ints:
        """Choices that a rule binds."""
        mine: Ints = self.member_choice[self.member_rule == rule]
        return mine

    def own_of(self, role: int) -> range:
        """Numbers w of the role's own claims."""
        first, last = np.searchsorted(self.own_role, [role, role + 1]).tolist()
        return range(first, last)

    def shared_of(self, role: int) -> Ints:
        """Shared claims that every pod of the role uses."""
        mine: Ints = self.user_shared[self.user_role == role]
        return mine


def _none() -> Claims:
    none, no = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_)
    grid = np.zeros((0, 0), dtype=np.bool_)
    return Claims(
        none, none, none, no, grid, grid, grid, none, none, none, none, none, no, *[none] * 9
    )


NO_CLAIMS = _none()
"""No claim, for any number of devices and nodes."""
