"""What is switched on in each version: the APIs of groups and trees, and their controllers."""

_GATES = {
    "1.37": "GenericWorkload TopologyAwareWorkloadScheduling DRAWorkloadResourceClaims"
    " CompositePodGroup WorkloadWithJob PodGroupPreemptionPolicy DRAListTypeAttributes",
    "1.36": "GenericWorkload GangScheduling TopologyAwareWorkloadScheduling"
    " WorkloadAwarePreemption DRAWorkloadResourceClaims WorkloadWithJob DRAListTypeAttributes",
}
_APIS = {
    "1.37": "scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true",
    "1.36": "scheduling.k8s.io/v1alpha2=true",
}

CONTROLLERS = ",".join(
    [
        "job-controller",
        "resourceclaim-controller",
        "podgroup-protection-controller",
        "garbage-collector-controller",
        "disruption-controller",
        "namespace-controller",
        "node-lifecycle-controller",
    ]
)


def gates(version: str) -> str:
    """Value of ``--feature-gates``; a gate that a version does not know would stop it."""
    return ",".join(f"{name}=true" for name in _GATES[version].split())


def apis(version: str) -> str:
    """Value of ``--runtime-config``."""
    return _APIS[version]
