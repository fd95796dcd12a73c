"""The collector of cycles rests while a snapshot is made numeric, and only then."""

import gc
import threading

import pytest

from gangplan.datasets.kubernetes.assemble.uncollected import uncollected


def test_the_collector_rests_and_then_runs_again_whatever_happens() -> None:
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
    nothing: dict[str, int] = {}
    with pytest.raises(KeyError), uncollected():
        nothing["x"]
    assert gc.isenabled()


def test_where_it_did_not_run_it_stays_off() -> None:
    gc.disable()
    try:
        with uncollected(), uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_rests_until_the_last_thread_is_through() -> None:
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with uncollected():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(10)
    with uncollected():
        pass
    assert not gc.isenabled()
    leave.set()
    thread.join(10)
    assert gc.isenabled()


def test_it_runs_again_where_threads_meet_at_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread looks whether it runs while another is about to let it run again."""
    looked, switched = threading.Event(), threading.Event()
    is_enabled = gc.isenabled

    def slow() -> bool:
        found = is_enabled()
        if threading.current_thread() is thread:
            looked.set()
            switched.wait(0.2)
        return found

    def other() -> None:
        with uncollected():
            pass

    thread = threading.Thread(target=other)
    monkeypatch.setattr(gc, "isenabled", slow)
    with uncollected():
        thread.start()
        looked.wait(0.2)
    switched.set()
    thread.join(10)
    assert is_enabled()
