"""Rules that a finer required rule of the same owner implies are left out.

Where each domain of a fine level lies inside one domain of a coarse one, whoever is in one fine
domain is in one coarse domain: a required rule of the coarse level says nothing more, and a
preferred one costs nothing.
"""

from dataclasses import replace

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.reduce.reduced import Reduced, same, unchanged
from gangplan.models.topology import Rules


def shrink(instance: Instance) -> Reduced:
    """Leave out implied rules."""
    rules = instance.rules
    implied = np.zeros(len(rules), dtype=np.bool_)
    whole = rules.is_whole()
    fixed = rules.fixed()
    by_owner: dict[int, list[int]] = {}
    for t in np.flatnonzero(rules.slice == 0).tolist():
        by_owner.setdefault(int(rules.owner[t]), []).append(t)
    nested: dict[tuple[int, int], Ints] = {}
    for mine in by_owner.values():
        for fine in mine:
            if not whole[fine] or len(mine) == 1:
                continue
            for coarse in mine:
                pair = (int(rules.level[fine]), int(rules.level[coarse]))
                if coarse == fine or implied[fine] or implied[coarse]:
                    continue
                if pair not in nested:
                    nested[pair] = _above(instance, *pair)
                implied[coarse] = _implies(rules, fine, coarse, nested[pair], int(fixed[fine]))
    count = int(implied.sum())
    if not count:
        return unchanged(instance)
    smaller = replace(instance, rules=_without(rules, implied))
    what = "1 topology rule is" if count == 1 else f"{count} topology rules are"
    return Reduced(smaller, same, f"{what} implied by finer ones")


def _above(instance: Instance, fine: int, coarse: int) -> Ints:
    """(D,) the one domain of the coarse level that a fine domain lies in; -1 where there is none.

    D where nobody knows: a domain without nodes.
    """
    topology = instance.topology
    least = np.full(topology.n_domains, topology.n_domains, dtype=np.int64)
    most = np.full(topology.n_domains, -1, dtype=np.int64)
    inside = topology.domain[fine] >= 0
    at, up = topology.domain[fine][inside], topology.domain[coarse][inside]
    np.minimum.at(least, at, up)
    np.maximum.at(most, at, up)
    one: Ints = np.where(least == most, least, -1)
    one[most < least] = topology.n_domains
    one[topology.level != fine] = topology.n_domains
    return one


def _implies(rules: Rules, fine: int, coarse: int, above: Ints, fixed: int) -> bool:
    """Tell whether a whole required rule leaves the other of its owner nothing to say.

    With members of the coarse rule the fine one must be fixed to a domain there.
    """
    unknown = len(above)
    stand = set(rules.member_domain[rules.member_rule == coarse].tolist())
    if fixed >= 0:
        return int(above[fixed]) not in (-1, unknown) and stand <= {int(above[fixed])}
    return not stand and not (above == -1).any()


def _without(rules: Rules, gone: Flags) -> Rules:
    kept = np.flatnonzero(~gone)
    number = np.cumsum(~gone) - 1
    members = np.flatnonzero(~gone[rules.member_rule])
    return Rules(
        rules.owner[kept],
        rules.level[kept],
        rules.mode[kept],
        rules.slice[kept],
        number[rules.member_rule[members]],
        rules.member_domain[members],
        rules.member_count[members],
    )
