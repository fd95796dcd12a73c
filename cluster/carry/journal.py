"""The journal: one ConfigMap a flight, which says how far it has come and who carries it out.

It is written before each step, with the resource version of its last writing: a process that was
paused while another one took over gets a 409, and writes nothing more.
"""

import time
from dataclasses import asdict, dataclass, field
from typing import Any

from gangplan.cluster import faultpoints
from gangplan.cluster.carry import packed
from gangplan.cluster.carry.patience import Pauses, is_away, read_back
from gangplan.cluster.client import Object
from gangplan.cluster.errors import ClusterError, Conflict, Fenced, NotFound
from gangplan.cluster.flight import STEPS, Flight, Placing, flight_of
from gangplan.cluster.kinds import CONFIG_MAP
from gangplan.cluster.outcome import Outcome
from gangplan.cluster.site import Site
from gangplan.cluster.world import timestamp

PREFIX = "gangplan-flight-"
LABEL = ("app.kubernetes.io/managed-by", "gangplan")


@dataclass(slots=True)
class Journal:
    """A flight on its way.

    Attributes
    ----------
    step : as last written. why : what made an undo necessary.
    earlier : placings that a repair has replaced: where pods may have been bound as well.
    refused : nodes that would not have a pod of ours. repairs : rounds of repair so far.
    resumed : taken over from another process, or from an earlier life of this one.
    written : the ConfigMap as the server has it.
    """

    site: Site
    flight: Flight
    step: str
    outcome: Outcome
    why: str = ""
    earlier: tuple[Placing, ...] = ()
    refused: tuple[str, ...] = ()
    repairs: int = 0
    resumed: bool = False
    writes: int = 0
    written: Object = field(default_factory=dict)

    @property
    def tried(self) -> dict[str, set[str]]:
        """UID of each pod that is placed -> nodes that we may have bound it to."""
        found: dict[str, set[str]] = {}
        for placing in (*self.flight.placings, *self.earlier):
            found.setdefault(placing.uid, set()).add(placing.node)
        return found

    def note(self, text: str) -> None:
        """Put a sentence into the outcome, and tell it."""
        self.outcome.sentences.append(text)
        self.site.say(f"{self.flight.name}: {text}")

    def warn(self, text: str) -> None:
        """Put a warning into the outcome, and tell it."""
        self.outcome.warnings.append(text)
        self.site.say(f"{self.flight.name}: warning: {text}")

    def write(self, step: str) -> None:
        """Announce a step.

        Raises
        ------
        Fenced : another one has taken over, or has closed the journal.
        ClusterError : it cannot be written.
        """
        self._put(step, step)

    def take_over(self) -> None:
        """Become the holder; the step stays. Raises as ``write``."""
        self._put(self.step, "takeover")

    def close(self) -> None:
        """Delete the journal: the flight has ended.

        Raises
        ------
        Fenced : another one has taken over. ClusterError : it cannot be deleted.
        """
        metadata = self.written["metadata"]
        options = {
            "preconditions": {key: metadata[key] for key in ("uid", "resourceVersion")},
        }
        faultpoints.point("journal.close.before")
        try:
            self.site.client.delete(_path(self.site, self.flight.key), options)
        except NotFound:
            # An earlier deletion whose answer was lost.
            pass
        except Conflict as error:
            raise _fenced(self.flight, self.site, None) from error
        faultpoints.point("journal.close.after")

    def _put(self, step: str, name: str) -> None:
        before = self.step
        self.step, self.writes = step, self.writes + 1
        body = {**_body(self), "metadata": {**self.written["metadata"]}}
        faultpoints.point(f"journal.{name}.before")
        try:
            self.written = _replaced(self.site, self.flight, body)
        except BaseException:
            self.step = before
            raise
        faultpoints.point(f"journal.{name}.after")


def take(site: Site, flight: Flight) -> Journal:
    """Create the journal of a flight: from now on it is ours.

    Raises
    ------
    Fenced : somebody carries it out already.
    ClusterError : the namespace is not there, the flight is too big, or the server refuses.
    """
    step = "evict" if flight.fallings else "clear"
    journal = Journal(site, flight, step, Outcome(flight.key))
    body = _body(journal)
    path = CONFIG_MAP.path(site.namespace)
    faultpoints.point("journal.take.before")
    pauses = Pauses(site.waits.away)
    while True:
        try:
            journal.written = site.client.post(path, body)
            break
        except Conflict as error:
            found = _read(site, flight.key)
            if found is None or not _same(found, body):
                raise _fenced(flight, site, found) from error
            journal.written = found
            break
        except NotFound as error:
            raise ClusterError(
                f"no namespace {site.namespace}, where the journals lie: "
                "kubectl apply -k cluster/deploy makes it"
            ) from error
        except ClusterError as error:
            if not is_away(error) or not pauses.rest():
                raise
    faultpoints.point("journal.take.after")
    return journal


def left_over(site: Site) -> list[Object]:
    """Journals of flights that have not ended, the oldest first.

    Raises
    ------
    ClusterError : they cannot be listed.
    """
    label = {"labelSelector": "=".join(LABEL)}
    answer = site.client.get(CONFIG_MAP.path(site.namespace), label)
    found = [obj for obj in answer["items"] if obj["metadata"]["name"].startswith(PREFIX)]
    metadata = [(str(o["metadata"].get("creationTimestamp")), o["metadata"]["name"]) for o in found]
    return [obj for _, obj in sorted(zip(metadata, found, strict=True), key=lambda pair: pair[0])]


def left(site: Site, key: str) -> Object | None:
    """Give the journal of one flight; None where it has ended.

    Raises
    ------
    ClusterError : it cannot be read.
    """
    return _read(site, key)


def opened(site: Site, written: Object) -> Journal:
    """Read a journal that was left over.

    Raises
    ------
    ClusterError : it is not one of ours, or of a version that writes others.
    """
    name = written["metadata"]["name"]
    try:
        content = packed.unpack(written["binaryData"][packed.KEY])
        journal = Journal(
            site,
            flight_of(content["flight"]),
            str(written["data"]["step"]),
            Outcome(**content["outcome"]),
            why=str(content["why"]),
            earlier=tuple(Placing(**p) for p in content["earlier"]),
            refused=tuple(content["refused"]),
            repairs=int(content["repairs"]),
            resumed=True,
            writes=int(written["data"]["writes"]),
            written=written,
        )
    except (AttributeError, KeyError, TypeError, ValueError, OSError, EOFError) as error:
        raise ClusterError(
            f"ConfigMap {site.namespace}/{name} cannot be read as a journal ({error!r}): "
            "look at its pods, then delete it"
        ) from error
    if journal.step not in STEPS:
        raise ClusterError(f"ConfigMap {site.namespace}/{name}: no step {journal.step} is known")
    return journal


def content_of(journal: Journal) -> dict[str, Any]:
    """Give what a journal holds beside its step and holder, as plain data."""
    return {
        "flight": journal.flight.as_json(),
        "outcome": asdict(journal.outcome),
        "why": journal.why,
        "earlier": [asdict(placing) for placing in journal.earlier],
        "refused": list(journal.refused),
        "repairs": journal.repairs,
    }


def _body(journal: Journal) -> Object:
    site, flight = journal.site, journal.flight
    label, value = LABEL
    most = packed.MOST if journal.written else packed.FIRST
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": PREFIX + flight.key,
            "namespace": site.namespace,
            "labels": {label: value},
        },
        "data": {
            "step": journal.step,
            "holder": site.holder,
            "renewed": timestamp(site.client.server_time or time.time()),
            "writes": str(journal.writes),
            "groups": packed.shortened(flight.name),
        },
        "binaryData": {packed.KEY: packed.pack(content_of(journal), flight.name, most)},
    }
    return body


def _replaced(site: Site, flight: Flight, body: Object) -> Object:
    path = _path(site, flight.key)
    pauses = Pauses(site.waits.away)
    while True:
        try:
            return site.client.put(path, body)
        except NotFound as error:
            raise _fenced(flight, site, None) from error
        except Conflict as error:
            # The answer to an earlier try of this very write may have been lost.
            found = _read(site, flight.key)
            if found is not None and _same(found, body):
                return found
            raise _fenced(flight, site, found) from error
        except ClusterError as error:
            if not is_away(error):
                raise
            found = read_back(lambda: _read(site, flight.key), pauses)
            if found is not None and _same(found, body):
                return found
            if not pauses.rest():
                raise


def _same(found: Object, body: Object) -> bool:
    # The holder is unique to a process, and it counts its writes.
    keys = ("holder", "step", "writes")
    return all(found.get("data", {}).get(key) == body["data"][key] for key in keys)


def _read(site: Site, key: str) -> Object | None:
    try:
        return site.client.get(_path(site, key))
    except NotFound:
        return None


def _path(site: Site, key: str) -> str:
    return CONFIG_MAP.path(site.namespace, PREFIX + key)


def _fenced(flight: Flight, site: Site, found: Object | None) -> Fenced:
    if found is None:
        found = _read(site, flight.key)
    if found is None:
        return Fenced(f"{flight.name}: another one has ended this flight")
    data = found.get("data", {})
    return Fenced(
        f"{flight.name}: carried out by {data.get('holder')}, at step {data.get('step')} since "
        f"{data.get('renewed')}"
    )
