"""Writes cluster.json: what ``kubectl get nodes,pods,podgroups,... -o json`` prints of a cluster.

The cluster is made up: 60 nodes of 8 GPUs in 3 blocks x 4 racks x 5 nodes, and 4 CPU nodes. Some
groups run, others wait, each for a reason of its own (see WAITING groups below). The seed only draws what
no plan depends on (uids, addresses), so the text is the same every time:

    python examples/make_cluster.py > examples/cluster.json
"""

import json
import random
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

SEED = 20261101
NOW = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)
BLOCK = "topology.example.com/block"
RACK = "topology.example.com/rack"
NVLINK = "topology.example.com/nvlink-domain"  # a label that no node carries yet
GPU = "nvidia.com/gpu"
CLASSES = {"serving": 10000, "training": 1000, "research": 100}
CRITICAL = ("system-node-critical", 2000001000)

Object = dict[str, Any]


class Cluster:
    """Collects the objects in the order kubectl prints them."""

    def __init__(self) -> None:
        self.random = random.Random(SEED)
        self.items: dict[str, list[Object]] = {
            kind: [] for kind in ("Node", "Pod", "PodGroup", "CompositePodGroup", "PriorityClass")
        }

    def add(
        self, version: str, kind: str, name: str, namespace: str, minutes: float, **rest: Any
    ) -> Object:
        """Append an object that is ``minutes`` old."""
        metadata: Object = {
            "creationTimestamp": _time(minutes),
            "name": name,
            **({"namespace": namespace} if namespace else {}),
            "resourceVersion": str(self.random.randrange(10**6, 10**7)),
            "uid": str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
        }
        metadata.update(rest.pop("metadata", {}))
        item = {"apiVersion": version, "kind": kind, "metadata": metadata, **rest}
        self.items[kind].append(item)
        return item

    def node(
        self,
        name: str,
        labels: dict[str, str],
        gpus: int,
        *,
        ready: bool = True,
        cordoned: bool = False,
    ) -> None:
        """Append a node."""
        size = {
            "cpu": "128" if gpus else "64",
            "ephemeral-storage": "1842917056Ki",
            "hugepages-2Mi": "0",
            "memory": "2113387520Ki" if gpus else "263974912Ki",
            **({GPU: str(gpus)} if gpus else {}),
            "pods": "110",
        }
        taints = [{"effect": "NoSchedule", "key": GPU, "value": "present"}] if gpus else []
        if cordoned:
            taints.append({"effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable"})
        if not ready:
            taints.append({"effect": "NoExecute", "key": "node.kubernetes.io/unreachable"})
        self.add(
            "v1",
            "Node",
            name,
            "",
            60 * 24 * 90,
            metadata={
                "labels": {
                    "kubernetes.io/arch": "amd64",
                    "kubernetes.io/hostname": name,
                    "kubernetes.io/os": "linux",
                    **labels,
                }
            },
            spec={
                "podCIDR": f"10.{self.random.randrange(256)}.{self.random.randrange(256)}.0/24",
                **({"taints": taints} if taints else {}),
                **({"unschedulable": True} if cordoned else {}),
            },
            status={
                "addresses": [{"address": name, "type": "Hostname"}],
                "allocatable": {**size, "cpu": "127" if gpus else "63"},
                "capacity": size,
                "conditions": [
                    {
                        "reason": "KubeletHasSufficientMemory",
                        "status": "False",
                        "type": "MemoryPressure",
                    },
                    {
                        "reason": "KubeletReady" if ready else "NodeStatusUnknown",
                        "status": "True" if ready else "Unknown",
                        "type": "Ready",
                    },
                ],
                "nodeInfo": {"kubeletVersion": "v1.37.0", "operatingSystem": "linux"},
            },
        )

    def pod(
        self,
        name: str,
        namespace: str,
        request: dict[str, str],
        *,
        node: str = "",
        group: str = "",
        owner: tuple[str, str] = ("Job", ""),
        klass: str = "research",
        minutes: float = 30,
        labels: dict[str, str] | None = None,
        annotations: dict[str, str] | None = None,
        leaving: bool = False,
        **spec: Any,
    ) -> None:
        """Append a pod, bound where ``node`` is given."""
        kind, owner_name = owner
        daemon = kind == "DaemonSet"
        klass, priority = CRITICAL if daemon else (klass, CLASSES[klass])
        tolerations = (
            [{"effect": "NoSchedule", "key": GPU, "operator": "Exists"}] if GPU in request else []
        )
        if daemon:
            tolerations = [{"operator": "Exists"}]
        phase = "Running" if node else "Pending"
        conditions = [{"status": "True" if node else "False", "type": "PodScheduled"}]
        if not node:
            conditions[0]["reason"] = "Unschedulable"
        self.add(
            "v1",
            "Pod",
            name,
            namespace,
            minutes,
            metadata={
                **({"annotations": annotations} if annotations else {}),
                **({"labels": labels} if labels else {}),
                **(
                    {"deletionGracePeriodSeconds": 30, "deletionTimestamp": _time(-0.5)}
                    if leaving
                    else {}
                ),
                "ownerReferences": [
                    {
                        "apiVersion": "apps/v1"
                        if kind in ("DaemonSet", "ReplicaSet")
                        else "batch/v1",
                        "controller": True,
                        "kind": kind,
                        "name": owner_name or group or name.rpartition("-")[0],
                        "uid": str(uuid.UUID(int=self.random.getrandbits(128), version=4)),
                    }
                ],
            },
            spec={
                "containers": [
                    {
                        "image": f"registry.example.com/{namespace}/{owner_name or group or 'main'}:1",
                        "name": "main",
                        "resources": {
                            **({"limits": {GPU: request[GPU]}} if GPU in request else {}),
                            "requests": request,
                        },
                        **({"ports": spec.pop("ports")} if "ports" in spec else {}),
                    }
                ],
                **({"nodeName": node} if node else {}),
                "priority": priority,
                "priorityClassName": klass,
                "restartPolicy": "Always" if daemon else "Never",
                "schedulerName": "default-scheduler",
                **({"schedulingGroup": {"podGroupName": group}} if group else {}),
                **({"tolerations": tolerations} if tolerations else {}),
                **spec,
            },
            status={"conditions": conditions, "phase": phase},
        )

    def group(
        self,
        name: str,
        namespace: str,
        *,
        minimum: int = 0,
        klass: str = "training",
        level: str = "",
        parent: str = "",
        minutes: float = 30,
        annotations: dict[str, str] | None = None,
        standing: bool = False,
    ) -> None:
        """Append a PodGroup: a gang, or a basic one where ``minimum`` is 0."""
        said = {"type": "PodGroupInitiallyScheduled", "status": "True" if standing else "False"}
        self.add(
            "scheduling.k8s.io/v1beta1",
            "PodGroup",
            name,
            namespace,
            minutes,
            metadata={"annotations": annotations} if annotations else {},
            spec={
                "disruptionMode": {"single": {}} if not minimum else {"all": {}},
                **({"parentCompositePodGroupName": parent} if parent else {}),
                "priority": CLASSES[klass],
                "priorityClassName": klass,
                **({"schedulingConstraints": {"topology": [{"key": level}]}} if level else {}),
                "schedulingPolicy": {"gang": {"minCount": minimum}} if minimum else {"basic": {}},
                **(
                    {"workloadRef": {"templateName": name, "workloadName": parent}}
                    if parent
                    else {}
                ),
            },
            status={"conditions": [said]},
        )

    def waiting(
        self, group: str, namespace: str, count: int, gpus: int, *, role: str = "", **rest: Any
    ) -> None:
        """Append ``count`` waiting pods of a group."""
        stem = f"{group}-{role}" if role else group
        if role:
            rest["labels"] = {"gangplan.io/role": role}
        for i in range(count):
            self.pod(f"{stem}-{i}", namespace, _ask(gpus), group=group, **rest)

    def running(self, group: str, namespace: str, gpus: int, nodes: list[str], **rest: Any) -> None:
        """Append one bound pod of a group for each of ``nodes``."""
        for i, node in enumerate(nodes):
            self.pod(
                f"{group}-{i}", namespace, _ask(gpus), node=node, group=group, minutes=600, **rest
            )


def _time(minutes: float) -> str:
    return (NOW - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _ask(gpus: int) -> dict[str, str]:
    if not gpus:
        return {"cpu": "4", "memory": "16Gi"}
    return {"cpu": str(6 * gpus), "memory": f"{96 * gpus}Gi", GPU: str(gpus)}


def _named(block: int, rack: int, numbers: str) -> list[str]:
    return [f"b{block}-r{rack}-n{number}" for number in numbers]


def _nodes(made: Cluster) -> None:
    for block in range(3):
        for rack in range(4):
            for number in range(5):
                name = f"b{block}-r{rack}-n{number}"
                made.node(
                    name,
                    {BLOCK: f"b{block}", RACK: f"b{block}-r{rack}", f"{GPU}.product": "H100"},
                    8,
                    ready=name != "b2-r3-n4",
                    cordoned=name == "b2-r2-n4",
                )
    for number in range(4):
        made.node(f"cpu-{number}", {}, 0)
    for node in list(made.items["Node"]):
        name = node["metadata"]["name"]
        made.pod(
            f"node-agent-{name}",
            "kube-system",
            {"cpu": "250m", "memory": "200Mi"},
            node=name,
            owner=("DaemonSet", "node-agent"),
            minutes=60 * 24 * 30,
        )


def _running(made: Cluster) -> None:
    """Add groups that run: they hold room, and where a group also waits, they count."""
    made.group("pretrain-a", "ml", minimum=12, level=BLOCK, minutes=700, standing=True)
    held = [*_named(0, 0, "01234"), *_named(0, 1, "01234"), *_named(0, 2, "0123")]
    made.running("pretrain-a", "ml", 8, held, klass="training")
    made.group("finetune-a", "ml", minimum=4, level=RACK, minutes=650, standing=True)
    made.running("finetune-a", "ml", 4, _named(1, 0, "0123"), klass="training")
    made.group("chat", "serve", klass="serving", minutes=640, standing=True)
    chat = [*_named(1, 1, "0123"), *_named(2, 0, "01"), *_named(2, 2, "4")]
    made.running("chat", "serve", 1, chat, klass="serving")
    made.group("sweep", "lab", minimum=3, klass="research", minutes=620, standing=True)
    sweep = [*_named(1, 1, "4"), *_named(1, 2, "0"), *_named(2, 3, "0")]
    made.running("sweep", "lab", 2, sweep, klass="research")
    for i, node in enumerate([*_named(1, 3, "0"), *_named(2, 1, "2")]):
        made.pod(
            f"notebook-run-{i}", "lab", _ask(1), node=node, owner=("Job", "notebook"), minutes=90
        )
    # Being deleted: holds its GPUs until it is gone.
    made.pod(
        "eval-old-0",
        "lab",
        _ask(8),
        node="b2-r1-n0",
        owner=("Job", "eval-old"),
        minutes=900,
        leaving=True,
    )


def _tree(made: Cluster) -> None:
    """Two of three parts must come together in one block, each part in one rack."""
    made.add(
        "scheduling.k8s.io/v1alpha3",
        "CompositePodGroup",
        "llm",
        "serve",
        25,
        spec={
            "disruptionMode": {"all": {}},
            "priority": CLASSES["serving"],
            "priorityClassName": "serving",
            "schedulingConstraints": {"topology": [{"key": BLOCK}]},
            "schedulingPolicy": {"gang": {"minGroupCount": 2}},
            "workloadRef": {"templateName": "llm", "workloadName": "llm"},
        },
        status={"conditions": [{"status": "False", "type": "CompositePodGroupInitiallyScheduled"}]},
    )
    for name, count, gpus in (("llm-prefill", 2, 8), ("llm-decode", 4, 4), ("llm-draft", 2, 2)):
        made.group(
            name, "serve", minimum=count, klass="serving", level=RACK, parent="llm", minutes=25
        )
        made.waiting(name, "serve", count, gpus, klass="serving", minutes=25)


def _training(made: Cluster) -> None:
    """Add WAITING groups: rack-bound, block-bound, close if possible, elastic, roles, and one too big."""
    for name, minutes in (
        ("finetune-b", 50),
        ("finetune-c", 45),
        ("finetune-d", 40),
        ("finetune-e", 35),
    ):
        made.group(name, "ml", minimum=4, level=RACK, minutes=minutes)
        made.waiting(name, "ml", 4, 8, klass="training", minutes=minutes)
    made.group("pretrain-b", "ml", minimum=12, level=BLOCK, minutes=55)
    made.waiting("pretrain-b", "ml", 12, 8, klass="training", minutes=55)
    made.group("distill", "ml", minimum=6, annotations={"gangplan.io/preferred-topology": RACK})
    made.waiting("distill", "ml", 6, 4, klass="training")
    made.group("rl", "ml", minimum=5, annotations={"gangplan.io/role-minimum": "learner=1,actor=4"})
    made.waiting("rl", "ml", 1, 4, role="learner", klass="training")
    made.waiting("rl", "ml", 6, 0, role="actor", klass="training")
    # Six nodes of one rack: a rack has five.
    made.group("huge", "ml", minimum=6, level=RACK, minutes=500)
    made.waiting("huge", "ml", 6, 8, klass="training", minutes=500)
    # Waits for a node label that is not there.
    made.group("nvlink", "ml", minimum=2, level=NVLINK, minutes=20)
    made.waiting("nvlink", "ml", 2, 8, klass="training", minutes=20)


def _research(made: Cluster) -> None:
    """Add WAITING groups: slices, growth of a running group, basic group, single pods, and what must wait."""
    slices = {"gangplan.io/slice-size": "4", "gangplan.io/slice-required-topology": RACK}
    made.group("moe", "lab", minimum=8, klass="research", annotations=slices)
    made.waiting("moe", "lab", 8, 2)
    made.group("elastic", "lab", minimum=4, klass="research")
    made.waiting("elastic", "lab", 10, 2)
    for i in range(3, 6):  # "sweep" runs with its minimum of three; these three come on top
        made.pod(f"sweep-{i}", "lab", _ask(2), group="sweep", minutes=15)
    made.group("eval", "lab", klass="research")
    made.waiting("eval", "lab", 5, 1)
    for i in range(3):
        made.pod(f"notebook-{i}", "lab", _ask(1), owner=("Job", "notebook"), minutes=10 + i)
    made.pod("export-0", "lab", _ask(0), owner=("Job", "export"), minutes=5)
    # Its PodGroup does not exist (yet).
    for i in range(2):
        made.pod(f"ghost-{i}", "lab", _ask(4), group="ghost", minutes=8)
    # One of two members is behind a scheduling gate.
    made.group("gated", "lab", minimum=2, klass="research")
    made.waiting("gated", "lab", 1, 1)
    made.pod(
        "gated-1", "lab", _ask(1), group="gated", schedulingGates=[{"name": "example.com/quota"}]
    )
    # A rule that gangplan does not honour yet.
    made.group("ports", "lab", minimum=2, klass="research")
    made.waiting("ports", "lab", 2, 1, ports=[{"containerPort": 8080, "hostPort": 8080}])


def cluster() -> Object:
    """Return the whole list."""
    made = Cluster()
    _nodes(made)
    _running(made)
    _tree(made)
    _training(made)
    _research(made)
    for name, value in CLASSES.items():
        made.add("scheduling.k8s.io/v1", "PriorityClass", name, "", 60 * 24 * 90, value=value)
    made.add(
        "scheduling.k8s.io/v1", "PriorityClass", CRITICAL[0], "", 60 * 24 * 90, value=CRITICAL[1]
    )
    items = [item for kind in made.items.values() for item in kind]
    return {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}


def text() -> str:
    """Return the file's content: one object a line."""
    whole = cluster()
    lines = ",\n".join(json.dumps(item, sort_keys=True) for item in whole.pop("items"))
    head = json.dumps(whole, sort_keys=True).removesuffix("}")
    return f'{head}, "items": [\n{lines}\n]}}\n'


if __name__ == "__main__":
    print(text(), end="")
