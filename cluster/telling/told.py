"""What this process has told lately, so that nothing is told twice in a row."""

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable

_MOST = 50_000


class Told:
    """Remembers what was told, for some seconds; safe to share between threads."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._told: OrderedDict[Hashable, tuple[object, float]] = OrderedDict()
        self._lock = threading.Lock()

    def lately(self, key: Hashable, what: object) -> bool:
        """Whether the last thing told under a key is this, and not long ago."""
        with self._lock:
            said, at = self._told.get(key, (None, 0.0))
        return said == what and time.monotonic() - at < self._seconds

    def note(self, key: Hashable, what: object) -> None:
        """Remember it; what is oldest is forgotten where there is too much."""
        with self._lock:
            self._told[key] = (what, time.monotonic())
            self._told.move_to_end(key)
            if len(self._told) > _MOST:
                self._told.popitem(last=False)
