"""What claims ask, as the allocator reads it: plain tuples, one `Asked` a spec."""

from dataclasses import dataclass

from gangplan.models.claims import Claims


@dataclass(frozen=True, slots=True)
class Way:
    """A choice of a request.

    Attributes
    ----------
    number : choice b.
    count : devices, or ``ALL``.
    rank : position in its request, from 0.
    rules : (position of the rule in the spec, attribute, distinct) of the rules that bind it.
    """

    number: int
    count: int
    admin: bool
    rank: int
    rules: tuple[tuple[int, int, bool], ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A spec: its requests, each a tuple of ways, and the number of its rules."""

    requests: tuple[tuple[Way, ...], ...]
    n_rules: int

    @property
    def worst(self) -> int:
        """The largest sum of ranks."""
        return sum(ways[-1].rank for ways in self.requests)


def asked_of(claims: Claims) -> tuple[Asked, ...]:
    """Read all specs of an instance."""
    rank = claims.rank.tolist()
    asked = []
    for s in range(claims.n_specs):
        rules = claims.rules_of(s).tolist()
        binds: dict[int, list[tuple[int, int, bool]]] = {}
        for at, x in enumerate(rules):
            for b in claims.members_of(x).tolist():
                rule = (at, int(claims.rule_attribute[x]), bool(claims.rule_distinct[x]))
                binds.setdefault(b, []).append(rule)
        requests: dict[int, list[Way]] = {}
        for b in claims.choices_of(s).tolist():
            way = Way(
                b,
                int(claims.choice_count[b]),
                bool(claims.choice_admin[b]),
                rank[b],
                tuple(binds.get(b, ())),
            )
            requests.setdefault(int(claims.choice_request[b]), []).append(way)
        asked.append(Asked(tuple(tuple(ways) for ways in requests.values()), len(rules)))
    return tuple(asked)
