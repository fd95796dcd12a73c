r"""Attributes that devices of a claim have in common, or must not; part of the claims family.

    value[j, t, v] in {0, 1}                      does matchAttribute rule t of claim j mean value v
    sum_v value[j, t, v]  <=  1                   for each claim j and such rule t    (claims.value)
    give[j, b, i]  <=  m_i sum_v value[j, t, v]   over the values v of i, for each choice b that t
                                                  binds                               (claims.match)
    sum_{b, i} give[j, b, i]  <=  1               for each claim j, distinctAttribute rule t and
                                                  value v: over the choices b that t binds and
                                                  devices i with v                 (claims.distinct)

A list has several values; equal elements of one list are one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.assignment.asked import Asked
from gangplan.models.assignment.links import only_where
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, RowBlock, VarBlock, row_block


@dataclass(frozen=True, slots=True, eq=False)
class Carried:
    """Values that devices carry into rules.

    Attributes
    ----------
    claim, rule, value : (m,) what a claim's rule could see; sorted. The index of value-columns.
    give, at : (c,) gives that a rule binds, and a value of theirs: one entry a value.
    """

    claim: Ints
    rule: Ints
    value: Ints
    give: Ints
    at: Ints


def carried(instance: Instance, asked: Asked, *, distinct: bool) -> Carried:
    """Find the values for all matchAttribute, or all distinctAttribute rules."""
    entries = [np.zeros((0, 4), dtype=np.int64), *_entries(instance, asked, distinct)]
    claim, rule, value, give = np.concatenate(entries).T
    key, at = np.unique(np.column_stack([claim, rule, value]), axis=0, return_inverse=True)
    return Carried(key[:, 0], key[:, 1], key[:, 2], give, at.reshape(-1))


def _entries(instance: Instance, asked: Asked, distinct: bool) -> Iterator[Ints]:
    """Yield, rule by rule, (claim, rule, value, give); a value that a list has twice is one."""
    claims, devices = instance.claims, instance.devices
    for t in np.flatnonzero(claims.rule_distinct == distinct).tolist():
        bound = np.flatnonzero(np.isin(asked.give_choice, claims.members_of(t)))
        mine = devices.trait_attribute == claims.rule_attribute[t]
        traits = np.unique(
            np.column_stack([devices.trait_device[mine], devices.trait_value[mine]]), axis=0
        )
        device = asked.give_device[bound]
        first = np.searchsorted(traits[:, 0], device)
        number = np.searchsorted(traits[:, 0], device, side="right") - first
        row = np.repeat(np.arange(len(bound)), number)
        offset = np.arange(len(row)) - np.repeat(np.cumsum(number) - number, number)
        value = traits[first[row] + offset, 1]
        give = bound[row]
        yield np.column_stack([asked.give_claim[give], np.full(len(give), t), value, give])


def columns(match: Carried, cols: Columns) -> VarBlock:
    """Columns value (m,)."""
    return cols.add("value", np.zeros(len(match.claim), dtype=np.int64), 1)


def rows(
    asked: Asked, match: Carried, distinct: Carried, give: VarBlock, value: VarBlock
) -> list[RowBlock]:
    """Write claims.value, claims.match and claims.distinct."""
    rules, of_rule = np.unique(
        np.column_stack([match.claim, match.rule]), axis=0, return_inverse=True
    )
    both = np.column_stack([match.give, match.rule[match.at]])
    bound, row = np.unique(both, axis=0, return_inverse=True)
    gives = bound[:, 0]
    index = np.column_stack([distinct.claim, distinct.rule, distinct.value])
    return [
        row_block(
            "claims.value", of_rule.reshape(-1), value.cols, 1, -np.inf, 1.0, len(rules), rules
        ),
        only_where(
            "claims.match", give.cols[gives], asked.give_most[gives], row.reshape(-1),
            value.cols[match.at], np.column_stack([asked.about(gives), bound[:, 1]]),
        ),
        row_block(
            "claims.distinct", distinct.at, give.cols[distinct.give], 1, -np.inf, 1.0, len(index),
            index,
        ),
    ]  # fmt: skip
