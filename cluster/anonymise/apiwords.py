"""Fields and kinds of the API that say nothing about whose cluster it is."""

WORDS = frozenset(
    [
        "action",
        "allocationMode",
        "allocationTimestamp",
        "apiGroup",
        "apiVersion",
        "creationTimestamp",
        "deletionTimestamp",
        "disruptionMode",
        "distinctAttribute",
        "driver",
        "effect",
        "expression",
        "kind",
        "matchAttribute",
        "maxUnavailable",
        "minAvailable",
        "nodeAffinityPolicy",
        "nodeTaintsPolicy",
        "operator",
        "partitionTypeAttribute",
        "phase",
        "preemptionPolicy",
        "protocol",
        "resource",
        "restartPolicy",
        "startTime",
        "status",
        "timeAdded",
        "type",
        "unhealthyPodEvictionPolicy",
        "whenUnsatisfiable",
    ]
)
"""Fields whose texts are words of the API, times, or what a rule is made of."""

DROPPED = frozenset(
    [
        "annotations",
        "config",
        "data",
        "finalizers",
        "generation",
        "lastHeartbeatTime",
        "lastProbeTime",
        "lastTransitionTime",
        "managedFields",
        "message",
        "networkData",
        "observedGeneration",
        "reason",
        "resourceVersion",
        "selfLink",
    ]
)
"""Fields without influence on a plan; annotations are chosen one by one."""

OWNERS = frozenset(
    [
        "CronJob",
        "DaemonSet",
        "Deployment",
        "Job",
        "Node",
        "Pod",
        "PodGroup",
        "ReplicaSet",
        "StatefulSet",
        "Workload",
    ]
)
"""Kinds of owners that every cluster has."""
