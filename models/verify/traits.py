"""Rules that compare devices: matchAttribute (one value in common), distinctAttribute (none).

They look at the devices of those choices that are taken. A device without the attribute serves no
choice that a rule binds.
"""

import numpy as np

from gangplan.models.instance import Instance
from gangplan.models.verify.allocated import Allocation, broken
from gangplan.models.verify.violation import Violation

Values = dict[tuple[int, int], set[int]]
"""(device, attribute) -> values."""


def check_traits(instance: Instance, used: list[Allocation]) -> list[Violation]:
    """Check every rule of every claim in use."""
    claims = instance.claims
    rules: dict[int, list[int]] = {}
    for x, s in enumerate(claims.rule_spec.tolist()):
        rules.setdefault(s, []).append(x)
    members: dict[int, set[int]] = {}
    for x, b in zip(claims.member_rule.tolist(), claims.member_choice.tolist(), strict=True):
        members.setdefault(x, set()).add(b)
    values = _values(instance, used) if rules else {}
    found = []
    for one in used:
        for x in rules.get(one.spec, ()):
            bound = [i for b, i in one.rows if b in members.get(x, ())]
            found += _rule(instance, one, x, bound, values)
    return found


def _values(instance: Instance, used: list[Allocation]) -> Values:
    devices = instance.devices
    given = np.unique(np.array([i for one in used for _, i in one.rows], dtype=np.int64))
    values: Values = {}
    for t in np.flatnonzero(np.isin(devices.trait_device, given)).tolist():
        key = int(devices.trait_device[t]), int(devices.trait_attribute[t])
        values.setdefault(key, set()).add(int(devices.trait_value[t]))
    return values


def _rule(
    instance: Instance, one: Allocation, rule: int, bound: list[int], values: Values
) -> list[Violation]:
    names = instance.names
    attribute = int(instance.claims.rule_attribute[rule])
    of_device = [(i, values.get((i, attribute), set())) for i in bound]
    word = names.attributes[attribute]
    found = [
        broken(one.what, 0, 1, f"device {names.devices[i]} has no attribute {word}")
        for i in dict.fromkeys(i for i, mine in of_device if not mine)
    ]
    having = [(i, mine) for i, mine in of_device if mine]
    if instance.claims.rule_distinct[rule]:
        return found + _distinct(instance, one, word, having)
    if having and not set.intersection(*(mine for _, mine in having)):
        some = ", ".join(names.devices[i] for i in dict.fromkeys(i for i, _ in having))
        found.append(broken(one.what, 0, 1, f"no value of {word} in common: {some}"))
    return found


def _distinct(
    instance: Instance, one: Allocation, word: str, having: list[tuple[int, set[int]]]
) -> list[Violation]:
    names = instance.names
    holders: dict[int, list[int]] = {}
    for i, mine in having:
        for value in mine:
            holders.setdefault(value, []).append(i)
    return [
        broken(
            one.what,
            len(mine),
            1,
            f"{word} {names.values[value]} more than once: "
            + ", ".join(names.devices[i] for i in mine),
        )
        for value, mine in sorted(holders.items())
        if len(mine) > 1
    ]
