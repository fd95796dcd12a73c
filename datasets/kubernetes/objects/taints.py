"""Taints and tolerations (core/v1; operators Lt and Gt after KEP-5471, alpha)."""

from collections.abc import Sequence

from gangplan.datasets.kubernetes.objects.selectors import integer
from gangplan.datasets.kubernetes.records import Taint, Toleration
from gangplan.datasets.kubernetes.text.fields import Fields

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
OPERATORS = ("Equal", "Exists", "Lt", "Gt")

_TAINT = frozenset({"key", "value", "effect", "timeAdded"})
_TOLERATION = frozenset({"key", "operator", "value", "effect", "tolerationSeconds"})


def taints(fields: Fields) -> tuple[Taint, ...]:
    """Read ``spec.taints`` of a node; PreferNoSchedule never forbids and is left out."""
    found = []
    for entry in fields.items("taints"):
        entry.only(_TAINT)
        key = entry.text("key", required=True)
        value = entry.text("value")
        effect = entry.text("effect", required=True, choices=EFFECTS)
        if key and effect in ("NoSchedule", "NoExecute"):
            found.append(Taint(key, value, effect))
    return tuple(found)


def tolerations(fields: Fields) -> tuple[Toleration, ...]:
    """Read ``spec.tolerations`` of a pod; those of PreferNoSchedule alone are left out."""
    found = []
    for entry in fields.items("tolerations"):
        one = toleration(entry, _TOLERATION, OPERATORS, EFFECTS)
        if one.operator in ("Lt", "Gt") and integer(one.value) is None:
            entry.fault("value", f"{one.operator} needs an integer, as text")
        if one.effect != "PreferNoSchedule":
            found.append(one)
    return tuple(found)


def toleration(
    entry: Fields, known: frozenset[str], operators: tuple[str, ...], effects: tuple[str, ...]
) -> Toleration:
    """Read what a pod's toleration of a node and a request's of a device have in common."""
    entry.only(known)
    key, value = entry.text("key"), entry.text("value")
    operator = entry.text("operator", choices=operators) or "Equal"
    effect = entry.text("effect", choices=effects)
    entry.integer("tolerationSeconds", None)
    if not key and operator != "Exists":
        entry.fault("operator", "must be Exists where the key is empty")
    if operator == "Exists" and value:
        entry.fault("value", "must be empty where the operator is Exists")
    return Toleration(key, operator, value, effect)


def tolerated(taint: Taint, tolerations: Sequence[Toleration]) -> bool:
    """Whether some toleration covers a taint."""
    return any(_covers(toleration, taint) for toleration in tolerations)


def tolerates(tolerations: Sequence[Toleration], taints: Sequence[Taint]) -> bool:
    """Whether every taint is covered by some toleration."""
    return all(tolerated(taint, tolerations) for taint in taints)


def _covers(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "Exists":
            return True
        case "Equal":
            return toleration.value == taint.value
    there, bound = integer(taint.value), integer(toleration.value)
    if there is None or bound is None:
        return False
    return there > bound if toleration.operator == "Gt" else there < bound
