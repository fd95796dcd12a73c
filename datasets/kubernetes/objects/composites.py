"""CompositePodGroup of scheduling.k8s.io/v1alpha3 -> CompositeRecord (KEP-6012)."""

from gangplan.datasets.kubernetes.objects import groupspec
from gangplan.datasets.kubernetes.objects.annotations import wishes
from gangplan.datasets.kubernetes.records import CompositeRecord
from gangplan.datasets.kubernetes.text.fields import Fields

_KNOWN = groupspec.SHARED | {"workloadRef", "parentCompositePodGroupName", "preemptionPolicy"}


def composite(fields: Fields, version: str) -> CompositeRecord:
    """Read a CompositePodGroup; what is wrong goes to the faults of ``fields``."""
    if version != "v1alpha3":
        fields.fault("apiVersion", f"CompositePodGroup is of {groupspec.GROUP}/v1alpha3 only")
    who = groupspec.identity(fields)
    wish = wishes(who.annotations, "CompositePodGroup", fields.fault)
    spec = groupspec.spec(fields)
    spec.only(_KNOWN)
    gang, minimum = groupspec.policy(spec, "minGroupCount")
    number, name = groupspec.priority(spec)
    return CompositeRecord(
        namespace=who.namespace,
        name=who.name,
        minimum=minimum if gang else 1,
        parent=spec.text("parentCompositePodGroupName"),
        rules=tuple(dict.fromkeys((*groupspec.topology(spec), *wish.rules))),
        disruption=groupspec.disruption(spec, "v1alpha3"),
        priority=number,
        priority_class=name,
        unsupported=wish.unsupported,
        created=who.created,
        source=fields.source,
        workload=groupspec.workload_ref(spec, required=True),
        preemption_policy=groupspec.preemption_policy(spec),
        uid=who.uid,
    )
