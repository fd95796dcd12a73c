"""PodDisruptionBudgets over running pods (policy/v1).

What a budget allows is its status.disruptionsAllowed. Without one it is worked out as the
disruption controller does, from the running pods of the snapshot: percentages are of these, since
the scale of their controllers is not read. Pods in status.disruptedPods are counted already and do
not count again. A pod that is not ready counts like any other, but for AlwaysAllow.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence

from gangplan.datasets.kubernetes.assemble.holds import counted, named
from gangplan.datasets.kubernetes.objects.selectors import selects
from gangplan.datasets.kubernetes.order import full_name, natural
from gangplan.datasets.kubernetes.records import BudgetRecord, LabelSelector, PodRecord, Share
from gangplan.datasets.running import Budget


def budgets_of(
    records: Sequence[BudgetRecord],
    running: Sequence[PodRecord],
    falling: Collection[str],
    notes: list[str],
) -> list[Budget]:
    """Write the budgets that protect a pod of a unit, by name.

    Parameters
    ----------
    running : all running pods, those that nobody evicts included: they are healthy, too.
    falling : full names of the pods of units.
    notes : told of budgets that select nothing, of those without a status, and of pods under
        several: their budgets all count, but the Eviction API evicts no such pod.
    """
    labelled = _Labelled(running) if records else None
    found = []
    guarded: dict[str, PodRecord] = {}
    several: dict[str, PodRecord] = {}
    for record in sorted(records, key=lambda one: (natural(one.namespace), natural(one.name))):
        assert labelled is not None
        name = f"{record.namespace}/{record.name}"
        mine = labelled.selected(record.namespace, record.selector)
        if not mine:
            notes.append(f"PodDisruptionBudget {name} selects no running pod")
            continue
        allowed = _allowed(record, mine, notes) if record.allowed is None else record.allowed
        victims = tuple(
            full_name(pod)
            for pod in mine
            if full_name(pod) in falling
            and pod.name not in record.disrupted
            and not (record.unready_free and not pod.ready)
        )
        if victims:
            found.append(Budget(name, allowed, victims))
        of_units = {name: pod for pod in mine if (name := full_name(pod)) in falling}
        several |= {name: of_units[name] for name in guarded.keys() & of_units.keys()}
        guarded |= of_units
    if several:
        notes.append(
            f"{counted(len(several), 'pod')} under several PodDisruptionBudgets, which the Eviction"
            f" API never evicts: {named(list(several.values()))}"
        )
    return found


def _allowed(record: BudgetRecord, pods: Sequence[PodRecord], notes: list[str]) -> int:
    """Work out what a budget without a status allows, and tell of it."""
    name = f"PodDisruptionBudget {record.namespace}/{record.name}"
    healthy = sum(pod.ready and pod.name not in record.disrupted for pod in pods)
    if record.least is not None:
        desired = _count(record.least, len(pods))
    elif record.most is not None:
        desired = max(len(pods) - _count(record.most, len(pods)), 0)
    else:
        notes.append(
            f"{name} has no status.disruptionsAllowed, minAvailable or maxUnavailable:"
            " it allows no eviction"
        )
        return 0
    allowed = max(healthy - desired, 0)
    notes.append(
        f"{name} has no status.disruptionsAllowed: its spec allows {allowed} of the"
        f" {counted(len(pods), 'running pod')} that it selects"
    )
    return allowed


def _count(share: Share, total: int) -> int:
    """Count pods; parts of a pod are rounded up, as in Kubernetes, for both fields."""
    return -(-share.number * total // 100) if share.percent else share.number


class _Labelled:
    """Finds pods by label: what a selector asks for is compared with few of them."""

    def __init__(self, pods: Sequence[PodRecord]) -> None:
        self._all: defaultdict[str, list[PodRecord]] = defaultdict(list)
        self._with: defaultdict[tuple[str, str, str], list[PodRecord]] = defaultdict(list)
        for pod in pods:
            self._all[pod.namespace].append(pod)
            for key, value in pod.labels.items():
                self._with[pod.namespace, key, value].append(pod)

    def selected(self, namespace: str, selector: LabelSelector | None) -> list[PodRecord]:
        """Give the pods of a namespace that a selector selects; without one none."""
        if selector is None:
            return []
        among = self._all.get(namespace, [])
        for requirement in selector.requirements:
            if requirement.operator == "In" and len(requirement.values) == 1:
                labelled = self._with.get((namespace, requirement.key, requirement.values[0]), [])
                among = min(among, labelled, key=len)
        return [pod for pod in among if selects(selector, pod.labels)]
