"""Whether the victims of each PodDisruptionBudget fit what it allows, as the Eviction API counts.

A dry run of one eviction does not lower the budget for the next, so they are counted here:
registry/core/pod/storage/eviction.go of Kubernetes. A pod under several budgets cannot be evicted
at all; a pod that has not started, has finished or is going costs none; nor does one that is not
ready where the policy says so, or where the budget is met without it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from gangplan.cluster.flight import Flight
from gangplan.cluster.world import Object, World, name_of
from gangplan.datasets.kubernetes.objects.selectors import label_selector, selects
from gangplan.datasets.kubernetes.records import LabelSelector
from gangplan.datasets.kubernetes.text.fields import Faults, Fields

_FREE = frozenset({"Succeeded", "Failed", "Pending"})
_NAMED = 5


def budgets(world: World, flights: Sequence[Flight]) -> tuple[str, ...]:
    """Say which budgets would be overdrawn, are not known, or forbid their pods' eviction."""
    guards = [(budget, _selector(budget)) for budget in world.objects.get(_KIND, ())]
    victims: dict[str, list[str]] = defaultdict(list)
    said = []
    for name in (falling.pod for flight in flights for falling in flight.fallings):
        pod = world.find("Pod", name)
        if pod is None or _ignored(pod):
            continue
        mine = [budget for budget, selector in guards if _guards(budget, selector, pod)]
        if len(mine) > 1:
            names = ", ".join(sorted(map(name_of, mine)))
            said.append(
                f"Pod {name}: several PodDisruptionBudgets select it ({names}), and the Eviction"
                " API evicts no such pod"
            )
        elif mine and not _unready_free(mine[0], pod):
            victims[name_of(mine[0])].append(name)
    for name in sorted(victims):
        budget = world.find(_KIND, name)
        assert budget is not None
        said += _overdrawn(budget, victims[name])
    return tuple(said)


_KIND = "PodDisruptionBudget"


def _overdrawn(budget: Object, victims: Sequence[str]) -> list[str]:
    name, status = name_of(budget), budget.get("status") or {}
    observed, is_at = status.get("observedGeneration") or 0, budget["metadata"].get("generation")
    if observed < (is_at or 0):
        return [
            f"{_KIND} {name}: what it allows is not known: generation {observed} was looked at,"
            f" it is at {is_at}"
        ]
    allowed = int(status.get("disruptionsAllowed") or 0)
    if len(victims) <= allowed:
        return []
    told = ", ".join(victims[:_NAMED]) + (", ..." if len(victims) > _NAMED else "")
    return [
        f"{_KIND} {name}: it allows {allowed} disruption{'s' * (allowed != 1)}, and"
        f" {len(victims)} of its pods would be evicted: {told}"
    ]


def _selector(budget: Object) -> LabelSelector | None:
    """Read its selector; None selects nobody, as does one that cannot be read (as in the API)."""
    found = budget["spec"].get("selector")
    if found is None:
        return None
    faults = Faults()
    selector = label_selector(Fields(found, "cluster", faults))
    return None if len(faults) else selector


def _guards(budget: Object, selector: LabelSelector | None, pod: Object) -> bool:
    return (
        selector is not None
        and budget["metadata"]["namespace"] == pod["metadata"]["namespace"]
        and selects(selector, pod["metadata"].get("labels") or {})
    )


def _ignored(pod: Mapping[str, Any]) -> bool:
    """Whether the Eviction API deletes the pod without a look at budgets (canIgnorePDB)."""
    phase = (pod.get("status") or {}).get("phase")
    return phase in _FREE or bool(pod["metadata"].get("deletionTimestamp"))


def _unready_free(budget: Object, pod: Mapping[str, Any]) -> bool:
    """Whether a pod that is not ready costs no disruption (KEP-3017)."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    if any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions):
        return False
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status") or {}
    desired = int(status.get("desiredHealthy") or 0)
    return desired > 0 and int(status.get("currentHealthy") or 0) >= desired
