"""All kinds of work at once, some of it urgent, some of it done soon: audited from the outside."""

import random
import time
from collections import defaultdict
from typing import Any

import pytest

from gangplan.cluster.errors import NotFound
from gangplan.cluster.kinds import POD
from tests.cluster.audit import audit
from tests.cluster.audit.history import History
from tests.cluster.live import Live, Object
from tests.cluster.scheduler.running import Scheduler
from tests.cluster.workloads import RACK, budget, gang, pod, priority_class, racks

pytestmark = pytest.mark.cluster

ARRIVALS = 20


@pytest.mark.parametrize("seed", [1, 2])
def test_no_rule_is_broken_at_any_moment_and_nothing_is_left_over(cluster: Live, seed: int) -> None:
    random_ = random.Random(seed)
    cluster.create(priority_class("urgent", 1000), priority_class("medium", 100))
    cluster.create(*racks(2, 3, cpu="8"), budget("guarded", {"guarded": "yes"}, 1))
    with History(cluster.admin, cluster.served) as history:
        first = Scheduler(cluster, "--starving", "5", log="first.log").leads()
        _arrivals(random_, cluster, 0)
        first.until(cluster.bound)
        first.kill()
        second = Scheduler(cluster, "--starving", "5", log="second.log").leads()
        _arrivals(random_, cluster, ARRIVALS)
        for _ in range(2):
            time.sleep(2)
            second.until(lambda: not _journals(cluster), 60)
        assert second.end() == 0
        assert not audit(cluster.admin, cluster.served, history)
    said = [line for one in (first, second) for line in one.lines()]
    assert not [line for line in said if line["level"] == "error"]
    assert any("evicted" in line["message"] or line.get("lost") for line in said)


def _arrivals(random_: random.Random, cluster: Live, start: int) -> None:
    for number in range(start, start + ARRIVALS):
        cluster.create(*_work(random_, cluster.served.group_version, number))
        _end_some(random_, cluster)
        time.sleep(random_.uniform(0.1, 0.8))


def _work(random_: random.Random, version: str, number: int) -> list[Object]:
    name, size = f"w{number}", random_.randint(1, 4)
    urgency = random_.choice(["", "", "medium", "urgent"])
    cpu = str(random_.choice([1, 2, 3, 6]))
    labels = {"guarded": "yes"} if random_.random() < 0.3 else {}
    kind = random_.choice(["pod", "gang", "rack", "whole", "elastic"])
    if kind == "pod":
        return [pod(name, cpu=cpu, priority_class=urgency, labels=labels)]
    wishes: dict[str, dict[str, Any]] = {"rack": {"topology": RACK}, "whole": {"whole": True}}
    minimum = max(1, size - 1) if kind == "elastic" else None
    return gang(
        version, name, size, minimum=minimum, group=wishes.get(kind), priority_class=urgency,
        cpu=cpu, labels=labels,
    )  # fmt: skip


def _end_some(random_: random.Random, cluster: Live) -> None:
    """Let some groups that run succeed, and take some away: whole ones."""
    groups: dict[str, list[Object]] = defaultdict(list)
    for found in cluster.all("Pod"):
        groups[found["metadata"]["name"].partition("-")[0]].append(found)
    for members in groups.values():
        if all(one["spec"].get("nodeName") for one in members) and random_.random() < 0.15:
            succeed = random_.random() < 0.7
            for one in members:
                _end(cluster, one["metadata"]["name"], succeed=succeed)


def _end(cluster: Live, name: str, *, succeed: bool) -> None:
    try:
        if succeed:
            path = POD.path("default", name, "status")
            cluster.admin.patch(path, {"status": {"phase": "Succeeded"}})
        else:
            cluster.admin.delete(POD.path("default", name), {"gracePeriodSeconds": 0})
    except NotFound:
        return  # it was evicted in the meantime


def _journals(cluster: Live) -> list[Object]:
    label = {"labelSelector": "app.kubernetes.io/managed-by=gangplan"}
    path = "/api/v1/namespaces/gangplan-system/configmaps"
    return list(cluster.admin.get(path, label)["items"])
