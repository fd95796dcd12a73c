from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.sharing import Sharer, shared_bound


def held(sharers: list[Sharer], free: list[int]) -> int:
    """Most worth that the devices hold, by trying every number of pods of every role."""
    best = 0
    for counts in product(*(range(s.copies + 1) for s in sharers)):
        worth = sum(n * s.worth for n, s in zip(counts, sharers, strict=True))
        if worth > best and fits(sharers, list(counts), tuple(free)):
            best = worth
    return best


def fits(sharers: list[Sharer], counts: list[int], free: tuple[int, ...]) -> bool:
    for i, s in enumerate(sharers):
        if counts[i]:
            rest = [*counts[:i], counts[i] - 1, *counts[i + 1 :]]
            if s.whole:
                empty = [j for j, left in enumerate(free) if left == 1000][: s.whole]
                left = tuple(0 if j in empty else f for j, f in enumerate(free))
                return len(empty) == s.whole and fits(sharers, rest, left)
            return any(
                fits(sharers, rest, (*free[:j], f - s.share, *free[j + 1 :]))
                for j, f in enumerate(free)
                if f >= s.share
            )
    return True


ROLES = st.one_of(
    st.builds(
        Sharer,
        worth=st.integers(1, 9),
        share=st.sampled_from([160, 190, 250, 340, 470, 500, 510, 810]),
        whole=st.just(0),
        copies=st.integers(0, 3),
    ),
    st.builds(
        Sharer,
        worth=st.integers(1, 9),
        share=st.just(0),
        whole=st.integers(0, 2),
        copies=st.integers(0, 2),
    ),
)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(ROLES, min_size=1, max_size=4),
    st.lists(st.sampled_from([0, 300, 550, 1000, 1000]), max_size=3),
)
def test_no_choice_of_pods_is_worth_more_than_the_bound(
    sharers: list[Sharer], free: list[int]
) -> None:
    whole_first = sorted(sharers, key=lambda s: -s.whole)
    assert shared_bound(sharers, np.array(free, dtype=np.int64)) >= held(whole_first, free)


def test_a_part_that_leaves_no_room_counts_a_whole_device() -> None:
    large = [Sharer(worth=810, share=810, whole=0, copies=10)]
    assert shared_bound(large, np.full(4, 1000)) == 4 * 810


def test_small_parts_fill_what_large_ones_leave() -> None:
    mixed = [Sharer(810, 810, 0, 10), Sharer(190, 190, 0, 2)]
    assert 4 * 810 + 2 * 190 <= shared_bound(mixed, np.full(4, 1000)) <= 4 * 1000


def test_three_parts_of_a_half_and_a_bit_need_three_devices() -> None:
    halves = [Sharer(1, 501, 0, 3)]
    assert shared_bound(halves, np.full(2, 1000)) == 2
    assert shared_bound(halves, np.full(3, 1000)) == 3


def test_parts_do_not_go_on_devices_that_are_too_full() -> None:
    assert shared_bound([Sharer(7, 400, 0, 5)], np.array([300, 300, 900])) == 14


def test_what_asks_no_device_counts_in_full() -> None:
    assert shared_bound([Sharer(3, 0, 0, 5), Sharer(1, 600, 0, 9)], np.array([1000])) == 16


def test_the_same_bound_every_time() -> None:
    sharers = [Sharer(s, s, 0, 30) for s in (810, 470, 320, 230, 160)] + [Sharer(1000, 0, 1, 20)]
    free = np.full(50, 1000)
    first = shared_bound(sharers, free)
    assert first == shared_bound(sharers, free) <= 50_000


def test_worths_near_the_limit_of_exactness_fall_back_to_their_sum() -> None:
    assert shared_bound([Sharer(2**50, 600, 0, 3)], np.array([1000])) == 3 * 2**50


def test_one_tiny_part_that_is_worth_all_does_not_leave_int64() -> None:
    sharers = [Sharer(2**39, 1, 0, 1), Sharer(5, 500, 0, 300), Sharer(7, 0, 8, 9)]
    free = np.full(64, 1000, dtype=np.int64)
    # One device holds the tiny part beside one of 500, the others two of 500 each.
    assert shared_bound(sharers, free) >= 2**39 + 5 * 127
