"""Does a requirement, a toleration or a label selector match? (core/v1, component-helpers)."""

import re
from collections.abc import Iterable, Mapping

from gangplan.datasets.kubernetes.records import LabelSelector, Requirement, Taint, Toleration

_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")


def satisfies(requirement: Requirement, value: str | None) -> bool:
    """Whether a label value (None: the label is absent) meets a requirement.

    NotIn and DoesNotExist hold where the label is absent; Gt and Lt compare integers and fail
    where either side is none.
    """
    match requirement.operator:
        case "In":
            return value is not None and value in requirement.values
        case "NotIn":
            return value is None or value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            have, than = _integer(value), _integer(*requirement.values[:1])
            if have is None or than is None:
                return False
            return have > than if requirement.operator == "Gt" else have < than
    raise ValueError(f"unknown operator {requirement.operator}")


def selects(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether a label selector matches; without requirements it matches all."""
    return all(satisfies(one, labels.get(one.key)) for one in selector.requirements)


def tolerated(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    """Whether any toleration tolerates the taint."""
    return any(_tolerates(toleration, taint) for toleration in tolerations)


def _tolerates(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect not in ("", taint.effect):
        return False
    if toleration.key not in ("", taint.key):
        return False
    if toleration.operator == "Exists":
        return True
    return (
        bool(toleration.key)
        and toleration.operator in ("", "Equal")
        and (toleration.value == taint.value)
    )


def _integer(text: str | None = None) -> int | None:
    return int(text) if text is not None and _INTEGER.fullmatch(text) else None
