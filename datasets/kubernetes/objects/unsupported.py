"""Hard rules of a PodSpec that are not honoured yet, by their dotted paths.

A waiting pod that has one keeps its group waiting, and the path says why. What only scores
(preferred affinity, ScheduleAnyway) is no hard rule. Everything that can forbid a node is listed
here or in `affinity`.
"""

from collections.abc import Iterator

from gangplan.datasets.kubernetes.text import schema
from gangplan.datasets.kubernetes.text.fields import Fields

PLACED_VOLUMES = frozenset(
    [
        "awsElasticBlockStore",
        "azureDisk",
        "cinder",
        "ephemeral",
        "fc",
        "flexVolume",
        "gcePersistentDisk",
        "iscsi",
        "persistentVolumeClaim",
        "photonPersistentDisk",
        "portworxVolume",
        "rbd",
        "scaleIO",
        "storageos",
        "vsphereVolume",
    ]
)
"""Volumes that tie a pod to some nodes: claims, and attachable ones (zones, limits, locks)."""

_PORTS = "ports[].hostPort"
_RESTART_ALL = "RestartAllContainers"
_RESTARTS = ("Always", "OnFailure", "Never")


def hard_rules(
    spec: Fields, containers: list[Fields], initial: list[Fields], *, admitted: bool
) -> tuple[str, ...]:
    """List the hard rules that are not honoured, sorted.

    Parameters
    ----------
    spec : a PodSpec.
    containers, initial : its ``containers`` and ``initContainers``.
    admitted : the pod has been through the API server, whose admission writes a RuntimeClass's
        node selector and overhead into it.
    """
    found = set(_containers(spec, containers, "spec.containers[]"))
    found.update(_containers(spec, initial, "spec.initContainers[]"))
    found.update(_affinity(spec))
    found.update(_spread(spec))
    found.update(_volumes(spec))
    if spec.obj.get("hostUsers") is False and spec.boolean("hostNetwork"):
        found.add("spec.hostUsers")  # only where the kubelet declares the feature (KEP-5607)
    if spec.text("runtimeClassName") and not admitted:
        found.add("spec.runtimeClassName")
    for container in spec.items("ephemeralContainers"):  # of a running pod; they ask for nothing
        container.only(schema.EPHEMERAL)
    return tuple(sorted(found))


def _containers(spec: Fields, containers: list[Fields], path: str) -> Iterator[str]:
    host_network = spec.boolean("hostNetwork")
    for container in containers:
        container.only(schema.CONTAINER)
        obj = container.obj
        if obj.get("restartPolicy") is not None:
            container.text("restartPolicy", choices=_RESTARTS)  # a misspelt one hides a sidecar
        if obj.get("ports") is not None:
            # An init container's ports are only held while it runs, unless it is a sidecar.
            held = path == "spec.containers[]" or obj.get("restartPolicy") == "Always"
            yield from _ports(container, f"{path}.{_PORTS}", held, host_network)
        if obj.get("restartPolicyRules") is not None:
            for rule in container.items("restartPolicyRules"):
                # Such pods only run where the kubelet declares the feature (KEP-5328).
                if rule.text("action") == _RESTART_ALL:
                    yield f"{path}.restartPolicyRules[].action"


def _ports(container: Fields, path: str, held: bool, host_network: bool) -> Iterator[str]:
    for port in container.items("ports"):
        port.only(schema.PORT)
        host = port.integer("hostPort", 0, minimum=0, maximum=65535)
        inside = port.integer("containerPort", 0, minimum=0, maximum=65535)
        if held and host:
            yield path
        elif held and host_network and inside:
            yield "spec.hostNetwork"


def _affinity(spec: Fields) -> Iterator[str]:
    affinity = spec.obj.get("affinity")
    if not isinstance(affinity, dict):
        return
    for key in ("podAffinity", "podAntiAffinity"):
        if affinity.get(key) is None:
            continue
        rules = spec.section("affinity").section(key)
        rules.only(schema.RULES)
        terms = rules.items(schema.REQUIRED)
        for term in terms:
            term.only(schema.POD_TERM)
            term.text("topologyKey", required=True)
        if terms:
            yield f"spec.affinity.{key}.{schema.REQUIRED}"


def _spread(spec: Fields) -> Iterator[str]:
    for entry in spec.items("topologySpreadConstraints"):
        entry.only(schema.SPREAD)
        entry.text("topologyKey", required=True)
        soft = entry.text("whenUnsatisfiable", choices=("DoNotSchedule", "ScheduleAnyway"))
        if soft != "ScheduleAnyway":
            yield "spec.topologySpreadConstraints"


def _volumes(spec: Fields) -> Iterator[str]:
    for volume in spec.items("volumes"):
        volume.only(schema.VOLUME)
        if not PLACED_VOLUMES.isdisjoint(volume.obj):
            for key in volume.obj.keys() & PLACED_VOLUMES:
                if volume.obj[key] is not None:
                    yield f"spec.volumes[].{key}"
