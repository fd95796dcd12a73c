"""The builder on a cluster of full size, from records: reading text is measured elsewhere."""

import time

import pytest

from gangplan.datasets.kubernetes.assemble.build import build
from gangplan.datasets.kubernetes.records import (
    AntiTerm,
    Eligibility,
    GroupRecord,
    LabelSelector,
    NodeRecord,
    PodRecord,
    Requirement,
    Snapshot,
    Taint,
    Toleration,
    TopologyRule,
)

GANG = 8


def snapshot(nodes: int, pods: int, waiting_groups: int) -> Snapshot:
    made = Snapshot()
    for n in range(nodes):
        labels = {"kubernetes.io/hostname": f"n-{n}", "rack": f"r{n // 16}", "gpu": str(n % 2)}
        taints = (Taint("gpu", "", "NoSchedule"),) if n % 3 == 0 else ()
        room = {"cpu": 64_000, "nvidia.com/gpu": 8, "pods": 110}
        made.nodes.append(NodeRecord(f"n-{n}", labels, taints, room, False, True, "f"))
    for g in range(pods // GANG):
        waits = g >= pods // GANG - waiting_groups
        rules = (TopologyRule("rack", "required"),) if g % 2 else ()
        name = f"train-{g}"
        made.groups.append(
            GroupRecord(
                "ns", name, True, GANG, "", rules, {}, "single", None, "", (), 1e9 + g, "v", "f"
            )
        )
        host = Requirement("kubernetes.io/hostname", "NotIn", (f"n-{g % nodes}",))
        eligibility = Eligibility(
            (("gpu", "1"),) if g % 3 else (), ((host,),), (Toleration("gpu", "Exists", "", ""),)
        )
        guard = AntiTerm(LabelSelector((Requirement("app", "In", (f"a{g}",)),)), ())
        for i in range(GANG):
            made.pods.append(
                PodRecord(
                    namespace="ns",
                    name=f"{name}-{i}",
                    node="" if waits else f"n-{g // 2 % nodes}",
                    phase="Pending" if waits else "Running",
                    terminating=False,
                    gated=False,
                    group=name,
                    request={"cpu": 1000 * (1 + i % 2), "nvidia.com/gpu": 1, "pods": 1},
                    eligibility=eligibility,
                    priority=None,
                    priority_class="",
                    owner=f"Job/{name}",
                    labels={"app": f"a{g}", "index": str(i)},
                    annotations={},
                    unsupported=(),
                    anti=() if waits else (guard,),
                    created=1e9,
                    source="f",
                )
            )
    return made


@pytest.mark.slow
def test_5000_nodes_and_50000_pods_build_in_3_seconds() -> None:
    records = snapshot(5000, 50_000, 800)
    start = time.process_time()
    built = build(records)
    assert time.process_time() - start <= 3
    assert (built.n_pods, len(built.roles)) == (6400, 1600)
    assert len(built.running) == 43_600


def test_ten_times_the_pods_cost_about_ten_times() -> None:
    seconds = []
    for pods in (1_000, 10_000):
        records = snapshot(200, pods, pods // 80)
        start = time.process_time()
        build(records)
        seconds.append(time.process_time() - start)
    assert seconds[1] < 30 * max(seconds[0], 0.02)
