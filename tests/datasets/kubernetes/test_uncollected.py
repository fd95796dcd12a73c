"""The collector of cycles rests while a snapshot is made numeric, and only then."""

import gc

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
