"""A whole cluster at one moment: every list is read at the resource version of the first.

The nodes are listed first, as they are now. Every other kind is asked for exactly that version
(``resourceVersionMatch=Exact``): all kinds lie in one etcd, whose revisions are the versions. What
is created or deleted between the requests is not seen, however long they take, unless the server
has dropped that part of its history (compaction, every 5 minutes): then it says 410, and the
listing begins again.
"""

from collections.abc import Callable, Iterator
from typing import Any

from gangplan.cluster.client import Client
from gangplan.cluster.discovery import Served
from gangplan.cluster.errors import ClusterError, Gone
from gangplan.cluster.kinds import NAMESPACE, NODE, Kind
from gangplan.cluster.trimmed import trim
from gangplan.cluster.world import World, uid_of

Object = dict[str, Any]
Progress = Callable[[str, int], None]
"""Is told the kind and how many of it have been read; may raise, to stop."""

UNREAD = frozenset({"Workload"})
"""Served, and without influence on a plan: a PodGroup has a copy of what its Workload says."""

CHUNK = 500
_TRIES = 5


def take(
    client: Client,
    served: Served,
    scheduler: str = "gangplan",
    *,
    evict_foreign: bool = False,
    chunk: int = CHUNK,
    progress: Progress | None = None,
) -> World:
    """List what planning needs, all of it at one resource version; the objects are trimmed.

    Parameters
    ----------
    scheduler : schedulerName of the pods that are ours.
    chunk : most objects of one answer.
    progress : see ``Progress``.

    Raises
    ------
    Gone : the server drops its history faster than it can be read, several times in a row.
    ClusterError : the server cannot be reached, or refuses.
    """
    cluster = cluster_id(client)
    for attempt in range(_TRIES):
        try:
            version, taken, objects = _once(client, served, chunk, progress)
        except Gone as error:
            if attempt == _TRIES - 1:
                raise Gone(
                    f"{client.server}: dropped the version that was being listed, {_TRIES} times: "
                    "its history is kept for a shorter time than a listing takes",
                    status=error.status,
                    reason=error.reason,
                ) from None
            continue
        return World(
            cluster=cluster,
            version=served.version,
            taken=taken,
            resource_version=version,
            scheduler=scheduler,
            objects=objects,
            evict_foreign=evict_foreign,
        )
    raise AssertionError("the loop returns or raises")


def cluster_id(client: Client) -> str:
    """Give the UID of kube-system, which tells clusters apart.

    Raises
    ------
    ClusterError : the server cannot be reached, or refuses.
    """
    return uid_of(client.get(NAMESPACE.path("", "kube-system")))


def needed(served: Served) -> tuple[Kind, ...]:
    """Give the kinds that a World has, nodes first."""
    kinds = (kind for kind in served.kinds.values() if kind.name not in UNREAD)
    return tuple(sorted(kinds, key=lambda kind: kind.name != NODE.name))


def pages(
    client: Client, kind: Kind, *, version: str = "", chunk: int = CHUNK
) -> Iterator[tuple[str, list[Object]]]:
    """Yield the resource version of a list and its objects, trimmed, a chunk at a time.

    Parameters
    ----------
    version : resource version to read at; empty: the newest. All chunks are of one version.

    Raises
    ------
    Gone : the version is not kept any more; also after some chunks.
    ClusterError : the server cannot be reached, or refuses.
    """
    params: dict[str, object] = {"limit": chunk}
    if version:
        params |= {"resourceVersion": version, "resourceVersionMatch": "Exact"}
    while True:
        answer = client.get(kind.path(), params)
        metadata = answer.get("metadata") or {}
        typed = {"apiVersion": kind.api_version, "kind": kind.name}
        yield (
            str(metadata.get("resourceVersion", "")),
            [trim({**typed, **item}) for item in answer.get("items") or ()],
        )
        if not metadata.get("continue"):
            return
        params = {"limit": chunk, "continue": metadata["continue"]}


def _once(
    client: Client, served: Served, chunk: int, progress: Progress | None
) -> tuple[str, float, dict[str, tuple[Object, ...]]]:
    version, taken = "", 0.0
    found: dict[str, tuple[Object, ...]] = {}
    for kind in needed(served):
        objects: list[Object] = []
        for listed, page in pages(client, kind, version=version, chunk=chunk):
            if not version:
                version, taken = listed, client.server_time
            if not version or listed != version:
                raise ClusterError(
                    f"{kind.plural}: listed at version {listed or 'unknown'}, not {version}"
                )
            objects += page
            if progress is not None:
                progress(kind.plural, len(objects))
        found[kind.name] = tuple(objects)
    return version, taken, found
