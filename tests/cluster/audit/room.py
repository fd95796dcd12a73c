"""Nodes are not overcommitted: effective requests of all that is bound, against allocatable."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.cluster.audit.state import State, done, full_name, node_of

Amounts = dict[str, Fraction]
ZERO = Fraction(0)

_SUFFIXES = {
    "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000),
    "k": Fraction(1000), "M": Fraction(10**6), "G": Fraction(10**9), "T": Fraction(10**12),
    "P": Fraction(10**15), "E": Fraction(10**18), "Ki": Fraction(2**10), "Mi": Fraction(2**20),
    "Gi": Fraction(2**30), "Ti": Fraction(2**40), "Pi": Fraction(2**50), "Ei": Fraction(2**60),
}  # fmt: skip


def quantity(text: object) -> Fraction:
    """Read a Kubernetes quantity exactly."""
    written = str(text).strip()
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if written.endswith(suffix):
            return Fraction(written.removesuffix(suffix)) * _SUFFIXES[suffix]
    return Fraction(written)


def requests(pod: Mapping[str, Any]) -> Amounts:
    """Effective request of a pod (KEP-753 sidecars, KEP-2837 pod-level resources, overhead)."""
    spec = pod["spec"]
    running: Amounts = {}
    for container in spec.get("containers", ()):
        _add(running, _asked(container))
    sidecars: Amounts = {}
    highest: Amounts = {}
    for container in spec.get("initContainers", ()):
        asked = _asked(container)
        if container.get("restartPolicy") == "Always":
            _add(running, asked)
            _add(sidecars, asked)
            _raise(highest, sidecars)
        else:
            _raise(highest, {key: asked.get(key, 0) + sidecars.get(key, 0)
                             for key in asked | sidecars})  # fmt: skip
    _raise(running, highest)
    running |= _asked(spec)
    _add(running, _amounts(spec.get("overhead", {})))
    running["pods"] = Fraction(1)
    return running


def allocatable(node: Mapping[str, Any]) -> Amounts:
    """What a node has for pods."""
    return _amounts(node.get("status", {}).get("allocatable", {}))


def overcommitted(state: State) -> list[str]:
    """Nodes with a pod of ours where more is asked for than there is."""
    used: dict[str, Amounts] = {}
    ours: dict[str, list[str]] = {}
    for pod in state.pods.values():
        if not (node := node_of(pod)) or done(pod):
            continue
        _add(used.setdefault(node, {}), requests(pod))
        if state.ours(pod):
            ours.setdefault(node, []).append(full_name(pod))
    found = []
    for node in sorted(ours):
        if node not in state.nodes:
            found.append(f"pods of ours on node {node}, which is not there: {ours[node]}")
            continue
        found += lacking(node, used[node], allocatable(state.nodes[node]))
    return found


def lacking(node: str, used: Amounts, room: Amounts) -> list[str]:
    """Give a sentence for each resource of a node of which more is used than there is."""
    return [
        f"node {node} is overcommitted: {key} {float(amount):g} of {float(room.get(key, 0)):g}"
        for key, amount in sorted(used.items())
        if amount > room.get(key, 0)
    ]


def _asked(container: Mapping[str, Any]) -> Amounts:
    return _amounts((container.get("resources") or {}).get("requests") or {})


def _amounts(written: Mapping[str, Any]) -> Amounts:
    return {key: quantity(text) for key, text in written.items()}


def _add(to: Amounts, more: Mapping[str, Fraction]) -> None:
    for key, amount in more.items():
        to[key] = to.get(key, Fraction(0)) + amount


def _raise(to: Amounts, other: Mapping[str, Fraction | int]) -> None:
    for key, amount in other.items():
        to[key] = max(to.get(key, Fraction(0)), Fraction(amount))
