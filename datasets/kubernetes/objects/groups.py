"""PodGroup of scheduling.k8s.io (v1alpha2, v1beta1, v1alpha3) -> GroupRecord."""

from gangplan.datasets.kubernetes.objects import groupspec
from gangplan.datasets.kubernetes.objects.annotations import wishes
from gangplan.datasets.kubernetes.records import GroupRecord
from gangplan.datasets.kubernetes.text.fields import Fields

_OLD = groupspec.SHARED | {"podGroupTemplateRef", "resourceClaims"}
_NEW = groupspec.SHARED | {
    "workloadRef",
    "parentCompositePodGroupName",
    "preemptionPolicy",
    "resourceClaims",
}


def group(fields: Fields, version: str) -> GroupRecord:
    """Read a PodGroup; what is wrong goes to the faults of ``fields``.

    Parameters
    ----------
    version : ``v1alpha2``, ``v1beta1`` or ``v1alpha3``.
    """
    who = groupspec.identity(fields)
    wish = wishes(who.annotations, "PodGroup", fields.fault)
    spec = groupspec.spec(fields)
    old = version == "v1alpha2"
    groupspec.only(spec, version, _OLD if old else _NEW)
    gang, minimum = groupspec.policy(spec, "minCount")
    number, name = groupspec.priority(spec)
    parent = "" if old else spec.text("parentCompositePodGroupName")
    workload = groupspec.template_ref(spec) if old else groupspec.workload_ref(spec)
    preemption = "" if old else groupspec.preemption_policy(spec)
    if parent and not workload and not spec.has("workloadRef"):
        spec.fault("workloadRef", "missing beside parentCompositePodGroupName")
    return GroupRecord(
        namespace=who.namespace,
        name=who.name,
        gang=gang,
        minimum=minimum,
        parent=parent,
        rules=tuple(dict.fromkeys((*groupspec.topology(spec), *wish.rules))),
        role_minimum=dict(wish.role_minimum),
        disruption=groupspec.disruption(spec, version),
        priority=number,
        priority_class=name,
        unsupported=wish.unsupported,
        created=who.created,
        api_version=f"{groupspec.GROUP}/{version}",
        source=fields.source,
        workload=workload,
        claims=groupspec.claims(spec, fields.section("status")),
        preemption_policy=preemption,
        uid=who.uid,
    )
