"""What is kept of a Pod: all that may be a rule while it waits, what it holds once it is bound."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from gangplan.cluster.trimmed.pooled import pooled
from gangplan.datasets.kubernetes.objects.unsupported import PLACED_VOLUMES
from gangplan.datasets.kubernetes.text import schema

Object = dict[str, Any]

_IDLE = frozenset(
    [
        "activeDeadlineSeconds",
        "automountServiceAccountToken",
        "dnsConfig",
        "dnsPolicy",
        "enableServiceLinks",
        "hostAliases",
        "hostIPC",
        "hostPID",
        "hostname",
        "hostnameOverride",
        "imagePullSecrets",
        "readinessGates",
        "restartPolicy",
        "securityContext",
        "serviceAccount",
        "serviceAccountName",
        "setHostnameAsFQDN",
        "shareProcessNamespace",
        "subdomain",
    ]
)
"""Fields of a waiting pod's spec that keep it off no node; others stay, known or not."""

_HELD = (
    "nodeName",
    "schedulerName",
    "priority",
    "priorityClassName",
    "preemptionPolicy",
    "schedulingGroup",
    "resourceClaims",
    "resources",
    "overhead",
    "terminationGracePeriodSeconds",
)
"""Fields of a bound pod's spec that say what it holds, and to whom it belongs."""

_CONTAINER_IDLE = schema.EPHEMERAL - {
    "name",
    "ports",
    "resources",
    "restartPolicy",
    "restartPolicyRules",
}
_CONTAINER_HELD = ("name", "resources", "restartPolicy")
_FREE_VOLUMES = schema.VOLUME - PLACED_VOLUMES
_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")

_STATUS = (
    "phase",
    "reason",
    "startTime",
    "nominatedNodeName",
    "observedGeneration",
    "resourceClaimStatuses",
    "extendedResourceClaimStatus",
    "nodeAllocatableResourceClaimStatuses",
    "allocatedResources",
    "resources",
)
_CONDITIONS = frozenset({"Ready", "PodResizePending", "DisruptionTarget"})
_CONDITION = ("type", "status", "reason")
_FINISHED = ("Succeeded", "Failed")


def trim_pod(obj: Object) -> Object:
    """Give a pod without what nobody reads; its metadata is not looked at.

    What is not of the type that it should have stays as it is: the reader says so.
    """
    kept = dict(obj)
    spec, status = obj.get("spec"), obj.get("status")
    if not isinstance(spec, dict):
        return kept
    bound = bool(spec.get("nodeName"))
    kept["spec"] = _held(spec) if bound else _waiting(spec)
    if isinstance(status, dict):
        kept["status"] = _status(status, spec, bound)
    return kept


def _waiting(spec: Object) -> Object:
    kept = {sys.intern(key): value for key, value in spec.items() if key not in _IDLE}
    for key in _CONTAINERS:
        if key in kept:
            kept[key] = _each(kept[key], _waiting_container)
    if isinstance(kept.get("volumes"), list):
        kept["volumes"] = _volumes(kept["volumes"])
        if not kept["volumes"]:
            del kept["volumes"]
    if isinstance(kept.get("affinity"), dict):
        kept["affinity"] = pooled(
            {key: _required(value) for key, value in kept["affinity"].items()}
        )
    for key in ("nodeSelector", "tolerations", "topologySpreadConstraints", "resourceClaims"):
        if key in kept:
            kept[key] = pooled(kept[key])
    return kept


def _held(spec: Object) -> Object:
    kept = {key: pooled(spec[key]) for key in _HELD if spec.get(key) is not None}
    for key in ("containers", "initContainers"):
        if key in spec:
            kept[key] = _each(spec[key], _held_container)
    affinity = spec.get("affinity")
    apart = affinity.get("podAntiAffinity") if isinstance(affinity, dict) else None
    if isinstance(apart, dict) and apart.get(schema.REQUIRED):
        kept["affinity"] = pooled({"podAntiAffinity": _required(apart)})
    elif affinity is not None and not isinstance(affinity, dict):
        kept["affinity"] = affinity
    return kept


def _each(entries: Any, change: Any) -> Any:
    if not isinstance(entries, list):
        return entries
    return pooled([change(entry) if isinstance(entry, dict) else entry for entry in entries])


def _waiting_container(container: Object) -> Object:
    return {key: value for key, value in container.items() if key not in _CONTAINER_IDLE}


def _held_container(container: Object) -> Object:
    return {key: container[key] for key in _CONTAINER_HELD if key in container}


def _required(rules: Any) -> Any:
    """Leave out what only scores."""
    if not isinstance(rules, dict):
        return rules
    return {key: value for key, value in rules.items() if key != schema.PREFERRED}


def _volumes(volumes: list[Any]) -> list[Any]:
    """Keep volumes that tie a pod to a node, or may: of those that are known, which kind it is."""
    kept: list[Any] = []
    for volume in volumes:
        if not isinstance(volume, dict):
            kept.append(volume)
        elif not volume.keys() <= _FREE_VOLUMES:
            kept.append(
                {
                    key: {} if key in PLACED_VOLUMES and value is not None else value
                    for key, value in volume.items()
                    if key not in _FREE_VOLUMES or key == "name"
                }
            )
    return kept


def _status(status: Object, spec: Object, bound: bool) -> Object:
    kept = {key: status[key] for key in _STATUS if status.get(key) is not None}
    if kept.get("phase") in _FINISHED and "message" in status:  # a kubelet's reason to reject it
        kept["message"] = status["message"]
    conditions = status.get("conditions")
    if isinstance(conditions, list):
        kept["conditions"] = pooled(_of_bound(conditions)) if bound else conditions
    elif conditions is not None:
        kept["conditions"] = conditions
    if bound:
        for key, containers in (
            ("containerStatuses", "containers"),
            ("initContainerStatuses", "initContainers"),
        ):
            resized = _resized(status.get(key), spec.get(containers))
            if resized:
                kept[key] = resized
    return kept


def _of_bound(conditions: Iterable[Any]) -> list[Object]:
    return [
        {key: entry[key] for key in _CONDITION if key in entry}
        for entry in conditions
        if isinstance(entry, dict) and entry.get("type") in _CONDITIONS
    ]


def _resized(statuses: Any, containers: Any) -> Any:
    """Keep what the kubelet has allocated where it is not what the spec asks for (KEP-1287)."""
    if not isinstance(statuses, list) or not isinstance(containers, list):
        return statuses
    asked = {
        entry.get("name"): entry.get("resources") or {}
        for entry in containers
        if isinstance(entry, dict)
    }
    return [
        {key: entry[key] for key in ("name", "allocatedResources", "resources") if key in entry}
        if isinstance(entry, dict)
        else entry
        for entry in statuses
        if not (isinstance(entry, dict) and _as_asked(entry, asked.get(entry.get("name"))))
    ]


def _as_asked(status: Mapping[str, Any], asked: Any) -> bool:
    if not isinstance(asked, dict):  # no such container: nobody reads its status
        return asked is None
    requests = asked.get("requests") or {}
    allocated, resources = status.get("allocatedResources"), status.get("resources")
    return (allocated is None or allocated == requests) and (
        resources is None or resources == asked
    )
