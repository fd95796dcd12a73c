"""Label selectors and node selectors: read, check, match (core/v1, meta/v1)."""

import re
from collections.abc import Mapping

from gangplan.datasets.kubernetes.records import LabelSelector, Requirement
from gangplan.datasets.kubernetes.text.fields import Fields

NODE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")

_REQUIREMENT = frozenset({"key", "operator", "values"})
_TERM = frozenset({"matchExpressions", "matchFields"})
_NODE_SELECTOR = frozenset({"nodeSelectorTerms"})
_LABEL_SELECTOR = frozenset({"matchLabels", "matchExpressions"})
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}", re.ASCII)


def integer(text: str) -> int | None:
    """Read a label value as Go's ``ParseInt`` would (64 bits, base ten); None if it is none."""
    if not _INTEGER.fullmatch(text):
        return None
    value = int(text)
    return value if -(2**63) <= value < 2**63 else None


def satisfies(requirement: Requirement, value: str | None) -> bool:
    """Whether a label's value (None where there is no such label) meets a requirement."""
    match requirement.operator:
        case "In":
            return value is not None and value in requirement.values
        case "NotIn":
            return value is None or value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    there = None if value is None else integer(value)
    bound = integer(requirement.values[0])
    if there is None or bound is None:
        return False
    return there > bound if requirement.operator == "Gt" else there < bound


def matches(requirement: Requirement, labels: Mapping[str, str], name: str = "") -> bool:
    """Whether an object with these labels and this name meets a requirement."""
    return satisfies(requirement, name if requirement.field else labels.get(requirement.key))


def selects(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether a label selector selects; an empty one selects everything."""
    return all(matches(requirement, labels) for requirement in selector.requirements)


def label_selector(fields: Fields) -> LabelSelector:
    """Read a metav1.LabelSelector."""
    fields.only(_LABEL_SELECTOR)
    pairs = sorted(fields.labels("matchLabels").items())
    found = [Requirement(key, "In", (value,)) for key, value in pairs]
    for entry in fields.items("matchExpressions"):
        found += _requirement(entry, LABEL_OPERATORS)
    return LabelSelector(tuple(found))


def node_terms(fields: Fields) -> tuple[tuple[Requirement, ...], ...]:
    """Read a core/v1 NodeSelector: an OR of terms that are ANDs."""
    fields.only(_NODE_SELECTOR)
    terms = []
    for term in fields.items("nodeSelectorTerms", required=True):
        term.only(_TERM)
        found: list[Requirement] = []
        for entry in term.items("matchExpressions"):
            found += _requirement(entry, NODE_OPERATORS)
        for entry in term.items("matchFields"):
            found += _field_requirement(entry)
        terms.append(tuple(found))
    return tuple(terms)


def _requirement(fields: Fields, operators: tuple[str, ...]) -> list[Requirement]:
    before = len(fields.faults)
    fields.only(_REQUIREMENT)
    key = fields.text("key", required=True)
    operator = fields.text("operator", required=True, choices=operators)
    values = fields.texts("values")
    if operator in ("In", "NotIn") and not values:
        fields.fault("values", f"{operator} needs at least one value")
    elif operator in ("Exists", "DoesNotExist") and values:
        fields.fault("values", f"{operator} takes no values")
    elif operator in ("Gt", "Lt") and (len(values) != 1 or integer(values[0]) is None):
        fields.fault("values", f"{operator} needs exactly one integer, as text")
    if len(fields.faults) > before:
        return []
    return [Requirement(key, operator, values)]


def _field_requirement(fields: Fields) -> list[Requirement]:
    before = len(fields.faults)
    fields.only(_REQUIREMENT)
    fields.text("key", required=True, choices=("metadata.name",))
    operator = fields.text("operator", required=True, choices=("In", "NotIn"))
    values = fields.texts("values")
    if len(values) != 1:
        fields.fault("values", "a field takes exactly one value")
    if len(fields.faults) > before:
        return []
    return [Requirement("metadata.name", operator, values, field=True)]
