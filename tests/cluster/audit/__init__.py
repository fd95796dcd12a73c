"""What must be so of a cluster, whatever happened: read from the server, by arithmetic of its own.

Nothing of gangplan's reader or verifier is used: a fault that both of them share would be hidden.
``audit`` looks at one moment; with a ``History`` also at everything that happened since it began.
"""

from collections.abc import Collection

from gangplan.cluster.client import Client
from gangplan.cluster.discovery import Served
from tests.cluster.audit import devices, groups, leftovers, room
from tests.cluster.audit.history import History
from tests.cluster.audit.state import state_of


def audit(
    client: Client,
    served: Served,
    history: History | None = None,
    *,
    settled: bool = True,
    scheduler: str = "gangplan",
    evict_foreign: bool = False,
    others: Collection[str] = (),
) -> list[str]:
    """Give what is wrong in the cluster, a sentence each; nothing is written.

    Parameters
    ----------
    client : may read everything (an administrator's).
    settled : nothing of ours is on its way any more, so nothing may be left over.
    others : claims (``namespace/name``) that somebody else keeps allocated without a user.
    """
    state = state_of(client, served, scheduler)
    found = [*room.overcommitted(state), *devices.wrong(state, others), *groups.wrong(state)]
    if settled:
        found += leftovers.wrong(state)
    if history is not None:
        found += history.wrong(scheduler, evict_foreign=evict_foreign)
    return found
