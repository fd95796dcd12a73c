"""Nothing of ours is left over once all flights have ended."""

from collections.abc import Iterator

from tests.cluster.audit.devices import claims_of
from tests.cluster.audit.state import State, full_name, group_of, node_of

HELD = "gangplan.io/held"


def wrong(state: State) -> list[str]:
    """Journals, held nodes, nominations and reservations that nobody will come back to."""
    return [
        *(f"journal {name} is left" for name in state.journals),
        *(
            f"node {name} is still held: {taint.get('value')}"
            for name, node in sorted(state.nodes.items())
            for taint in node["spec"].get("taints", ())
            if taint["key"] == HELD
        ),
        *(
            f"pod {name} is still nominated for {pod['status']['nominatedNodeName']}"
            for name, pod in sorted(state.pods.items())
            if state.ours(pod) and not node_of(pod) and pod["status"].get("nominatedNodeName")
        ),
        *_idle(state),
    ]


def _idle(state: State) -> Iterator[str]:
    """Claims that hold devices for pods of ours none of which is bound."""
    started = {
        uid
        for pod in state.pods.values()
        if node_of(pod)
        for uid in (
            pod["metadata"]["uid"],
            state.groups.get(group_of(pod), pod)["metadata"]["uid"],
        )
    }
    waiting = {
        name: full_name(pod)
        for pod in state.pods.values()
        if state.ours(pod) and not node_of(pod)
        for name in claims_of(pod)
    }
    for name, pod in sorted(waiting.items()):
        users = state.claims.get(name, {}).get("status", {}).get("reservedFor") or ()
        if users and not any(user["uid"] in started for user in users):
            yield f"claim {name} holds devices, and {pod} that waits for it is not bound"
