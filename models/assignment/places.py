"""Places: the domains that a topology rule may use, and the pairs that lie in each."""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.instance import Instance


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Places i = (rule t, domain d), one wherever the owner has a pair or running members.

    Attributes
    ----------
    rule, domain : (m,) the place, sorted; a node n without the label stands as domain D + n.
    members : (m,) running members of the rule's owner there.
    pair : (c,) pairs e of the owners, and
    at : (c,) the place that each lies in.
    """

    rule: Ints
    domain: Ints
    members: Ints
    pair: Ints
    at: Ints

    def __len__(self) -> int:
        """Return the number of places m."""
        return len(self.rule)


def places_of(instance: Instance, pairs: Pairs, chosen: Ints) -> Places:
    """Find the places of the ``chosen`` rules t."""
    rules = instance.rules
    width = max(instance.topology.n_domains + len(instance.nodes), 1)
    none = np.zeros(0, dtype=np.int64)
    pair, key = [none], [none]
    for t in chosen.tolist():
        mine = pairs.of_owner(instance, int(rules.owner[t]))
        domain = _domains(instance, int(rules.level[t]))[pairs.node[mine]]
        pair.append(mine)
        key.append(t * width + domain)
    running = np.isin(rules.member_rule, chosen)
    of_members = rules.member_rule[running] * width + rules.member_domain[running]
    of_pairs = np.concatenate(key)
    distinct, at = np.unique(np.concatenate([of_pairs, of_members]), return_inverse=True)
    at = at.reshape(-1).astype(np.int64)
    members = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(members, at[len(of_pairs) :], rules.member_count[running])
    return Places(
        distinct // width, distinct % width, members, np.concatenate(pair), at[: len(of_pairs)]
    )


def _domains(instance: Instance, level: int) -> Ints:
    """(N,) domain of each node at a level; D + n where it has no label."""
    domain = instance.topology.domain[level]
    return np.where(domain >= 0, domain, instance.topology.n_domains + np.arange(len(domain)))
