"""policy/v1 PodDisruptionBudget -> `BudgetRecord`."""

import re

from gangplan.datasets.kubernetes.objects.selectors import label_selector
from gangplan.datasets.kubernetes.records import BudgetRecord, Share
from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.fields import Fields, shown
from gangplan.datasets.kubernetes.text.names import namespace, object_name

ALWAYS = "AlwaysAllow"

_INT32 = 2**31 - 1
_PERCENT = re.compile(r"([0-9]{1,9})%", re.ASCII)


def budget(fields: Fields) -> BudgetRecord | None:
    """Read a PodDisruptionBudget; None, and faults, where something is wrong with it."""
    before = len(fields.faults)
    space, name = namespace(fields), object_name(fields)
    spec, status = fields.section("spec"), fields.section("status")
    spec.only(schema.BUDGET_SPEC)
    status.only(schema.BUDGET_STATUS)
    spec.one_of("minAvailable", "maxUnavailable", required=False)
    least, most = _share(spec, "minAvailable"), _share(spec, "maxUnavailable")
    selector = spec.mapping("selector")
    chosen = None if selector is None else label_selector(selector)
    policy = spec.text("unhealthyPodEvictionPolicy", choices=("IfHealthyBudget", ALWAYS))
    allowed = status.integer("disruptionsAllowed", None, minimum=0, maximum=_INT32)
    for key in ("currentHealthy", "desiredHealthy", "expectedPods"):
        status.integer(key, None, minimum=0, maximum=_INT32)
    disrupted = frozenset(status.section("disruptedPods").obj)
    if len(fields.faults) > before:
        return None
    return BudgetRecord(
        namespace=space,
        name=name,
        selector=chosen,
        least=least,
        most=most,
        allowed=allowed,
        disrupted=disrupted,
        unready_free=policy == ALWAYS,
        source=fields.source,
    )


def _share(spec: Fields, key: str) -> Share | None:
    """Read a number of pods, or a percentage of at most 100."""
    value = spec.obj.get(key)
    if not isinstance(value, str):
        number = spec.integer(key, None, minimum=0, maximum=_INT32)
        return None if number is None else Share(number)
    found = _PERCENT.fullmatch(value)
    if found is None or int(found[1]) > 100:
        spec.fault(key, f"a number, or a percentage of at most 100%, expected, got {shown(value)}")
        return None
    return Share(int(found[1]), percent=True)
