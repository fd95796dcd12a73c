"""Which nodes a pod's spec allows, and which newcomers it forbids beside it."""

import marshal

from gangplan.datasets.kubernetes.objects.selectors import label_selector, node_terms
from gangplan.datasets.kubernetes.objects.taints import tolerations
from gangplan.datasets.kubernetes.records import AntiTerm, Eligibility, LabelSelector, Requirement
from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.fields import Fields

_OS = "kubernetes.io/os"
_OTHER = {"linux": "windows", "windows": "linux"}
_SHARED = 4096
_LONGEST = 1 << 14  # bytes of a key; longer ones are not shared, so that few are held
_NO_REFERENCES = 2  # version of marshal's form in which equal values are equal bytes
_shared: dict[bytes, Eligibility] = {}


def eligibility(spec: Fields) -> Eligibility:
    """Read everything in a PodSpec that decides which nodes it may use.

    Pods of one template share one object: whole clusters have a few dozen.
    """
    key = _key(spec)
    found = _shared.get(key)
    if found is not None:
        return found
    before = len(spec.faults)
    selector = tuple(sorted(spec.labels("nodeSelector").items()))
    found = Eligibility(selector, _with_os(spec, _terms(spec)), tolerations(spec))
    if key and len(spec.faults) == before:  # a faulty one is read again: each pod is to be named
        if len(_shared) >= _SHARED:
            _shared.clear()
        _shared[key] = found
    return found


def _key(spec: Fields) -> bytes:
    obj = spec.obj
    pieces = (obj.get("nodeSelector"), obj.get("affinity"), obj.get("tolerations"), obj.get("os"))
    try:
        key = marshal.dumps(pieces, _NO_REFERENCES)
    except ValueError:  # nested too deep, or what only YAML has
        return b""
    return key if len(key) <= _LONGEST else b""


def _terms(spec: Fields) -> tuple[tuple[Requirement, ...], ...] | None:
    affinity = spec.mapping("affinity")
    if affinity is None:
        return None
    affinity.only(schema.AFFINITY)
    rules = affinity.mapping("nodeAffinity")
    if rules is None:
        return None
    rules.only(schema.RULES)
    required = rules.mapping(schema.REQUIRED)
    return None if required is None else node_terms(required)


def _with_os(
    spec: Fields, terms: tuple[tuple[Requirement, ...], ...] | None
) -> tuple[tuple[Requirement, ...], ...] | None:
    """Keep a pod off nodes of another system: their kubelets would reject it."""
    system = spec.section("os").text("name", choices=tuple(_OTHER))
    if not system:
        return terms
    extra = Requirement(_OS, "NotIn", (_OTHER[system],))
    if terms is None:
        return ((extra,),)
    return tuple((*term, extra) if term else term for term in terms)


def anti_terms(spec: Fields, labels: dict[str, str]) -> tuple[AntiTerm, ...]:
    """Read the required anti-affinity of a pod with these labels.

    ``matchLabelKeys`` and ``mismatchLabelKeys`` are folded into the selector, as the API server
    does when a pod is made.
    """
    if spec.obj.get("affinity") is None:
        return ()
    rules = spec.section("affinity").mapping("podAntiAffinity")
    if rules is None:
        return ()
    return tuple(
        found for term in rules.items(schema.REQUIRED) for found in _anti_term(term, labels)
    )


def _anti_term(term: Fields, labels: dict[str, str]) -> list[AntiTerm]:
    term.only(schema.POD_TERM)
    term.text("topologyKey", required=True)
    selector = term.mapping("labelSelector")
    if selector is None:  # no selector selects no pod, unlike an empty one
        return []
    extra = [
        Requirement(key, operator, (labels[key],))
        for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn"))
        for key in term.texts(field)
        if key in labels
    ]
    whole = LabelSelector((*label_selector(selector).requirements, *extra))
    namespaces = tuple(sorted(set(term.texts("namespaces"))))
    beyond = term.mapping("namespaceSelector")
    if beyond is not None:
        label_selector(beyond)
    return [AntiTerm(whole, namespaces, beyond is not None)]
