import math

from gangplan.cluster.scheduler.queue import Queue
from gangplan.cluster.scheduler.settings import Settings

SETTINGS = Settings(quiet=0.1, longest=1.0, backoff=1.0, most_backoff=10.0, flush=60.0)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_begins_a_round_by_itself() -> None:
    assert Queue(SETTINGS, Clock()).due_in() == math.inf


def test_a_burst_is_one_round_that_begins_when_it_is_quiet() -> None:
    clock = Clock()
    queue = Queue(SETTINGS, clock)
    for _ in range(5):
        queue.wake()
        clock.now += 0.05
        assert queue.due_in() > 0
    clock.now += 0.06
    assert queue.due_in() <= 0
    queue.begin()
    assert queue.due_in() == math.inf


def test_a_burst_without_end_begins_a_round_after_a_second() -> None:
    clock = Clock()
    queue = Queue(SETTINGS, clock)
    for _ in range(25):
        queue.wake()
        clock.now += 0.05
    assert queue.due_in() <= 0


def test_who_could_not_be_placed_is_tried_again_later_each_time() -> None:
    clock = Clock()
    queue = Queue(SETTINGS, clock)
    pauses = []
    for _ in range(6):
        queue.begin()
        queue.waiting(["a"], proven=False)
        pauses.append(queue.due_in())
        clock.now += queue.due_in()
    assert pauses == [1, 2, 4, 8, 10, 10]


def test_a_round_for_others_is_no_try_of_who_waits() -> None:
    clock = Clock()
    queue = Queue(SETTINGS, clock)
    queue.waiting(["a"], proven=False)
    clock.now += 0.25
    queue.begin()
    queue.waiting(["a"], proven=False)
    assert queue.due_in() == 0.75


def test_where_it_is_proven_that_nothing_fits_only_a_change_helps() -> None:
    queue = Queue(SETTINGS, Clock())
    queue.waiting(["a"], proven=True)
    assert queue.due_in() == SETTINGS.flush


def test_a_group_whose_flight_failed_rests_and_comes_back() -> None:
    clock = Clock()
    queue = Queue(SETTINGS, clock)
    queue.failed(["a"])
    assert queue.resting() == {"a"}
    assert queue.due_in() == 1.0
    clock.now += 1.01
    assert queue.resting() == frozenset()
    queue.failed(["a"])
    clock.now += 1.5
    assert queue.resting() == {"a"}
    queue.placed(["a"])
    assert queue.resting() == frozenset()


def test_a_round_for_others_does_not_forget_who_rests() -> None:
    clock = Clock()
    queue = Queue(SETTINGS, clock)
    queue.failed(["a"])
    clock.now += 0.25
    queue.begin()
    assert queue.resting() == {"a"}
    assert queue.due_in() == 0.75


def test_a_group_that_cost_others_their_pods_rests_longer_and_longer() -> None:
    clock = Clock()
    queue = Queue(SETTINGS, clock)
    pauses = []
    for _ in range(8):
        queue.begin()
        queue.failed(["a"], costly=True)
        pauses.append(round(queue.due_in(), 6))
        clock.now += queue.due_in() + 0.01
    assert pauses == [10, 20, 40, 80, 160, 320, 600, 600]


def test_groups_that_are_gone_are_forgotten() -> None:
    clock = Clock()
    queue = Queue(SETTINGS, clock)
    queue.failed(["a"])
    queue.forget([])
    assert queue.resting() == frozenset()
