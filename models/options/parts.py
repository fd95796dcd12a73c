"""Parts: requests of a spec that nothing ties to its other requests.

A part is served by itself, so that the ways to serve a spec add up over its parts instead of
multiplying. Requests are tied where a rule binds choices of both; a spec with adminAccess (no
device twice), or with more than 32 devices in reach of its counts, is one part.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.claims import ALL, MOST_RESULTS, Claims


@dataclass(frozen=True, slots=True)
class Bound:
    """A rule of a part: attribute, sense, and the choices b that it binds."""

    attribute: int
    distinct: bool
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a spec.

    Attributes
    ----------
    spec : the spec s.
    requests : the choices b of each request.
    rules : what binds them.
    """

    spec: int
    requests: tuple[tuple[int, ...], ...]
    rules: tuple[Bound, ...]

    @property
    def choices(self) -> list[int]:
        """Choices b of all requests."""
        return [b for request in self.requests for b in request]


def parts_of(claims: Claims) -> tuple[Part, ...]:
    """List the parts of every spec, spec after spec."""
    return tuple(part for s in range(claims.n_specs) for part in _parts(claims, s))


def _parts(claims: Claims, spec: int) -> list[Part]:
    requests = np.flatnonzero(claims.request_spec == spec).tolist()
    choices = {q: np.flatnonzero(claims.choice_request == q).tolist() for q in requests}
    rules = [
        Bound(
            int(claims.rule_attribute[x]),
            bool(claims.rule_distinct[x]),
            tuple(claims.members_of(int(x)).tolist()),
        )
        for x in claims.rules_of(spec)
    ]
    mine = claims.choices_of(spec)
    most = sum(int(_largest(claims.choice_count[choices[q]])) for q in requests)
    tied = [set(claims.choice_request[list(rule.members)].tolist()) for rule in rules]
    if claims.choice_admin[mine].any() or most > MOST_RESULTS:
        tied.append(set(requests))
    groups: list[set[int]] = [{q} for q in requests]
    for together in tied:
        apart = [group for group in groups if not group & together]
        groups = [*apart, together.union(*(group for group in groups if group & together))]
    parts = []
    for group in sorted(groups, key=lambda group: min(group, default=-1)):
        own = {b for q in group for b in choices[q]}
        bound = tuple(dict.fromkeys(rule for rule in rules if own & set(rule.members)))
        if group:
            parts.append(Part(spec, tuple(tuple(choices[q]) for q in sorted(group)), bound))
    return parts


def _largest(counts: Ints) -> int:
    """Return the most devices of a request; ALL may be as many as an allocation holds."""
    return MOST_RESULTS if (counts == ALL).any() else int(counts.max())
