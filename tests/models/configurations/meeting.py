"""Random small instances whose groups meet in domains that do not overlap."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from gangplan.models.instance import Instance
from tests.tiny import make_instance

Row = dict[str, Any]


@st.composite
def meeting(draw: st.DrawFn, most_nodes: int = 6, most_pods: int = 9) -> Instance:
    """Draw one: gangs and basic groups in a rack, pods that go anywhere, equal racks and groups.

    Some nodes have no rack; some groups run already, some are elastic, some need a block too.
    """
    racks = draw(st.integers(1, 3))
    nodes = [draw(_node(racks)) for _ in range(draw(st.integers(1, most_nodes)))]
    level = next((name for name in ("rack", "block") if any(name in n for n in nodes)), "")
    groups: list[Row] = []
    pods = 0
    while not groups or (pods < most_pods and draw(st.integers(0, 4))):
        one = draw(st.one_of(_gang(nodes, level), _gang(nodes, level), _alone(nodes)))
        for _ in range(draw(st.integers(1, 3))):
            size = sum(int(role["wanted"]) for role in one["roles"])
            if groups and pods + size > most_pods:
                break
            pods += size
            groups.append(one)
    order = draw(st.permutations(range(len(groups))))
    assume(sum(size["wanted"] for group in groups for size in group["roles"]) <= most_pods + 3)
    return make_instance(nodes, [groups[g] for g in order])


@st.composite
def _node(draw: st.DrawFn, racks: int) -> Row:
    node: Row = {
        "gpu": draw(st.sampled_from([4, 4, 0, 2, 3])),
        "cpu": draw(st.sampled_from([8, 4])),
    }
    rack = draw(st.integers(0, racks))
    if rack < racks:
        node |= {"rack": f"r{rack}", "block": f"b{rack // 2}"}
    elif draw(st.booleans()):
        node["block"] = "b0"
    return node


@st.composite
def _role(draw: st.DrawFn, nodes: Sequence[Row], wanted: int) -> Row:
    role: Row = {
        "wanted": wanted,
        "request": {"gpu": draw(st.integers(0, 3)), "cpu": draw(st.integers(0, 3))},
    }
    if draw(st.integers(0, 4)) == 0:
        role["eligible"] = [n for n in range(len(nodes)) if draw(st.booleans())]
    return role


@st.composite
def _gang(draw: st.DrawFn, nodes: Sequence[Row], level: str) -> Row:
    """Draw a group that meets in one domain of the level."""
    kind = draw(st.sampled_from(["gang", "gang", "gang", "basic"]))
    roles = [
        draw(_role(nodes, draw(st.integers(1, 3)))) for _ in range(draw(st.sampled_from([1, 1, 2])))
    ]
    rules = [(level, "required")] if level else []
    if level == "rack" and draw(st.integers(0, 3)) == 0 and _nests(nodes):
        rules.append(("block", "required"))
    group: Row = {"kind": kind, "roles": roles, "rules": rules, "priority": draw(_PRIORITY)}
    members = 0
    if draw(st.integers(0, 5)) == 0:
        members = draw(st.integers(1, 2))
        group["running"] = [draw(st.integers(0, len(nodes) - 1))] * members
    everybody = members + sum(int(role["wanted"]) for role in roles)
    if kind == "gang":
        group["minimum"] = draw(st.one_of(st.just(everybody), st.integers(1, everybody)))
        if draw(st.integers(0, 3)) == 0:
            roles[0]["minimum"] = draw(st.integers(1, int(roles[0]["wanted"])))
    group["age"] = draw(st.sampled_from([0, 600]))
    group["held"] = draw(st.integers(0, 12)) == 0
    return group


def _nests(nodes: Sequence[Row]) -> bool:
    """Tell whether the largest block is larger than any rack: so it is known to be the wider."""
    sizes = [
        max(Counter(node[name] for node in nodes if name in node).values())
        for name in ("block", "rack")
    ]
    return sizes[0] > sizes[1]


@st.composite
def _alone(draw: st.DrawFn, nodes: Sequence[Row]) -> Row:
    """Draw a pod, or equal pods, that may go anywhere."""
    kind = draw(st.sampled_from(["gang", "bare", "basic"]))
    wanted = 1 if kind == "gang" else draw(st.integers(1, 2))
    return {
        "kind": kind,
        "roles": [draw(_role(nodes, wanted))],
        "priority": draw(_PRIORITY),
        **({"minimum": 1} if kind == "gang" else {}),
    }


_PRIORITY = st.sampled_from([1, 5])
