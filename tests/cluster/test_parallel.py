"""Threads that all of a process share."""

import threading
import time

import pytest

from gangplan.cluster.errors import Fenced
from gangplan.cluster.parallel import THREADS, each


def test_answers_come_in_the_order_of_the_items() -> None:
    assert each(8, range(100), lambda n: n * n) == [n * n for n in range(100)]


def test_no_more_than_asked_for_work_at_a_time() -> None:
    lock, now, most = threading.Lock(), 0, 0

    def work(_: int) -> None:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.005)
        with lock:
            now -= 1

    each(3, range(30), work)
    assert 1 < most <= 3


def test_after_an_error_nothing_begins_and_what_has_begun_ends() -> None:
    begun, ended = list[int](), list[int]()

    def work(number: int) -> None:
        begun.append(number)
        time.sleep(0.01)
        if number == 2:
            raise ValueError("two")
        ended.append(number)

    with pytest.raises(ValueError, match="two"):
        each(4, range(100), work)
    assert len(begun) < 20
    assert sorted([*ended, 2]) == sorted(begun)


def test_fenced_comes_before_any_other_error() -> None:
    together = threading.Barrier(2, timeout=5)

    def work(number: int) -> None:
        together.wait()
        raise ValueError("first") if number == 0 else Fenced("another one leads")

    with pytest.raises(Fenced):
        each(2, range(2), work)


def test_who_works_may_itself_ask_for_workers() -> None:
    def same(number: int) -> int:
        time.sleep(0.0005)
        return number

    def sums(_: int) -> int:
        return sum(each(16, range(20), same))

    assert each(16, range(4 * THREADS), sums) == [190] * 4 * THREADS


def test_many_who_ask_share_the_threads() -> None:
    before = threading.active_count()
    for _ in range(20):
        each(16, range(16), lambda _: time.sleep(0.001))
    assert threading.active_count() <= before + THREADS
