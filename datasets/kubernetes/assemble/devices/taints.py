"""Taints of devices, their own and those of DeviceTaintRules (KEP-5055)."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import product

from gangplan.datasets.kubernetes.devicerecords import DeviceRecord, TaintRuleRecord
from gangplan.datasets.kubernetes.records import Taint

Key = tuple[str | None, str | None, str | None]


class Taints:
    """Taints of every device, by what the rules select.

    Parameters
    ----------
    rules : one without a selector selects nothing; one with an empty selector, every device.
    """

    def __init__(self, rules: Iterable[TaintRuleRecord]) -> None:
        self._rules: defaultdict[Key, set[Taint]] = defaultdict(set)
        for rule in rules:
            if rule.selects and rule.taint is not None:
                taint = Taint(rule.taint.key, rule.taint.value, rule.taint.effect)
                self._rules[rule.driver, rule.pool, rule.device].add(taint)

    def of(self, driver: str, pool: str, device: DeviceRecord) -> frozenset[Taint]:
        """Give the taints of a device that forbid: NoSchedule and NoExecute alike."""
        found = {Taint(one.key, one.value, one.effect) for one in device.taints}
        if self._rules:
            for key in product((None, driver), (None, pool), (None, device.name)):
                found |= self._rules.get(key, _NONE)
        return frozenset(found)


_NONE: frozenset[Taint] = frozenset()
