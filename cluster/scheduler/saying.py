"""What nothing depends on is said when there is time: a thread of its own, one word at a time.

So does kube-scheduler: its events go through a queue with an end, and what does not fit is dropped.
"""

import queue
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Thread

MOST = 20_000
"""Words that may wait; a pod that is bound has one."""


class Saying:
    """Words that wait, and who says them.

    Parameters
    ----------
    say : takes a sentence for people, where words are dropped.
    """

    def __init__(self, say: Callable[[str], None], most: int = MOST) -> None:
        self._say = say
        self._words: queue.Queue[Callable[[], None] | None] = queue.Queue(most)
        self._ended = False
        self._thread = Thread(target=self._work, name="events", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self, seconds: float) -> None:
        """Say no more than what can be said in so many seconds; the rest is dropped."""
        with suppress(queue.Full):
            self._words.put_nowait(None)  # ends a wait for words
        self._thread.join(seconds)
        self._ended = True

    def later(self, words: Sequence[Callable[[], None]]) -> None:
        """Take words; those beyond the end of the queue are dropped, and that is told."""
        for number, word in enumerate(words):
            try:
                self._words.put_nowait(word)
            except queue.Full:
                self._say(f"{len(words) - number} events are dropped: too many wait")
                return

    def _work(self) -> None:
        while (word := self._words.get()) is not None and not self._ended:
            word()
