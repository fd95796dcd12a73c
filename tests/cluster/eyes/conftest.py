"""A proxy in front of the API server, a client that goes through it, and worlds kept up to date."""

import json
from collections.abc import Callable, Iterator

import pytest

from gangplan.cluster.client import Client, connect
from gangplan.cluster.watched import Watched
from gangplan.cluster.watched.stream import Pace
from tests.cluster.faults.proxy import Proxy
from tests.cluster.live import Live

QUICK = Pace(pause=0.05, longest=0.5)

Watching = Callable[..., Watched]


@pytest.fixture
def proxy(cluster: Live) -> Iterator[Proxy]:
    with Proxy(cluster.plane) as found:
        yield found


@pytest.fixture
def through(cluster: Live, proxy: Proxy) -> Client:
    """The adapter's user, by way of the proxy."""
    file = cluster.folder / "proxy.kubeconfig"
    file.write_text(json.dumps(cluster.plane.kubeconfig(server=proxy.address)))
    return connect(str(file))


@pytest.fixture
def watching(cluster: Live) -> Iterator[Watching]:
    """Start a Watched that has been listed; it ends with the test."""
    started = []

    def start(client: Client | None = None, **options: object) -> Watched:
        options.setdefault("pace", QUICK)
        watched = Watched(client or cluster.client, cluster.served, **options)  # type: ignore[arg-type]
        started.append(watched)
        watched.start()
        assert watched.synced(20.0), watched.broken
        return watched

    yield start
    for watched in started:
        watched.stop()
