"""Required anti-affinity of pods on nodes forbids newcomers: groups that it matches are held.

Anti-affinity is symmetric (kube-scheduler's InterPodAffinity filter). The domains that the term
leaves open are not modelled yet, so a match holds the pod and with it its group.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable

from gangplan.datasets.kubernetes.objects.selectors import selects
from gangplan.datasets.kubernetes.order import full_name
from gangplan.datasets.kubernetes.records import AntiTerm, PodRecord

PATH = "spec.affinity.podAntiAffinity"


Term = tuple[str, AntiTerm]
"""The namespace of the pod that has the term, and the term."""


class Forbidders:
    """The terms of pods on nodes, by one label value they ask for: each newcomer meets few.

    Parameters
    ----------
    holding : pods on nodes, not finished.
    """

    def __init__(self, holding: Iterable[PodRecord]) -> None:
        self._first = _terms(holding)
        self._by_value: defaultdict[tuple[str, str], list[Term]] = defaultdict(list)
        self._others: list[Term] = []
        self._known: dict[Hashable, str] = {}
        for term in self._first:
            asked = term[1].selector.requirements
            chosen = next((one for one in asked if one.operator == "In"), None)
            if chosen is None:
                self._others.append(term)
            else:
                for value in chosen.values:
                    self._by_value[chosen.key, value].append(term)
        asked_of = (one for _, term in self._first for one in term.selector.requirements)
        self._read = sorted({one.key for one in asked_of})

    def path(self, pod: PodRecord) -> str:
        """Name the rule of the first pod, by name, that forbids ``pod``; empty without one."""
        if not self._first:
            return ""
        key = (pod.namespace, *(pod.labels.get(name) for name in self._read))
        if key not in self._known:
            blocker = self._blocker(pod)
            self._known[key] = blocker and f"{PATH} of running pod {blocker}"
        return self._known[key]

    def _blocker(self, pod: PodRecord) -> str:
        near = list(self._others)
        for label in pod.labels.items():
            near += self._by_value.get(label, ())
        found = [
            self._first[namespace, term]
            for namespace, term in near
            if (term.any_namespace or pod.namespace in (term.namespaces or (namespace,)))
            and selects(term.selector, pod.labels)
        ]
        return min(found, default="")


def _terms(holding: Iterable[PodRecord]) -> dict[Term, str]:
    """Distinct terms, and the first pod, in the order of texts, that has each."""
    terms: dict[Term, str] = {}
    for pod in holding:
        for term in pod.anti:
            name = full_name(pod)
            key = (pod.namespace, term)
            if name < terms.setdefault(key, name):
                terms[key] = name
    return terms
