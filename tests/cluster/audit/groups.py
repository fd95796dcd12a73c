"""Gangs and trees have their minimum or nothing, and stay within their required topology."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.cluster.audit.state import State, counts, full_name, node_of

Pods = Sequence[Mapping[str, Any]]


def wrong(state: State) -> list[str]:
    """Everything about our groups at one moment."""
    return [*_cut(state), *_scattered(state), *_trees(state)]


def minimum(group: Mapping[str, Any]) -> int:
    """``minCount`` of a gang, or ``minGroupCount`` of a tree; 0 for the policy ``basic``."""
    gang = group["spec"]["schedulingPolicy"].get("gang") or {}
    return int(gang.get("minCount") or gang.get("minGroupCount") or 0)


def topology(group: Mapping[str, Any]) -> str:
    """Key within one value of which all pods have to be; empty without one."""
    entries = group["spec"].get("schedulingConstraints", {}).get("topology") or [{}]
    return str(entries[0].get("key", ""))


def _ours(state: State) -> dict[str, list[dict[str, Any]]]:
    members = state.members()
    return {
        name: pods
        for name, pods in sorted(members.items())
        if name in state.groups and any(state.ours(pod) for pod in pods)
    }


def _cut(state: State) -> Iterator[str]:
    for name, pods in _ours(state).items():
        least = minimum(state.groups[name])
        bound = [full_name(pod) for pod in pods if counts(pod)]
        if 0 < len(bound) < least:
            yield f"gang {name} has {len(bound)} of at least {least} pods: {', '.join(bound)}"


def _scattered(state: State) -> Iterator[str]:
    for name, pods in _ours(state).items():
        yield from _apart(state, f"group {name}", topology(state.groups[name]), pods)


def _apart(state: State, what: str, key: str, pods: Pods) -> Iterator[str]:
    if not key:
        return
    values = {
        state.nodes.get(node_of(pod), {"metadata": {}})["metadata"].get("labels", {}).get(key)
        for pod in pods
        if counts(pod)
    }
    if None in values:
        yield f"{what} has a pod on a node without the label {key}"
    if len(values) > 1:
        yield f"{what} is in {len(values)} values of {key}: {sorted(map(str, values))}"


def _trees(state: State) -> Iterator[str]:
    pods = _ours(state)
    for name, root in sorted(state.composites.items()):
        inside = [pod for group in _leaves(state, name) for pod in pods.get(group, ())]
        yield from _apart(state, f"tree {name}", topology(root), inside)
        if "parentCompositePodGroupName" in root["spec"]:
            continue
        if any(counts(pod) for pod in inside) and not _satisfied(state, name, pods):
            yield f"tree {name} has pods bound, and fewer groups than {minimum(root)}"


def _children(state: State, composite: str) -> tuple[list[str], list[str]]:
    namespace, _, parent = composite.partition("/")
    inner, leaves = (
        [
            name
            for name, obj in found.items()
            if obj["spec"].get("parentCompositePodGroupName") == parent
            and name.startswith(f"{namespace}/")
        ]
        for found in (state.composites, state.groups)
    )
    return inner, leaves


def _leaves(state: State, composite: str) -> list[str]:
    inner, leaves = _children(state, composite)
    return [*leaves, *(leaf for name in inner for leaf in _leaves(state, name))]


def _satisfied(state: State, composite: str, pods: Mapping[str, Pods]) -> bool:
    inner, leaves = _children(state, composite)
    met = sum(_satisfied(state, name, pods) for name in inner)
    for name in leaves:
        bound = sum(counts(pod) for pod in pods.get(name, ()))
        met += bound >= max(1, minimum(state.groups[name]))
    return met >= max(1, minimum(state.composites[composite]))
