"""Errors that mean "not now", pauses, and the same thing done to many objects."""

import threading
import time
from typing import Any, cast

import pytest

from gangplan.cluster.carry.patience import TWO_BUDGETS, Pauses, each, is_away
from gangplan.cluster.errors import ApiError, Busy, ClusterError, Conflict, Fenced, Unreachable
from gangplan.cluster.site import Site


class _Site:
    """As much of a site as ``each`` asks for."""

    parallel = 2


SITE = cast(Site, cast(Any, _Site))


@pytest.mark.parametrize(
    ("error", "away"),
    [
        (Unreachable("gone"), True),
        (ApiError("etcd", status=500), True),
        (ApiError("starting", status=503), True),
        (ApiError(f"This pod has {TWO_BUDGETS}, no", status=500), False),
        (Busy("later", status=429), True),
        (Busy("no", status=429, causes=("DisruptionBudget",)), False),
        (Conflict("changed", status=409), False),
        (ApiError("refused", status=422), False),
        (Fenced("taken over"), False),
        (ClusterError("no room"), False),
    ],
)
def test_what_may_pass_by_itself_is_told_from_what_will_not(
    error: ClusterError, away: bool
) -> None:
    assert is_away(error) is away


def test_pauses_grow_and_end() -> None:
    pauses = Pauses(0.2, first=0.01)
    begun = time.monotonic()
    rests = 0
    while pauses.rest():
        rests += 1
    assert 3 <= rests <= 8
    assert time.monotonic() - begun < 2.0
    assert not pauses.rest()


def test_being_fenced_counts_before_any_other_error() -> None:
    both = threading.Barrier(2)

    def fail(item: int) -> None:
        both.wait(5)
        raise (ClusterError("first"), Fenced("second"))[item]

    with pytest.raises(Fenced):
        each(SITE, [0, 1], fail)


def test_after_an_error_nothing_more_is_begun() -> None:
    begun: list[int] = []

    def fail(item: int) -> None:
        begun.append(item)
        time.sleep(0.05)
        raise ClusterError(str(item))

    with pytest.raises(ClusterError, match="0"):
        each(SITE, range(20), fail)
    assert len(begun) <= 4


def test_results_come_in_the_order_of_the_items() -> None:
    assert each(SITE, range(9), lambda item: item * item) == [i * i for i in range(9)]
