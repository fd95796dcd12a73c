"""Required anti-affinity of pods on nodes forbids newcomers: groups that it matches are held.

Anti-affinity is symmetric (kube-scheduler's InterPodAffinity filter). The domains that the term
leaves open are not modelled yet, so a match holds the whole group.
"""

from collections import defaultdict
from collections.abc import Hashable

from gangplan.datasets.kubernetes.membership import Membership, full_name
from gangplan.datasets.kubernetes.order import natural
from gangplan.datasets.kubernetes.records import AntiTerm, PodRecord
from gangplan.datasets.kubernetes.selectors import selects

PATH = "spec.affinity.podAntiAffinity"


Term = tuple[str, AntiTerm]
"""The namespace of the pod that has the term, and the term."""


def mark(members: Membership) -> None:
    """Add to the unsupported rules of each unit that a pod on a node forbids."""
    terms = _terms(members)
    if not terms:
        return
    index = _Index(terms)
    known: dict[Hashable, str] = {}
    for unit in members.units:
        blockers: set[str] = set()
        for pod in unit.pending:
            key = (pod.namespace, *(pod.labels.get(name) for name in index.read))
            if key not in known:
                known[key] = index.blocker(pod)
            blockers.add(known[key])
        blockers.discard("")
        if blockers:
            unit.unsupported.append(f"{PATH} of running pod {min(blockers, key=natural)}")


def _terms(members: Membership) -> dict[Term, str]:
    """Distinct terms, and the first pod by name that has each."""
    terms: dict[Term, str] = {}
    for pod in members.holding:
        for term in pod.anti:
            name = full_name(pod)
            first = terms.setdefault((pod.namespace, term), name)
            if first != name and natural(name) < natural(first):
                terms[pod.namespace, term] = name
    return terms


class _Index:
    """Terms by one label value they ask for, so that a pod is compared with few of many."""

    def __init__(self, terms: dict[Term, str]) -> None:
        self._terms = terms
        self._by_value: defaultdict[tuple[str, str], list[Term]] = defaultdict(list)
        self._others: list[Term] = []
        keys: set[str] = set()
        for term in terms:
            asked = term[1].selector.requirements
            keys.update(one.key for one in asked)
            first = next((one for one in asked if one.operator == "In"), None)
            if first is None:
                self._others.append(term)
            else:
                for value in first.values:
                    self._by_value[first.key, value].append(term)
        self.read = sorted(keys)

    def blocker(self, pod: PodRecord) -> str:
        """Give the first pod by name that forbids ``pod``; empty where there is none."""
        near = list(self._others)
        for label in pod.labels.items():
            near += self._by_value.get(label, ())
        found = [
            self._terms[namespace, term]
            for namespace, term in near
            if (term.any_namespace or pod.namespace in (term.namespaces or (namespace,)))
            and selects(term.selector, pod.labels)
        ]
        return min(found, key=natural, default="")
