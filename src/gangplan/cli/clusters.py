"""Options of the commands that work on a live cluster, and the cluster that they name."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from gangplan.cli.progress import say

if TYPE_CHECKING:
    from gangplan.cluster.client import Client
    from gangplan.cluster.site import Site

NAMESPACE = "gangplan-system"
SCHEDULER = "gangplan"

Context = Annotated[
    str | None, typer.Option(metavar="NAME", help="Context of the kubeconfig.", show_default=False)
]
Kubeconfig = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Default: KUBECONFIG, else ~/.kube/config."),
]
InCluster = Annotated[
    bool, typer.Option("--in-cluster", help="Use the service account of the pod we run in.")
]
Namespace = Annotated[str, typer.Option(metavar="NAME", help="Of the lease and the journals.")]
SchedulerName = Annotated[
    str, typer.Option(metavar="NAME", help="schedulerName of the pods that are ours.")
]
EvictForeign = Annotated[
    bool, typer.Option("--evict-foreign", help="Pods of other schedulers may be evicted, too.")
]


@dataclass(frozen=True, slots=True)
class Where:
    """Which cluster, and whose credentials."""

    kubeconfig: str | None
    context: str | None
    in_cluster: bool

    def connect(self) -> "Client":
        """Open the client.

        Raises
        ------
        ClusterError : there is no such kubeconfig or context, or it cannot be used.
        """
        from gangplan.cluster.client import connect

        return connect(self.kubeconfig, self.context, in_cluster=self.in_cluster)


def site(where: Where, *, namespace: str, scheduler: str, evict_foreign: bool) -> "Site":
    """Make the site of one command: its World is listed anew each time, the client has no guard.

    Raises
    ------
    ClusterError : the cluster cannot be reached, or refuses to say what it serves.
    """
    from gangplan.cluster.discovery import discover
    from gangplan.cluster.listing import take
    from gangplan.cluster.lock import new_holder
    from gangplan.cluster.site import Site

    client = where.connect()
    served = discover(client)
    for missing in served.missing:
        say(f"note: {missing}")
    return Site(
        client=client,
        served=served,
        world=lambda: take(client, served, scheduler, evict_foreign=evict_foreign),
        holder=new_holder(),
        scheduler=scheduler,
        namespace=namespace,
        evict_foreign=evict_foreign,
        say=say,
    )
