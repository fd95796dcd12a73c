"""The audit says so when an administrator breaks a rule, and nothing of a cluster that is well."""

from collections.abc import Callable
from typing import Any

import pytest

from gangplan.cluster.errors import Gone
from gangplan.cluster.kinds import CONFIG_MAP, POD
from tests.cluster import devices, workloads
from tests.cluster.audit import audit
from tests.cluster.audit.devices import wrong
from tests.cluster.audit.history import History
from tests.cluster.audit.state import state_of
from tests.cluster.live import Live
from tests.cluster.workloads import Object

pytestmark = [pytest.mark.cluster, pytest.mark.alike]

RESULT = {"driver": devices.DRIVER, "pool": "n0", "request": "main"}


def bind(live: Live, pod: str, node: str) -> None:
    """Bind a pod as a scheduler does."""
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    body = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target}
    live.admin.post(POD.path("default", pod, "binding"), body)


def allocate(live: Live, claim: str, device: str, *users: Object, node: str = "") -> None:
    """Write the allocation of a claim and who uses it."""
    row = {**RESULT, "device": device}
    allocation: Object = {"devices": {"results": [row]}}
    if node:
        term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
        allocation["nodeSelector"] = {"nodeSelectorTerms": [term]}
    used = [
        {"resource": "pods", "name": user["metadata"]["name"], "uid": user["metadata"]["uid"]}
        for user in users
    ]
    path = live.served["ResourceClaim"].path("default", claim)
    live.admin.patch(
        path, {"metadata": {"finalizers": ["resource.kubernetes.io/delete-protection"]}}
    )
    live.admin.patch(f"{path}/status", {"status": {"allocation": allocation, "reservedFor": used}})


def findings(live: Live, **options: Any) -> str:
    """Give what the audit finds, as one text."""
    return "\n".join(audit(live.admin, live.served, **options))


def test_a_cluster_that_is_well_gives_no_finding(cluster: Live) -> None:
    cluster.create(
        workloads.node("n0", cpu="2", rack="r0", gpus=1),
        devices.device_class(),
        devices.gpus_of("n0", 1),
        devices.claim("c"),
        *workloads.gang(cluster.served.group_version, "g", 2, group={"topology": workloads.RACK}),
    )
    with History(cluster.admin, cluster.served) as history:
        bind(cluster, "g-0", "n0")
        bind(cluster, "g-1", "n0")
        assert not audit(cluster.admin, cluster.served, history)


def test_a_node_with_more_than_it_has(cluster: Live) -> None:
    cluster.create(workloads.node("n0", cpu="1"), workloads.pod("a"), workloads.pod("b", cpu="1m"))
    with History(cluster.admin, cluster.served) as history:
        bind(cluster, "a", "n0")
        assert not findings(cluster)
        bind(cluster, "b", "n0")
        assert "node n0 is overcommitted: cpu 1.001 of 1" in findings(cluster)
        cluster.admin.delete(POD.path("default", "b"), {"gracePeriodSeconds": 0})
        assert not findings(cluster)
        assert "node n0 is overcommitted: cpu 1.001 of 1 (at " in findings(cluster, history=history)


def test_an_init_container_and_a_sidecar_count_as_kubelets_count_them(cluster: Live) -> None:
    def container(name: str, cpu: str, **more: str) -> Object:
        return {
            "name": name, "image": "example.invalid/c", "resources": {"requests": {"cpu": cpu}},
            **more,
        }  # fmt: skip

    inits = [container("side", "500m", restartPolicy="Always"), container("once", "2")]
    cluster.create(
        workloads.node("n0", cpu="2499m"), workloads.pod("a", initContainers=inits, cpu="100m")
    )
    bind(cluster, "a", "n0")
    assert "cpu 2.5 of 2.499" in findings(cluster)


def test_a_device_in_two_claims(cluster: Live) -> None:
    cluster.create(devices.gpus_of("n0", 1), devices.claim("a"), devices.claim("b"))
    (a, b) = cluster.create(
        workloads.pod("a", claims={"c": devices.named("a")}),
        workloads.pod("b", claims={"c": devices.named("b")}),
    )
    with History(cluster.admin, cluster.served) as history:
        allocate(cluster, "a", "gpu-0", a)
        assert "claims: " not in findings(cluster, settled=False)
        allocate(cluster, "b", "gpu-0", b)
        said = findings(cluster, history=history, settled=False)
    assert "device gpu.example.com/n0/gpu-0 is in 2 claims: default/a, default/b" in said
    assert "default/b (at " in said


def test_a_counter_that_is_overdrawn(cluster: Live) -> None:
    parts = {"half-0": 4, "half-1": 4, "quarter": 2}
    cluster.create(*devices.partitions_of("n0", 8, parts))
    for number, part in enumerate(parts):
        assert "overdrawn" not in findings(cluster, settled=False)
        cluster.create(devices.claim(f"c{number}"))
        (pod,) = cluster.create(
            workloads.pod(f"p{number}", claims={"c": devices.named(f"c{number}")})
        )
        allocate(cluster, f"c{number}", part, pod)
    assert "counter gpu.example.com/n0/card/memory is overdrawn: 10 of 8" in findings(cluster)


def test_a_claim_that_nobody_uses(cluster: Live) -> None:
    cluster.create(devices.gpus_of("n0", 1), devices.claim("c"))
    allocate(cluster, "c", "gpu-0")
    assert findings(cluster) == "claim default/c is allocated without a user"
    assert not findings(cluster, others=["default/c"])


def test_a_claim_of_a_pod_that_is_gone(cluster: Live) -> None:
    cluster.create(devices.gpus_of("n0", 1), devices.claim("c"))
    (pod,) = cluster.create(workloads.pod("a", claims={"c": devices.named("c")}))
    allocate(cluster, "c", "gpu-0", pod)
    state = state_of(cluster.admin, cluster.served)
    del state.pods["default/a"]  # on the server a controller frees the claim at once
    assert wrong(state) == ["claim default/c is reserved for pods/a, which is gone"]


def test_a_claim_of_a_pod_that_waits(cluster: Live) -> None:
    cluster.create(devices.gpus_of("n0", 1), devices.claim("c"))
    (pod,) = cluster.create(workloads.pod("a", claims={"c": devices.named("c")}))
    allocate(cluster, "c", "gpu-0", pod)
    said = "claim default/c holds devices, and default/a that waits for it is not bound"
    assert findings(cluster) == said
    assert not findings(cluster, settled=False)


def test_a_pod_off_the_nodes_of_its_claim(cluster: Live) -> None:
    cluster.create(
        workloads.node("n0"), workloads.node("n1"), devices.gpus_of("n0", 1), devices.claim("c")
    )
    (pod,) = cluster.create(workloads.pod("a", claims={"c": devices.named("c")}))
    allocate(cluster, "c", "gpu-0", pod, node="n0")
    bind(cluster, "a", "n1")
    assert findings(cluster) == "pod default/a is off the nodes of its claim default/c: n1"


def test_a_bound_pod_without_its_claim(cluster: Live) -> None:
    cluster.create(workloads.node("n0"), devices.gpus_of("n0", 1), devices.claim("c"))
    cluster.create(*(workloads.pod(name, claims={"c": devices.named("c")}) for name in "ab"))
    bind(cluster, "a", "n0")
    assert "default/a is bound, and its claim default/c is not allocated" in findings(cluster)
    allocate(cluster, "c", "gpu-0", *(cluster.get("Pod", f"default/{name}") for name in "ab"))
    assert not findings(cluster)
    state = state_of(cluster.admin, cluster.served)
    del state.claims["default/c"]["status"]["reservedFor"][0]  # a controller would mend it
    assert wrong(state) == [
        "pod default/a is bound, and its claim default/c is not reserved for it"
    ]


def test_half_a_gang(cluster: Live) -> None:
    cluster.create(
        workloads.node("n0"), *workloads.gang(cluster.served.group_version, "g", 3, minimum=2)
    )
    assert not findings(cluster)
    bind(cluster, "g-2", "n0")
    assert findings(cluster) == "gang default/g has 1 of at least 2 pods: default/g-2"
    bind(cluster, "g-0", "n0")
    assert not findings(cluster)


def test_a_group_in_two_racks(cluster: Live) -> None:
    cluster.create(
        *workloads.racks(2, 1),
        workloads.node("bare"),
        *workloads.gang(
            cluster.served.group_version, "g", 2, group={"topology": workloads.RACK}
        ),
    )  # fmt: skip
    bind(cluster, "g-0", "n0")
    bind(cluster, "g-1", "n1")
    assert findings(cluster) == "group default/g is in 2 values of example.com/rack: ['r0', 'r1']"


@pytest.mark.versions("1.37")
def test_half_a_tree_and_a_tree_in_two_blocks(cluster: Live) -> None:
    cluster.create(
        *workloads.racks(2, 1, per_block=1),
        *workloads.tree("t", 2, {"a": 1, "b": 2}, topology=workloads.BLOCK),
    )
    bind(cluster, "t-a-0", "n0")
    assert findings(cluster) == "tree default/t has pods bound, and fewer groups than 2"
    bind(cluster, "t-b-0", "n0")
    bind(cluster, "t-b-1", "n1")
    assert findings(cluster) == "tree default/t is in 2 values of example.com/block: ['b0', 'b1']"


def test_what_is_left_over(cluster: Live) -> None:
    held = {"key": "gangplan.io/held", "value": "f1", "effect": "NoSchedule"}
    cluster.create(workloads.node("n0", taints=[held]), workloads.pod("a"))
    journal = {
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "gangplan-flight-f1", "namespace": "gangplan-system"},
    }  # fmt: skip
    cluster.admin.post(CONFIG_MAP.path("gangplan-system"), journal)
    path = POD.path("default", "a", "status")
    cluster.admin.patch(path, {"status": {"nominatedNodeName": "n0"}})
    assert not findings(cluster, settled=False)
    assert findings(cluster).splitlines() == [
        "journal gangplan-flight-f1 is left",
        "node n0 is still held: f1",
        "pod default/a is still nominated for n0",
    ]


def evict(live: Live, pod: str) -> None:
    """Evict a pod, and wait until it is gone."""
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    live.admin.post(POD.path("default", pod, "eviction"), body)
    live.wait(lambda: pod not in {p["metadata"]["name"] for p in live.all("Pod")})


def test_a_foreign_pod_that_is_evicted(cluster: Live) -> None:
    with History(cluster.admin, cluster.served) as history:
        cluster.create(workloads.node("n0"), workloads.pod("a", scheduler="other", node="n0"))
        evict(cluster, "a")
        assert findings(cluster, history=history) == "pod default/a of other was evicted"
        assert not findings(cluster, history=history, evict_foreign=True)


def test_a_replacement_that_is_evicted_for_nothing(cluster: Live) -> None:
    with History(cluster.admin, cluster.served) as history:
        cluster.create(workloads.node("n0"))
        for _ in range(2):
            assert not findings(cluster, history=history)
            cluster.create(workloads.pod("a", node="n0"))
            evict(cluster, "a")
        said = findings(cluster, history=history)
    assert said == "pod default/a was evicted twice, its replacement after itself"


def test_a_replacement_that_falls_for_somebody_else_later_is_no_finding(cluster: Live) -> None:
    cluster.create(workloads.priority_class("high", 1000))
    with History(cluster.admin, cluster.served) as history:
        cluster.create(workloads.node("n0"), workloads.pod("a", node="n0"))
        evict(cluster, "a")
        cluster.create(workloads.pod("urgent", node="n0", priority_class="high"))
        cluster.create(workloads.pod("a", node="n0"))
        evict(cluster, "a")
        assert not findings(cluster, history=history)


def test_a_gang_that_is_cut_by_an_eviction(cluster: Live) -> None:
    cluster.create(
        workloads.node("n0"),
        *workloads.gang(cluster.served.group_version, "g", 3, minimum=2, node="n0"),
    )
    with History(cluster.admin, cluster.served) as history:
        evict(cluster, "g-0")
        assert not findings(cluster, history=history)
        evict(cluster, "g-1")
        said = findings(cluster, history=history)
        assert "gang default/g was cut to 1 of at least 2 pods by evictions" in said
        evict(cluster, "g-2")
        assert not findings(cluster, history=history)


def test_a_history_goes_on_after_the_watch_has_expired(cluster: Live) -> None:
    history = History(_Forgetful(cluster.admin), cluster.served)  # type: ignore[arg-type]
    with history:
        cluster.wait(lambda: history.gaps)
        cluster.create(workloads.node("n0", cpu="1"), workloads.pod("a", cpu="2", node="n0"))
        assert "cpu 2 of 1 (at " in findings(cluster, history=history)


class _Forgetful:
    """The client, but the first watch of each kind is answered with 410."""

    def __init__(self, client: Any) -> None:
        self.get = client.get
        self._stream: Callable[..., Any] = client.stream
        self._asked: set[str] = set()

    def stream(self, path: str, params: Object, timeout: float) -> Any:
        """Watch, the second time."""
        if path not in self._asked:
            self._asked.add(path)
            raise Gone("too old", status=410)
        return self._stream(path, params, timeout)
