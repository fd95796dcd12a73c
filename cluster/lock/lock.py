"""The lock over all: one Lease, held by the scheduler that leads or by one ``apply``.

Leader election as client-go does it (``tools/leaderelection``): the clocks of two machines are
never compared. Who wants the lease notes when, by its own clock, it last saw it change, and takes
it when nothing has changed for as long as its holder asked for. Who has it writes it again every
``retry`` seconds, and counts it as lost when that last succeeded more than ``renew`` seconds ago.
``renew`` is shorter than ``duration``: the holder stops before anybody else begins.

A process that was paused finds out by itself: ``guard`` looks at a clock that goes on while the
process or the machine sleeps. A lease once lost stays lost, until ``acquire`` is called again.
"""

import os
import random
import socket
import uuid
from collections.abc import Callable
from threading import Event, RLock, Thread
from typing import Any

from gangplan.cluster.client import Client
from gangplan.cluster.errors import (
    ApiError,
    ClusterError,
    Conflict,
    Denied,
    Fenced,
    NotFound,
    Unreachable,
)
from gangplan.cluster.kinds import LEASE
from gangplan.cluster.lock.lease import Seen, given_up, now, spec_of

_INSTALL = "kubectl apply -k cluster/deploy"


def new_holder() -> str:
    """Give a name that no other process has had: the host (in a pod: the pod) and a random part."""
    return f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"


class Lock:
    """A Lease, wanted or held; see the module.

    Parameters
    ----------
    client : without a guard.
    namespace, name : of the Lease; the namespace has to exist.
    holder : a name that no other process has or had (``new_holder``).
    duration : seconds without a renewal after which others may take the lease.
    renew : seconds after which its holder counts it as lost; less than ``duration``.
    retry : seconds between two tries, of taking as of renewing; less than ``renew``.
    say : takes sentences for people.

    Attributes
    ----------
    lost : set when the lease was held and is not any more, other than by ``release``.

    Raises
    ------
    ValueError : not ``0 < retry < renew < duration``.
    """

    def __init__(
        self,
        client: Client,
        namespace: str,
        holder: str,
        *,
        name: str = "gangplan",
        duration: float = 15.0,
        renew: float = 10.0,
        retry: float = 2.0,
        say: Callable[[str], None] = print,
    ) -> None:
        if not 0 < retry < renew < duration:
            raise ValueError("a lock needs 0 < retry < renew < duration")
        # A request that hangs leaves time for a second one before the lease counts as lost.
        self._client = client.within(min(5.0, renew / 2))
        self.name, self.namespace, self.holder = f"{namespace}/{name}", namespace, holder
        self.lost = Event()
        self._path, self._short = LEASE.path(namespace, name), name
        self._duration, self._renew, self._retry = duration, renew, retry
        self._say = say
        self._state = RLock()
        self._seen = Seen()
        self._renewed: float | None = None
        self._stop = Event()
        self._thread: Thread | None = None

    # -- for the holder ------------------------------------------------------------------------

    @property
    def leads(self) -> bool:
        """Whether the lease is ours at this moment."""
        return self._why_not() is None

    def guard(self) -> None:
        """Do nothing while the lease is ours; called before each write (``Client.guarded``).

        Raises
        ------
        Fenced : it was not taken, is lost, or its last renewal is too long ago.
        """
        why = self._why_not()
        if why is not None:
            raise Fenced(f"the lease {self.name} is not ours: {why}")

    def held_by(self) -> str:
        """Say who holds it, as far as we have seen: ``held by X, renewed 3 s ago``."""
        with self._state:
            return str(self._seen)

    def _why_not(self) -> str | None:
        with self._state:
            if self.lost.is_set():
                return f"it was lost ({self._seen})"
            if self._renewed is None:
                return "it was not taken, or is released"
            ago = now() - self._renewed
            return f"last renewed {ago:.0f} s ago" if ago > self._renew else None

    # -- taking it -----------------------------------------------------------------------------

    def acquire(self, wait: float | None, stop: Event | None = None) -> bool:
        """Take the lease, trying for ``wait`` seconds (None: for ever) or until ``stop`` is set.

        That a holder has crashed is seen only after ``duration`` seconds of looking.

        Returns
        -------
        Whether it is ours; if not, ``held_by`` says whose.

        Raises
        ------
        ClusterError : the namespace is not there, the rights are lacking, or the last try within
            ``wait`` got no answer.
        """
        if self.leads:
            return True
        self.lost.clear()
        self._stop.clear()
        stop = stop or self._stop
        until = None if wait is None else now() + wait
        denied: float | None = None
        while not stop.is_set():
            over = until is not None and now() >= until
            try:
                if self._try():
                    self._thread = Thread(target=self._keep, name="lease", daemon=True)
                    self._thread.start()
                    return True
                denied = None
            except (Unreachable, ApiError) as error:
                # Rights are unknown for a moment after an API server has started.
                denied = (denied or now()) if isinstance(error, Denied) else None
                if over or (denied is not None and now() - denied >= self._duration):
                    raise _explained(error, self.namespace) from None
                self._say(f"lease {self.name} not taken: {error}")
            if over:
                return False
            pause = self._retry * random.uniform(1.0, 1.2)
            stop.wait(pause if until is None else min(pause, max(0.0, until - now())))
        return False

    def _try(self) -> bool:
        sent = now()
        try:
            found = self._client.get(self._path)
        except NotFound:
            return self._create(sent)
        with self._state:
            self._seen.look(found)
        before = self._seen.holder
        if before not in ("", self.holder) and not self._seen.expired(self._duration):
            return False
        try:
            # Our own name is there when an earlier try was carried out and its answer lost.
            self._write(self._seen.transitions + (before != self.holder), None)
        except Conflict:
            return False
        if before not in ("", self.holder):
            self._say(f"lease {self.name} taken over from {before}, which was silent")
        return True

    def _create(self, sent: float) -> bool:
        body = {
            "apiVersion": LEASE.api_version,
            "kind": LEASE.name,
            "metadata": {"name": self._short, "namespace": self.namespace},
            "spec": spec_of(self.holder, self._duration, 0, None),
        }
        try:
            self._wrote(self._client.post(LEASE.path(self.namespace), body), sent)
        except Conflict:
            return False
        except NotFound:
            raise ClusterError(
                f"the namespace {self.namespace} is not there: {_INSTALL} makes it"
            ) from None
        return True

    # -- keeping it ----------------------------------------------------------------------------

    def _keep(self) -> None:
        told = False
        try:
            while not self._stop.wait(self._retry if self.leads else 0.0) and self.leads:
                try:
                    self._again()
                    told = False
                except (Unreachable, ApiError) as error:
                    if not told:
                        self._say(f"lease {self.name} not renewed, trying on: {error}")
                    told = True
        finally:
            if not self._stop.is_set():
                self.lost.set()
                self._say(f"lease {self.name} lost: {self.held_by()}")

    def _again(self) -> None:
        ours = (self.holder, self._seen.transitions)
        acquired = self._seen.spec["acquireTime"]
        try:
            try:
                self._write(ours[1], acquired)
                return
            except Conflict:
                found = self._client.get(self._path)
        except NotFound:
            found = {}
        # Our own write whose answer was lost, or somebody's label, is no loss.
        with self._state:
            if found:
                self._seen.look(found)
            if not found or (self._seen.holder, self._seen.transitions) != ours:
                self._renewed = None
                return
        self._write(ours[1], acquired)

    def release(self) -> bool:
        """Stop renewing, and give the lease up for others to take at once.

        Call it after the last write. Nothing is raised: a lease that cannot be given up is said
        to run out by itself.

        Returns
        -------
        Whether it was given up.
        """
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        with self._state:
            held, self._renewed = self.leads, None
        for _ in range(3 if held else 0):
            try:
                found = self._client.get(self._path)
                if found["spec"].get("holderIdentity") != self.holder:
                    return False
                self._client.put(self._path, given_up(found))
                return True
            except Conflict:
                continue
            except (Unreachable, ApiError) as error:
                self._say(f"lease {self.name} is left to run out by itself: {error}")
                return False
        return False

    def _write(self, transitions: int, acquired: str | None) -> None:
        sent = now()
        spec = spec_of(self.holder, self._duration, transitions, acquired)
        self._wrote(self._client.put(self._path, {**self._seen.lease, "spec": spec}), sent)

    def _wrote(self, lease: dict[str, Any], sent: float) -> None:
        # The time before it was sent: others count from when they see it, which is later.
        with self._state:
            self._seen.wrote(lease, sent)
            self._renewed = sent


def _explained(error: ClusterError, namespace: str) -> ClusterError:
    if isinstance(error, Denied):
        return ClusterError(f"{error}: {_INSTALL} makes {namespace} and gives the rights")
    return error
