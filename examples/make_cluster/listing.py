"""The whole list: nodes, groups and priority classes, one object a line."""

import json

from examples.make_cluster import groups
from examples.make_cluster.objects import BLOCK, CLASSES, CRITICAL, GPU, RACK, Cluster, Object


def cluster() -> Object:
    """Return the whole list."""
    made = Cluster()
    _nodes(made)
    groups.running(made)
    groups.tree(made)
    groups.training(made)
    groups.research(made)
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
