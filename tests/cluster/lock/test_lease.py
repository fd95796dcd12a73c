"""What a process makes of a Lease that it sees, by its own clock alone."""

from typing import Any

import pytest

from gangplan.cluster.lock import Lock, lease, new_holder
from gangplan.cluster.lock.lease import Seen, given_up, spec_of


class Clock:
    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(lease, "now", found)
    return found


def seen(version: int, holder: str = "a", seconds: float = 15) -> dict[str, Any]:
    return {
        "metadata": {"resourceVersion": str(version)},
        "spec": {**spec_of(holder, seconds, 2, None), "renewTime": "2001-01-01T00:00:00.000000Z"},
    }


def test_a_lease_that_is_old_by_its_own_clock_is_not_expired_when_first_seen(clock: Clock) -> None:
    found = Seen()
    found.look(seen(1))
    assert not found.expired(15)
    assert str(found) == "held by a, renewed at 2001-01-01T00:00:00.000000Z by its clock"


def test_a_lease_expires_when_nobody_has_changed_it_for_as_long_as_it_says(clock: Clock) -> None:
    found = Seen()
    found.look(seen(1, seconds=4))
    clock.time += 3
    found.look(seen(1, seconds=4))
    assert not found.expired(15)
    clock.time += 1
    assert found.expired(15)


def test_each_change_starts_the_time_again(clock: Clock) -> None:
    found = Seen()
    found.look(seen(1))
    clock.time += 14
    found.look(seen(2))
    clock.time += 14
    assert not found.expired(15)
    assert str(found) == "held by a, renewed 14 s ago"


def test_a_lease_given_up_has_no_holder_and_the_same_transitions(clock: Clock) -> None:
    found = Seen()
    found.look({**seen(1), "spec": given_up(seen(1))["spec"]})
    assert (found.holder, found.transitions) == ("", 2)
    assert str(found) == "held by nobody"


def test_what_others_wait_for_is_never_shorter_than_what_was_asked() -> None:
    assert spec_of("a", 2.1, 0, None)["leaseDurationSeconds"] == 3


def test_a_lock_that_others_take_before_its_holder_stops_is_refused() -> None:
    with pytest.raises(ValueError, match="retry < renew < duration"):
        Lock(None, "n", "h", duration=10, renew=10)  # type: ignore[arg-type]


def test_no_two_holders_have_the_same_name() -> None:
    assert new_holder() != new_holder()
