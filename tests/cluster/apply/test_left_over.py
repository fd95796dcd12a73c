"""``gangplan apply`` beside a flight of an earlier process that cannot be ended."""

import pytest

from gangplan.cluster.kinds import CONFIG_MAP
from tests.cluster.apply.test_apply import planned, scene
from tests.cluster.live import Live

pytestmark = [pytest.mark.cluster, pytest.mark.alike]


def test_nothing_is_written_beside_a_journal_that_nobody_can_read(cluster: Live) -> None:
    scene(cluster)
    planned(cluster)
    journal = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "gangplan-flight-of-another-day",
            "labels": {"app.kubernetes.io/managed-by": "gangplan"},
        },
        "data": {"step": "bind"},
    }
    cluster.admin.post(CONFIG_MAP.path("gangplan-system"), journal)
    done = cluster.run("apply", "--plan", "p.json", "--yes")
    assert done.returncode == 4
    assert "nothing of this plan was written: flight of-another-day" in done.stderr
    assert "Traceback" not in done.stderr
    assert not cluster.bound()
    cluster.admin.delete(CONFIG_MAP.path("gangplan-system", "gangplan-flight-of-another-day"))
    assert cluster.run("apply", "--plan", "p.json", "--yes").returncode == 0
    assert set(cluster.bound()) == {"a-0", "a-1", "a-2", "p"}
