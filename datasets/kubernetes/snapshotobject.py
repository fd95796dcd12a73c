"""What a snapshot file says about itself, in an object ``gangplan.io/v1 Snapshot``."""

from dataclasses import dataclass

SNAPSHOT_GROUP = "gangplan.io"
SNAPSHOT_VERSION = f"{SNAPSHOT_GROUP}/v1"
SNAPSHOT_KIND = "Snapshot"


@dataclass(frozen=True, slots=True)
class Origin:
    """The cluster that a snapshot was taken of.

    Attributes
    ----------
    cluster : UID of its namespace kube-system. version : of its server.
    taken : seconds since the epoch, by the server's clock.
    resource_version : of the lists.
    scheduler : schedulerName of the pods that are ours.
    evict_foreign : running pods of other schedulers may be evicted, too.
    """

    cluster: str
    version: str
    taken: float
    resource_version: str
    scheduler: str
    evict_foreign: bool
    source: str
