"""``gangplan snapshot``: the cluster at this moment, as a file to plan on."""

from typing import Annotated

import typer

from gangplan.cli import clusters
from gangplan.cli.progress import counting, say


def snapshot(
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File to write (.gz packs it); - is stdout.",
            show_default=False,
        ),
    ],
    context: clusters.Context = None,
    kubeconfig: clusters.Kubeconfig = None,
    in_cluster: clusters.InCluster = False,
    scheduler_name: clusters.SchedulerName = clusters.SCHEDULER,
    evict_foreign: clusters.EvictForeign = False,
    anonymise: Annotated[
        bool, typer.Option("--anonymise", help="Take out names and whatever a plan does not need.")
    ] = False,
) -> int:
    """Write the cluster at one resource version: what 'gangplan plan' reads."""
    from gangplan.cluster.discovery import discover
    from gangplan.cluster.listing import take
    from gangplan.cluster.snapshotfile import write
    from gangplan.files import check_writable

    check_writable(output)
    client = clusters.Where(kubeconfig, context, in_cluster).connect()
    served = discover(client)
    for missing in served.missing:
        say(f"note: {missing}")
    with counting() as progress:
        world = take(client, served, scheduler_name, evict_foreign=evict_foreign, progress=progress)
    if anonymise:
        from gangplan.cluster.anonymise import anonymise as without_names

        world = without_names(world)
    write(world, output)
    counts = ", ".join(f"{len(found)} {kind}" for kind, found in world.objects.items() if found)
    say(f"{client.server}, {world.version}, version {world.resource_version}: {counts or 'empty'}")
    return 0
