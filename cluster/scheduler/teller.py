"""Says on the server why groups wait, in a thread of its own: words hold up no round.

Only the newest word of a group is told, only when it has changed, and not too often: a word that
alternates would otherwise be written in each round.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from threading import Condition, Thread

from gangplan.cluster import telling
from gangplan.cluster.errors import ApiError, Fenced, NotFound, Unreachable
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.site import Site
from gangplan.cluster.world import World


class Teller:
    """Keeps what is to be told, and what was.

    Parameters
    ----------
    fenced : called when another one leads.
    """

    def __init__(self, site: Site, settings: Settings, fenced: Callable[[Fenced], None]) -> None:
        self._site = site
        self._pause = settings.retell
        self._fenced = fenced
        self._changed = Condition()
        self._wanted: dict[str, str] = {}
        self._told: dict[str, tuple[str, float]] = {}
        self._world: World | None = None
        self._stopped = False
        self._thread = Thread(target=self._work, name="telling", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Say no more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def tell(self, world: World, reasons: Mapping[str, str]) -> None:
        """Take note of why each group waits: all of them, the others wait no more."""
        with self._changed:
            self._world = world
            self._wanted = dict(reasons)
            self._told = {name: told for name, told in self._told.items() if name in reasons}
            self._changed.notify_all()

    def _next(self) -> tuple[str, str, World] | None:
        """Wait for something to tell; None at the end."""
        with self._changed:
            while not self._stopped:
                now = time.monotonic()
                soonest = None
                for name, reason in self._wanted.items():
                    told, at = self._told.get(name, ("", float("-inf")))
                    if told == reason:
                        continue
                    if now - at >= self._pause:
                        assert self._world is not None
                        self._told[name] = (reason, now)
                        return name, reason, self._world
                    soonest = min(soonest or self._pause, at + self._pause - now)
                self._changed.wait(soonest)
        return None

    def _work(self) -> None:
        while (found := self._next()) is not None:
            name, reason, world = found
            try:
                telling.waiting(replace(self._site, world=partial(_same, world)), name, reason)
            except NotFound:
                continue  # it is not there any more, and waits for nothing
            except Fenced as error:
                self._fenced(error)
                return
            except (ApiError, Unreachable) as error:
                self._site.say(f"{name}: why it waits was not told: {error}")
                with self._changed:
                    self._told[name] = ("", time.monotonic())


def _same(world: World) -> World:
    return world
