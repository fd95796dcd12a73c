"""A Lease as one process sees it: what it writes, what it saw last, and when it saw that change."""

import math
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

Object = dict[str, Any]

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Goes on while the machine is suspended, where there is such a clock."""


def now() -> float:
    """Seconds by a clock of this machine that is never set."""
    return time.clock_gettime(_CLOCK)


class Seen:
    """What was last seen of a Lease.

    Attributes
    ----------
    lease : the object; empty before it was read.
    at : by our own clock, when it was first seen as it is now.
    changed : we saw it change, so that ``at`` says when its holder last wrote it; else it may
        have been like that for long.
    """

    def __init__(self) -> None:
        self.lease: Object = {}
        self.at = now()
        self.changed = False

    @property
    def spec(self) -> Mapping[str, Any]:
        """``spec``, empty before it was read."""
        return self.lease.get("spec") or {}

    @property
    def holder(self) -> str:
        """``spec.holderIdentity``; empty when it is free."""
        return str(self.spec.get("holderIdentity") or "")

    @property
    def transitions(self) -> int:
        """``spec.leaseTransitions``: how often it has changed hands."""
        return int(self.spec.get("leaseTransitions") or 0)

    def look(self, lease: Object) -> None:
        """Take note of what the server has now."""
        before = (self.lease.get("metadata") or {}).get("resourceVersion")
        if lease["metadata"]["resourceVersion"] != before:
            self.changed = before is not None
            self.at = now()
        self.lease = lease

    def wrote(self, lease: Object, sent: float) -> None:
        """Take note of our own write, which was sent at that time."""
        self.lease, self.at, self.changed = lease, sent, True

    def expired(self, duration: float) -> bool:
        """Whether nothing has changed for as long as its holder asked for (else ``duration``)."""
        return now() - self.at >= float(self.spec.get("leaseDurationSeconds") or duration)

    def __str__(self) -> str:
        """``held by X, renewed 3 s ago``."""
        if not self.holder:
            return "held by nobody"
        if self.changed:
            return f"held by {self.holder}, renewed {now() - self.at:.0f} s ago"
        return f"held by {self.holder}, renewed at {self.spec.get('renewTime')} by its clock"


def spec_of(holder: str, duration: float, transitions: int, acquired: str | None) -> Object:
    """``spec`` of coordination.k8s.io/v1 Lease, renewed now; acquired now without a time."""
    at = micro_time()
    return {
        "holderIdentity": holder,
        "leaseDurationSeconds": math.ceil(duration),
        "acquireTime": acquired or at,
        "renewTime": at,
        "leaseTransitions": transitions,
    }


def given_up(lease: Mapping[str, Any]) -> Object:
    """Give the Lease as client-go leaves it on release: held by nobody, for a second."""
    return {**lease, "spec": spec_of("", 1, int(lease["spec"].get("leaseTransitions") or 0), None)}


def micro_time() -> str:
    """Now, by the clock of the wall, as MicroTime of the API; for people to read only."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
