"""Proof that a quiet kind is up to date: no event has come, and none is on its way.

A watch of a kind in which nothing happens says nothing for up to a minute. A second, short watch
from the same version gets a bookmark at once: a server sends one two seconds before the end of a
watch (``nextBookmarkTime`` of kube-apiserver's watch cache), behind all events up to its version.
What a list at least as new as the wanted version makes sure of is that the server itself has seen
that version before the short watch begins.
"""

from gangplan.cluster.client import Client
from gangplan.cluster.kinds import Kind
from gangplan.cluster.watched.stream import BOOKMARK

_SECONDS = 3
_SILENCE = 10.0
_NOBODY = "metadata.name=gangplan-asks-for-nobody"


def progress(client: Client, kind: Kind, since: int, wanted: int) -> tuple[int, int] | None:
    """Ask what happened after a version, up to another one at least.

    Parameters
    ----------
    since : version up to which all events are known.
    wanted : version that is asked about.

    Returns
    -------
    last, version
        Version of the last event after ``since`` (or ``since``), and a version, at least
        ``wanted``, up to which there are no others; None if the server did not say in time.

    Raises
    ------
    ClusterError : the server cannot be reached or refuses; ``Gone``: ``since`` is too old.
    """
    at_least = {"resourceVersion": wanted, "resourceVersionMatch": "NotOlderThan"}
    client.get(kind.path(), {**at_least, "fieldSelector": _NOBODY})
    params = {
        "watch": "true",
        "allowWatchBookmarks": "true",
        "resourceVersion": since,
        "timeoutSeconds": _SECONDS,
    }
    last = since
    for event in client.stream(kind.path(), params, _SILENCE):
        version = int(event["object"]["metadata"]["resourceVersion"])
        if event["type"] != BOOKMARK:
            last = version
        elif version >= wanted:
            return last, version
    return None
