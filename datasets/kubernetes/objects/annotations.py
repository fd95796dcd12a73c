"""Wishes written as annotations: ours (``gangplan.io/...``) and Kueue's on pod templates.

============================================  ====================================================
``gangplan.io/required-topology``             node-label keys, comma separated: one domain of each
``gangplan.io/preferred-topology``            keys, comma separated: as few domains of each
``gangplan.io/slice-size``                    pods of a slice, an integer
``gangplan.io/slice-required-topology``       keys: each slice in one domain of each
``gangplan.io/role-minimum``                  ``leader=1,worker=2``: minima of roles (PodGroup only)
============================================  ====================================================

The pod label ``gangplan.io/role`` names a pod's role.
"""

from dataclasses import dataclass

from gangplan.datasets.kubernetes.objects import kueue
from gangplan.datasets.kubernetes.objects.annotationtext import FaultAt, count, keys, path, slices
from gangplan.datasets.kubernetes.records import TopologyRule

PREFIX = "gangplan.io/"
REQUIRED = PREFIX + "required-topology"
PREFERRED = PREFIX + "preferred-topology"
SLICE_SIZE = PREFIX + "slice-size"
SLICE_REQUIRED = PREFIX + "slice-required-topology"
ROLE_MINIMUM = PREFIX + "role-minimum"
ROLE_LABEL = PREFIX + "role"

_KNOWN = frozenset({REQUIRED, PREFERRED, SLICE_SIZE, SLICE_REQUIRED, ROLE_MINIMUM})
_PLACES = {
    "PodGroup": _KNOWN,
    "CompositePodGroup": frozenset({REQUIRED, PREFERRED}),
    "Pod": _KNOWN - {ROLE_MINIMUM},
}


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the annotations of one object ask for.

    Attributes
    ----------
    rules : topology rules, required before preferred before slices.
    role_minimum : (role name, minimum of its own) pairs.
    unsupported : paths of annotations that are hard rules and not honoured yet, sorted.
    """

    rules: tuple[TopologyRule, ...] = ()
    role_minimum: tuple[tuple[str, int], ...] = ()
    unsupported: tuple[str, ...] = ()


NOTHING = Wishes()


def wishes(annotations: dict[str, str], kind: str, fault: FaultAt) -> Wishes:
    """Read the annotations of a ``PodGroup``, ``CompositePodGroup`` or ``Pod``.

    Parameters
    ----------
    annotations : metadata.annotations; keys of others are passed over.
    fault : called with path and message for each annotation that cannot be read.
    """
    if not annotations:
        return NOTHING
    good = _PLACES[kind]
    for key in sorted(annotations):
        if key.startswith(PREFIX) and key not in good:
            known = f"unknown annotation; known: {', '.join(sorted(good))}"
            fault(path(key), f"has no meaning on a {kind}" if key in _KNOWN else known)
    ours = {key: text for key, text in annotations.items() if key in good}
    rules = [TopologyRule(key, "required") for key in keys(ours, REQUIRED, fault)]
    rules += [TopologyRule(key, "preferred") for key in keys(ours, PREFERRED, fault)]
    rules += slices(ours, SLICE_SIZE, SLICE_REQUIRED, fault)
    podset, unsupported = kueue.podset(annotations, fault)
    if kind == "CompositePodGroup" and any(rule.slice for rule in podset):
        fault(path(kueue.SLICE_SIZE), f"has no meaning on a {kind}")
        podset = [rule for rule in podset if not rule.slice]
    return Wishes(tuple(dict.fromkeys([*rules, *podset])), _role_minimum(ours, fault), unsupported)


def _role_minimum(annotations: dict[str, str], fault: FaultAt) -> tuple[tuple[str, int], ...]:
    text = annotations.get(ROLE_MINIMUM)
    if text is None:
        return ()
    minima: dict[str, int] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        least = count(number)
        if not (name and equals) or least is None or name in minima:
            fault(path(ROLE_MINIMUM), f"leader=1,worker=2 expected (each role once), got {text!r}")
            return ()
        minima[name] = least
    return tuple(minima.items())
