"""Work that runs already when a test begins: bound by hand, with its claims written by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

from gangplan.cluster.kinds import POD
from tests.cluster.e2e.ways import all_usable
from tests.cluster.live import Live
from tests.cluster.workloads import GROUPS

Object = dict[str, Any]

PROTECTION = "resource.kubernetes.io/delete-protection"


def bind(live: Live, pod: str, node: str) -> None:
    """Bind a pod as a scheduler does."""
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target}
    live.admin.post(POD.path("default", pod, "binding"), body)


def allocate(
    live: Live,
    claim: str,
    rows: Sequence[Mapping[str, str]],
    user: Mapping[str, Any],
    *,
    nodes: Mapping[str, str] | None = None,
) -> None:
    """Give devices (driver, pool, device) of the request ``main`` to a pod or a group.

    ``nodes`` : a label of the nodes from which they can be reached; all without it.
    """
    results = [{"request": "main", **row} for row in rows]
    allocation: Object = {"devices": {"results": results}}
    if nodes:
        terms = [{"key": key, "operator": "In", "values": [v]} for key, v in nodes.items()]
        allocation["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
    metadata = user["metadata"]
    entry = {"resource": "pods", "name": metadata["name"], "uid": metadata["uid"]}
    if user.get("kind") == "PodGroup":
        entry |= {"apiGroup": GROUPS, "resource": "podgroups"}
    path = live.served["ResourceClaim"].path("default", claim)
    live.admin.patch(path, {"metadata": {"finalizers": [PROTECTION]}})
    live.admin.patch(
        f"{path}/status", {"status": {"allocation": allocation, "reservedFor": [entry]}}
    )


def claim_of(live: Live, owner: str) -> str:
    """Give the name of the claim that was made from a template for a pod or a group."""

    def made() -> str:
        return next(
            (
                str(claim["metadata"]["name"])
                for claim in live.all("ResourceClaim")
                if owner in {o["name"] for o in claim["metadata"].get("ownerReferences", ())}
            ),
            "",
        )

    return str(live.wait(made))


def all_run(live: Live) -> None:
    """Wait until each bound pod runs, and each node has lost the taints of its first moments."""
    all_usable(live)
    live.wait(
        lambda: all(
            pod["status"]["phase"] == "Running"
            for pod in live.all("Pod")
            if pod["spec"].get("nodeName")
        )
    )
