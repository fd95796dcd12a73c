"""Devices are in one claim at a time, counters are not overdrawn, and claims fit their pods."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.cluster.audit.room import quantity
from tests.cluster.audit.state import State, done, full_name, group_of, leaving, node_of

Key = tuple[str, str, str]


def wrong(state: State, others: Collection[str] = ()) -> list[str]:
    """Everything about devices and claims at one moment; ``others`` hold devices for themselves."""
    return [
        *twice(state.claims),
        *_overdrawn(state),
        *_without_user(state, others),
        *_pods(state),
    ]


def twice(claims: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Exclusive devices that are in two claims, or twice in one."""
    users: dict[Key, list[str]] = defaultdict(list)
    for name, claim in claims.items():
        for row in _results(claim):
            if not row.get("adminAccess") and "shareID" not in row:
                users[_key(row)].append(name)
    return [
        f"device {'/'.join(key)} is in {len(found)} claims: {', '.join(sorted(found))}"
        for key, found in sorted(users.items())
        if len(found) > 1
    ]


def _overdrawn(state: State) -> list[str]:
    known, counters = _devices(state)
    used: dict[tuple[str, str, str, str], Fraction] = defaultdict(Fraction)
    shares: dict[tuple[Key, str], Fraction] = defaultdict(Fraction)
    taken: set[Key] = set()
    for claim in state.claims.values():
        for row in _results(claim):
            if not row.get("adminAccess"):
                taken.add(_key(row))
            for name, amount in row.get("consumedCapacity", {}).items():
                shares[_key(row), name] += quantity(amount)
    for key in taken & known.keys():
        for entry in known[key].get("consumesCounters", ()):
            for name, counter in entry["counters"].items():
                used[key[0], key[1], entry["counterSet"], name] += quantity(counter["value"])
    found = [
        f"counter {'/'.join(at)} is overdrawn: {float(amount):g} of {float(counters[at]):g}"
        for at, amount in sorted(used.items())
        if amount > counters.get(at, Fraction(0))
    ]
    for (key, name), amount in sorted(shares.items()):
        room = quantity(known.get(key, {}).get("capacity", {}).get(name, {}).get("value", 0))
        if amount > room:
            found.append(f"capacity {name} of {'/'.join(key)} is overdrawn: {float(amount):g}")
    return found


def _devices(
    state: State,
) -> tuple[dict[Key, Mapping[str, Any]], dict[tuple[str, str, str, str], Fraction]]:
    """Devices and counters of the newest generation of each pool."""
    newest: dict[tuple[str, str], int] = {}
    for entry in state.slices.values():
        pool = entry["spec"]["pool"]
        at = (entry["spec"]["driver"], pool["name"])
        newest[at] = max(newest.get(at, 0), pool["generation"])
    devices: dict[Key, Mapping[str, Any]] = {}
    counters: dict[tuple[str, str, str, str], Fraction] = {}
    for entry in state.slices.values():
        spec = entry["spec"]
        at = (spec["driver"], spec["pool"]["name"])
        if spec["pool"]["generation"] < newest[at]:
            continue
        for device in spec.get("devices") or ():
            devices[(*at, device["name"])] = device
        for group in spec.get("sharedCounters") or ():
            for name, counter in group["counters"].items():
                counters[(*at, group["name"], name)] = quantity(counter["value"])
    return devices, counters


def _without_user(state: State, others: Collection[str]) -> list[str]:
    """Claims that hold devices for nobody who is there."""
    uids = {obj["metadata"]["uid"] for obj in (*state.pods.values(), *state.groups.values())}
    found = []
    for name, claim in sorted(state.claims.items()):
        if name in others or leaving(claim) or "allocation" not in claim.get("status", {}):
            continue
        users = claim["status"].get("reservedFor", [])
        if not users:
            found.append(f"claim {name} is allocated without a user")
        found += [
            f"claim {name} is reserved for {user['resource']}/{user['name']}, which is gone"
            for user in users
            if user["uid"] not in uids
        ]
    return found


def _pods(state: State) -> Iterator[str]:
    """Bound pods of ours and each of their claims: allocated, reserved for them, on its nodes."""
    for name, pod in sorted(state.pods.items()):
        if not state.ours(pod) or not node_of(pod) or done(pod) or leaving(pod):
            continue
        for claim_name in claims_of(pod):
            claim = state.claims.get(claim_name)
            allocation = (claim or {}).get("status", {}).get("allocation")
            if claim is None or allocation is None:
                yield f"pod {name} is bound, and its claim {claim_name} is not allocated"
                continue
            if not _reserved(state, pod, claim):
                yield f"pod {name} is bound, and its claim {claim_name} is not reserved for it"
            node = state.nodes.get(node_of(pod))
            selector = allocation.get("nodeSelector")
            if node is not None and selector is not None and not matches(selector, node):
                yield f"pod {name} is off the nodes of its claim {claim_name}: {node_of(pod)}"


def claims_of(pod: Mapping[str, Any]) -> list[str]:
    """Full names of a pod's claims, as far as they exist."""
    made = {
        entry["name"]: entry.get("resourceClaimName")
        for entry in pod.get("status", {}).get("resourceClaimStatuses") or ()
    }
    names = [
        entry.get("resourceClaimName") or made.get(entry["name"])
        for entry in pod["spec"].get("resourceClaims") or ()
    ]
    return [f"{pod['metadata']['namespace']}/{name}" for name in names if name]


def _reserved(state: State, pod: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    users = {user["uid"] for user in claim["status"].get("reservedFor", ())}
    group = state.groups.get(group_of(pod))
    mine = {pod["metadata"]["uid"], *([group["metadata"]["uid"]] if group else [])}
    return bool(users & mine)


def matches(selector: Mapping[str, Any], node: Mapping[str, Any]) -> bool:
    """Whether a node is one of a NodeSelector's: one of its terms holds in full."""
    labels = node["metadata"].get("labels", {})
    fields = {"metadata.name": full_name(node)}
    return any(
        all(_holds(e, labels) for e in term.get("matchExpressions", ()))
        and all(_holds(e, fields) for e in term.get("matchFields", ()))
        and bool(term)
        for term in selector.get("nodeSelectorTerms", ())
    )


def _holds(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value = labels.get(expression["key"])
    wanted: Sequence[str] = expression.get("values", ())
    match expression["operator"]:
        case "In":
            return value in wanted
        case "NotIn":
            return value not in wanted
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and int(value) > int(wanted[0])
        case "Lt":
            return value is not None and int(value) < int(wanted[0])
    raise ValueError(f"operator {expression['operator']}")


def _results(claim: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    allocation = claim.get("status", {}).get("allocation", {})
    return list(allocation.get("devices", {}).get("results", ()))


def _key(row: Mapping[str, Any]) -> Key:
    return (row["driver"], row["pool"], row["device"])
