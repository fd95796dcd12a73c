"""What the scheduler answers over HTTP."""

import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from threading import Thread

import pytest

from gangplan.cluster.errors import ClusterError
from gangplan.cluster.scheduler.metrics import Metrics
from gangplan.cluster.scheduler.serve import Health, Serving, thread_lives


@pytest.fixture
def health() -> Health:
    return Health(limit=100)


@pytest.fixture
def serving(health: Health) -> Iterator[Serving]:
    found = Serving("127.0.0.1:0", Metrics(), health)
    yield found
    found.stop()


def ask(serving: Serving, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{serving.port}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_metrics_come_with_their_content_type(serving: Serving) -> None:
    url = f"http://127.0.0.1:{serving.port}/metrics"
    with urllib.request.urlopen(url, timeout=5) as answer:
        assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        assert b"\ngangplan_leader 0\n" in answer.read()


def test_a_loop_that_hangs_is_not_healthy(serving: Serving, health: Health) -> None:
    assert ask(serving, "/healthz") == (200, "ok\n")
    health._turned -= 101
    assert ask(serving, "/healthz") == (503, "the loop has not turned for 101 s\n")
    health.turn()
    assert ask(serving, "/healthz?verbose")[0] == 200


def test_a_thread_that_has_ended_is_not_healthy(serving: Serving, health: Health) -> None:
    thread = Thread(target=int, name="watch pods")
    health.alive_if(thread_lives(thread))
    thread.start()
    thread.join()
    assert ask(serving, "/healthz") == (503, "the thread watch pods has ended\n")


def test_it_is_ready_once_every_condition_is_true(serving: Serving, health: Health) -> None:
    missing = ["the caches are not filled yet"]
    health.ready_if(lambda: missing[0])
    health.ready_if(lambda: "")
    assert ask(serving, "/readyz") == (503, "the caches are not filled yet\n")
    assert ask(serving, "/healthz")[0] == 200
    missing[0] = ""
    assert ask(serving, "/readyz") == (200, "ok\n")


def test_another_path_is_not_found(serving: Serving) -> None:
    assert ask(serving, "/")[0] == 404


def test_a_port_that_is_taken_or_no_address_is_one_clear_error(health: Health) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ClusterError, match=f"cannot listen on {where}: Address already in use"):
            Serving(where, Metrics(), health)
    for wrong in ("8080", "localhost:http", ":99999"):
        with pytest.raises(ClusterError, match="it has to be ADDRESS:PORT"):
            Serving(wrong, Metrics(), health)
