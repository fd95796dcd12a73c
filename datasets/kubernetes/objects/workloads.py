"""Workload of scheduling.k8s.io: read and checked; its templates make no group by themselves."""

from collections.abc import Iterable
from dataclasses import dataclass

from gangplan.datasets.kubernetes.objects import groupspec
from gangplan.datasets.kubernetes.records import DEEPEST, CompositeRecord, GroupRecord
from gangplan.datasets.kubernetes.text.fields import Fields

_MOST = 8
_TEMPLATE = groupspec.SHARED | {"name", "resourceClaims"}
_COMPOSITE = groupspec.SHARED | {
    "name",
    "preemptionPolicy",
    "podGroupTemplates",
    "compositePodGroupTemplates",
}


@dataclass(frozen=True, slots=True)
class WorkloadRecord:
    """A Workload.

    Attributes
    ----------
    job : name of the batch Job that spec.controllerRef names; empty without one.
    """

    namespace: str
    name: str
    job: str
    source: str


def workload(fields: Fields, version: str) -> WorkloadRecord:
    """Read a Workload; what is wrong goes to the faults of ``fields``."""
    who = groupspec.identity(fields)
    spec = groupspec.spec(fields)
    old = version == "v1alpha2"
    known = frozenset({"controllerRef", "podGroupTemplates"})
    groupspec.only(spec, version, known if old else known | {"compositePodGroupTemplates"})
    if old:
        _templates(spec, "podGroupTemplates", version, required=True)
    elif spec.one_of("podGroupTemplates", "compositePodGroupTemplates"):
        _templates(spec, "podGroupTemplates", version)
        _composites(spec, version, DEEPEST)
    controller = spec.section("controllerRef")
    controller.only(frozenset({"apiGroup", "kind", "name"}))
    is_job = controller.text("apiGroup") == "batch" and controller.text("kind") == "Job"
    job = controller.text("name") if is_job else ""
    return WorkloadRecord(who.namespace, who.name, job, fields.source)


def unused(
    workloads: Iterable[WorkloadRecord],
    groups: Iterable[GroupRecord],
    composites: Iterable[CompositeRecord],
) -> list[str]:
    """Give a note for each Workload that no PodGroup or CompositePodGroup was made from."""
    made: set[tuple[str, str]] = {(one.namespace, one.workload) for one in groups}
    made |= {(one.namespace, one.workload) for one in composites}
    return [
        f"Workload {one.namespace}/{one.name} has no PodGroup made from it: nothing is planned"
        for one in workloads
        if (one.namespace, one.name) not in made
    ]


def _templates(spec: Fields, key: str, version: str, *, required: bool = False) -> None:
    for template in _named(spec, key, required):
        known = _TEMPLATE if version == "v1alpha2" else _TEMPLATE | {"preemptionPolicy"}
        groupspec.only(template, version, known)
        groupspec.policy(template, "minCount")
        _rest(template, version)
        groupspec.claims(template, Fields({}, template.source, template.faults))


def _composites(spec: Fields, version: str, levels: int) -> None:
    for template in _named(spec, "compositePodGroupTemplates", False):
        if levels < 2:
            template.fault("", f"the templates are more than {DEEPEST} levels deep")
            return
        template.only(_COMPOSITE)
        groupspec.policy(template, "minGroupCount")
        _rest(template, version)
        if not template.obj.get("podGroupTemplates") and not template.obj.get(
            "compositePodGroupTemplates"
        ):
            template.fault("podGroupTemplates", "missing, and compositePodGroupTemplates too")
        _templates(template, "podGroupTemplates", version)
        _composites(template, version, levels - 1)


def _rest(template: Fields, version: str) -> None:
    groupspec.topology(template)
    groupspec.disruption(template, version)
    groupspec.priority(template)
    groupspec.preemption_policy(template)


def _named(spec: Fields, key: str, required: bool) -> list[Fields]:
    templates = spec.items(key, required=required)
    if len(templates) > _MOST:
        spec.fault(key, f"at most {_MOST} expected, got {len(templates)}")
    names = [template.text("name", required=True) for template in templates]
    if len(set(names)) < len(names):
        spec.fault(key, "two templates have the same name")
    return templates
