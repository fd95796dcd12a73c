"""What is said of a plan that does not fit the cluster any more."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from gangplan.cluster.checks import of_plan
from gangplan.cluster.errors import Changed
from gangplan.cluster.world import timestamp
from tests.cluster.scheduler.worlds import world


def said(pods: int, **entry: Any) -> tuple[str, ...]:
    """Give what is said of a plan that relied on pods of which none is there."""
    now = time.time()
    site: Any = SimpleNamespace(client=SimpleNamespace(get=lambda path: None, server_time=now))
    here = world()
    relied = {"Pod": {f"default/p-{i}": {"uid": "u"} for i in range(pods)}}
    cluster = {"uid": here.cluster, "taken": timestamp(now), "relied": relied, **entry}
    with pytest.raises(Changed) as error:
        of_plan(site, here, {"cluster": cluster}, 600)
    return error.value.sentences


def test_what_has_changed_ends_with_what_to_do() -> None:
    assert said(1) == (
        "Pod default/p-0: it is not there any more",
        "the cluster is not as in the plan's snapshot: take a new one, and plan that",
    )


def test_a_drained_cluster_is_no_wall_of_text() -> None:
    lines = said(500)
    assert len(lines) == 22
    assert lines[-2] == "and 480 more like these"


def test_a_snapshot_of_the_future_is_said_to_be_one() -> None:
    (line,) = said(1, taken=timestamp(time.time() + 3600))
    assert "from the future" in line
    assert "take a new one" in line
