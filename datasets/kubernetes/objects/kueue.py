"""Kueue: topology annotations of a pod set, and the Topology object that declares levels.

Kueue API v1beta2 (``kueue.x-k8s.io``), "Topology Aware Scheduling".
"""

from gangplan.datasets.kubernetes.objects.annotationtext import FaultAt, keys, path, slices
from gangplan.datasets.kubernetes.records import TopologyRule
from gangplan.datasets.kubernetes.text.fields import Fields

PREFIX = "kueue.x-k8s.io/"
REQUIRED = PREFIX + "podset-required-topology"
PREFERRED = PREFIX + "podset-preferred-topology"
SLICE_SIZE = PREFIX + "podset-slice-size"
SLICE_REQUIRED = PREFIX + "podset-slice-required-topology"

# Hard rules of Kueue that are not honoured: slices at several levels, pod sets that share a domain.
_UNSUPPORTED = frozenset(
    {PREFIX + "podset-slice-required-topology-constraints", PREFIX + "podset-group-name"}
)


def podset(
    annotations: dict[str, str], fault: FaultAt
) -> tuple[list[TopologyRule], tuple[str, ...]]:
    """Read the annotations of a pod template.

    Kueue walks up from the preferred level and spreads at last; here a preferred level costs 1 for
    each domain used beyond the first, which prefers the same answers.

    Returns
    -------
    rules, unsupported
        Topology rules, and the paths of hard rules that are not honoured, sorted.
    """
    if not any(key.startswith(PREFIX) for key in annotations):
        return [], ()
    rules = [TopologyRule(key, "required") for key in keys(annotations, REQUIRED, fault)]
    rules += [TopologyRule(key, "preferred") for key in keys(annotations, PREFERRED, fault)]
    hard = tuple(sorted(path(key) for key in annotations if key in _UNSUPPORTED))
    if not hard:  # its slice size belongs to the levels that are not honoured
        rules += slices(annotations, SLICE_SIZE, SLICE_REQUIRED, fault)
    return rules, hard


def levels(fields: Fields) -> tuple[str, ...]:
    """Read a Topology object: node-label keys, widest first."""
    section = fields.section("spec")
    found = [level.text("nodeLabel", required=True) for level in section.items("levels")]
    if not found:
        section.fault("levels", "missing")
    elif len(set(found)) < len(found):
        section.fault("levels", "the same label twice")
    return tuple(found)
