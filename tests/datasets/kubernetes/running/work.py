"""What an instance says of running work, by name."""

from typing import Any, NamedTuple

from gangplan.models.instance import Instance
from gangplan.models.running import GROUP, POD, TREE
from tests.datasets.kubernetes.objects import GPU, Obj, node, obj

KINDS = {POD: "pod", GROUP: "group", TREE: "tree"}
DAEMON: list[Obj] = [{"kind": "DaemonSet", "name": "d", "controller": True}]
ALL: Obj = {"disruptionMode": {"all": {}}}


class Falls(NamedTuple):
    """A unit by name."""

    kind: str
    priority: int
    pods: list[str]


def units(built: Instance) -> dict[str, Falls]:
    running, names = built.running, built.names
    return {
        names.units[v]: Falls(
            KINDS[int(running.kind[v])],
            int(running.priority[v]),
            [short(names.running[u]) for u in running.pods_of(v)],
        )
        for v in range(len(running))
    }


def pod_number(built: Instance, name: str) -> int:
    return built.names.running.index(f"lab/{name}")


def released(built: Instance, name: str, resource: str = GPU) -> int:
    """Room that a pod leaves on its node."""
    r = built.names.resources.index(resource)
    return int(built.running.pod_request[pod_number(built, name), r])


def floors(built: Instance) -> list[tuple[str, int, int, list[str]]]:
    """Group, least, running and pods of each floor."""
    running, names = built.running, built.names
    return [
        (
            short(names.groups[running.floor_group[f]]),
            int(running.floor_least[f]),
            int(running.floor_running[f]),
            [short(names.running[u]) for u in running.member_pod[running.member_floor == f]],
        )
        for f in range(len(running.floor_group))
    ]


def budgets(built: Instance) -> dict[str, tuple[int, list[str]]]:
    """What each budget allows, and the pods of units that it protects."""
    running, names = built.running, built.names
    return {
        short(names.budgets[b]): (
            int(running.budget_allowed[b]),
            [short(names.running[u]) for u in running.match_pod[running.match_budget == b]],
        )
        for b in range(len(running.budget_allowed))
    }


def never(built: Instance) -> list[str]:
    return [short(built.names.groups[g]) for g in built.running.never]


def reserved(built: Instance, resource: str = GPU) -> list[tuple[str, int, str, int]]:
    """Node, priority, group and amount of each reservation."""
    kept, names = built.reserved, built.names
    r = names.resources.index(resource)
    return [
        (
            names.nodes[kept.node[z]],
            int(kept.priority[z]),
            short(names.groups[kept.group[z]]) if kept.group[z] >= 0 else "",
            int(kept.request[z, r]),
        )
        for z in range(len(kept))
    ]


def holds(built: Instance) -> list[dict[str, Any]]:
    """Users, shared claim, devices, counters and pots of each holding."""
    running, names = built.running, built.names
    return [
        {
            "users": [short(names.running[u]) for u in running.user_pod[running.user_hold == h]],
            "shared": names.shared[c] if (c := int(running.hold_shared[h])) >= 0 else "",
            "devices": [
                names.devices[i].rpartition("/")[2]
                for i in running.freed_device[running.freed_hold == h]
            ],
            "counters": running.back_amount[running.back_hold == h].tolist(),
            "pots": running.spare_amount[running.spare_hold == h].tolist(),
        }
        for h in range(len(running.hold_shared))
    ]


def short(name: str) -> str:
    return name.removeprefix("lab/")


def pdb(name: str, status: Obj | None = None, selector: Obj | None = None, **spec: Any) -> Obj:
    """A budget of all pods with the label app=web, or of another selector."""
    chosen = {"matchLabels": {"app": "web"}} if selector is None else selector
    made = obj("policy/v1", "PodDisruptionBudget", name, {"selector": chosen, **spec})
    return made if status is None else made | {"status": status}


def allows(number: int, **status: Any) -> Obj:
    return {"disruptionsAllowed": number, **status}


def nominated(pod: Obj, to: str) -> Obj:
    """The same pod with a nomination."""
    return pod | {"status": {"phase": "Pending", "nominatedNodeName": to}}


def priority_class(name: str, value: int, **more: Any) -> Obj:
    return obj("scheduling.k8s.io/v1", "PriorityClass", name) | {"value": value, **more}


NODES = [node("n1"), node("n2")]
