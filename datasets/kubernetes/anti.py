"""Required anti-affinity of pods on nodes forbids newcomers: groups that it matches are held.

Anti-affinity is symmetric (kube-scheduler's InterPodAffinity filter). The domains that the term
leaves open are not modelled yet, so a match holds the whole group.
"""

from collections.abc import Hashable

from gangplan.datasets.kubernetes.matching import selects
from gangplan.datasets.kubernetes.membership import Membership, full_name
from gangplan.datasets.kubernetes.order import natural
from gangplan.datasets.kubernetes.records import AntiTerm, PodRecord

PATH = "spec.affinity.podAntiAffinity"


def mark(members: Membership) -> None:
    """Add to the unsupported rules of each unit that a pod on a node forbids."""
    terms = _terms(members)
    if not terms:
        return
    read = sorted({one.key for _, term in terms for one in term.selector.requirements})
    known: dict[Hashable, str] = {}
    for unit in members.units:
        blockers: set[str] = set()
        for pod in unit.pending:
            key = (pod.namespace, *(pod.labels.get(name) for name in read))
            if key not in known:
                known[key] = _blocker(pod, terms)
            blockers.add(known[key])
        blockers.discard("")
        if blockers:
            first = min(blockers, key=natural)
            unit.unsupported.append(f"{PATH} of running pod {first}")


def _terms(members: Membership) -> dict[tuple[str, AntiTerm], str]:
    """Distinct (namespace, term) pairs and the first pod, by name, that has each."""
    terms: dict[tuple[str, AntiTerm], str] = {}
    for pod in members.holding:
        for term in pod.anti:
            name = full_name(pod)
            first = terms.setdefault((pod.namespace, term), name)
            if first != name and natural(name) < natural(first):
                terms[pod.namespace, term] = name
    return terms


def _blocker(pod: PodRecord, terms: dict[tuple[str, AntiTerm], str]) -> str:
    found = [
        name
        for (namespace, term), name in terms.items()
        if (term.any_namespace or pod.namespace in (term.namespaces or (namespace,)))
        and selects(term.selector, pod.labels)
    ]
    return min(found, key=natural, default="")
