r"""Slices that leave a domain (paper, eq. leaving).

    s[t, d] in Z+                           slices of rule t that leave domain d
    sum_{u in d} e  =  k s[t, d] + (n mod k) w[g]      each slice rule t of g, and domain d
                                                                                 (preemption.slices)

u are the members of g that run in d, n of them, each with the e of its unit; k pods are a slice,
and w[g] = 1 where all members of g fall. A group that falls as one unit has no rows.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.counts.indexed import Indexed, indexed, joined, nothing, numbered
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, row_block


@dataclass(frozen=True, slots=True, eq=False)
class Leaving:
    """The slice columns and what their rows need.

    Attributes
    ----------
    s : (n,) columns by (rule, domain).
    pod, at : (m,) running pods, and the column's position in ``s`` that each counts in.
    rest : (n,) running members in the domain, modulo the rule's slice size.
    """

    s: Indexed
    pod: Ints
    at: Ints
    rest: Ints


def none() -> Leaving:
    """Return the block of a family that is off."""
    empty = np.zeros(0, dtype=np.int64)
    return Leaving(nothing("s", 2), empty, empty, empty)


def sliced(instance: Instance) -> Flags:
    """(G,) groups with a rule about slices of two pods or more."""
    flags = np.zeros(len(instance.groups), dtype=np.bool_)
    flags[instance.rules.owner[instance.rules.slice > 1]] = True
    return flags


def columns(instance: Instance, falls: Flags, alone: Flags, cols: Columns) -> Leaving:
    """s[t, d] where pods that can fall run.

    Parameters
    ----------
    falls : (U,) pods of units that can fall.
    alone : (G,) groups that fall as one unit, if at all.
    """
    rules, running = instance.rules, instance.running
    rule = np.flatnonzero(rules.slice > 1)
    rule = rule[~alone[rules.owner[rule]]]
    pod = np.flatnonzero(falls & (running.pod_group >= 0) & (running.pod_node >= 0))
    i, j = joined(running.pod_group[pod], rules.owner[rule])
    pod, rule = pod[i], rule[j]
    domain = instance.topology.domain[rules.level[rule], running.pod_node[pod]]
    pod, rule, domain = pod[domain >= 0], rule[domain >= 0], domain[domain >= 0]
    width = max(instance.topology.n_domains, 1)
    key, at = numbered(rule * width + domain, max(len(rules), 1) * width)
    index = np.column_stack([key // width, key % width])
    size = rules.slice[index[:, 0]]
    s = indexed(cols, "leaving", index, np.bincount(at, minlength=len(key)) // np.maximum(size, 1))
    members = np.zeros(max(len(rules), 1) * width, dtype=np.int64)
    np.add.at(members, rules.member_rule * width + rules.member_domain, rules.member_count)
    return Leaving(s, pod, at, members[key] % np.maximum(size, 1))


def rows(instance: Instance, leaving: Leaving, column: Ints, whole: Ints) -> list[RowBlock]:
    """Write preemption.slices.

    Parameters
    ----------
    column : (U,) the e of each pod; whole : (G,) the column of w[g]; -1 where there is none.
    """
    rule, n = leaving.s.index[:, 0], len(leaving.s)
    taken = whole[instance.rules.owner[rule]]
    tied = np.flatnonzero((taken >= 0) & (leaving.rest > 0))
    return [
        row_block(
            "preemption.slices",
            np.concatenate([leaving.at, np.arange(n), tied]),
            np.concatenate([column[leaving.pod], leaving.s.cols, taken[tied]]),
            np.concatenate(
                [np.ones(len(leaving.at), dtype=np.int64), -instance.rules.slice[rule],
                 -leaving.rest[tied]]
            ),
            0.0, 0.0, n, leaving.s.index,
        )
    ]  # fmt: skip


def encode(instance: Instance, leaving: Leaving, falls: Flags, fallen: Flags, point: Ints) -> None:
    """Fill s from the pods that fall (U,) and the groups that fall as a whole (G,), in place."""
    rule, n = leaving.s.index[:, 0], len(leaving.s)
    many = np.bincount(leaving.at[falls[leaving.pod]], minlength=n)
    many = many - leaving.rest * fallen[instance.rules.owner[rule]]
    point[leaving.s.cols] = many // np.maximum(instance.rules.slice[rule], 1)
