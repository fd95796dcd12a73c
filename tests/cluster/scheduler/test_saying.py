"""Events that wait until there is time."""

from threading import Event

from gangplan.cluster.scheduler.saying import Saying
from tests.cluster.sites import Said


def test_words_are_said_in_order_and_those_that_wait_at_the_end() -> None:
    said = list[int]()
    saying = Saying(Said())
    saying.start()
    saying.later([lambda n=n: said.append(n) for n in range(50)])  # type: ignore[misc]
    saying.stop(5.0)
    assert said == list(range(50))


def test_nobody_waits_for_words_and_what_is_too_much_is_dropped_and_told() -> None:
    told, gate, said = Said(), Event(), list[int]()
    saying = Saying(told, most=2)
    saying.start()
    saying.later([lambda: (gate.wait(10), None)[1]])
    while not told.sentences:
        saying.later([lambda: said.append(1)])
    assert told.sentences == ["1 events are dropped: too many wait"]
    gate.set()


def test_the_end_is_not_held_up_and_nothing_is_said_after_it() -> None:
    saying, begun, gate, said = Saying(Said()), Event(), Event(), list[int]()

    def first() -> None:
        begun.set()
        gate.wait(10)
        said.append(1)

    saying.start()
    saying.later([first, *[lambda: said.append(2)] * 5])
    begun.wait(10)
    saying.stop(0.05)
    gate.set()
    saying.stop(5.0)
    assert said == [1]
