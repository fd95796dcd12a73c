"""``gangplan scheduler``: the scheduler of pods with our schedulerName, until it is told to end."""

import os
import signal
import sys
from threading import Event
from types import FrameType
from typing import Annotated

import typer

from gangplan.cli import clusters, codes, options


def scheduler(
    context: clusters.Context = None,
    kubeconfig: clusters.Kubeconfig = None,
    in_cluster: clusters.InCluster = False,
    namespace: clusters.Namespace = clusters.NAMESPACE,
    scheduler_name: clusters.SchedulerName = clusters.SCHEDULER,
    deadline: Annotated[
        float, typer.Option(metavar="S", help="Seconds that a plan may take.")
    ] = 5.0,
    threads: options.Threads = 1,
    planner: Annotated[
        str, typer.Option(help="auto, exact, anytime or greedy; greedy helps out where it fails.")
    ] = "auto",
    soft: Annotated[
        float,
        typer.Option(
            metavar="S", help="At most, to improve a plan that lets all in and evicts nobody."
        ),
    ] = 0.5,
    evict_foreign: clusters.EvictForeign = False,
    starving: Annotated[
        float,
        typer.Option(metavar="S", help="Keep nodes free for a gang that waits longer; 0: never."),
    ] = 60.0,
    backoff: Annotated[
        float,
        typer.Option(metavar="S", help="Before who did not fit is tried again; doubled."),
    ] = 1.0,
    most_backoff: Annotated[float, typer.Option(metavar="S", help="Most of --backoff.")] = 10.0,
    grace: Annotated[
        float, typer.Option(metavar="S", help="For what is being carried out when asked to end.")
    ] = 20.0,
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS:PORT", help="Of metrics and health; default: none.")
    ] = "",
    stand_by: Annotated[
        bool,
        typer.Option("--stand-by", help="When another one takes over: wait, not end."),
    ] = False,
) -> int:
    """Be the scheduler of pods with our schedulerName: plan, check, carry out, begin again."""
    for option, value, least in (
        ("--deadline", deadline, 0.1), ("--starving", starving, 0.0), ("--backoff", backoff, 0.01),
        ("--most-backoff", most_backoff, backoff), ("--grace", grace, 0.0), ("--soft", soft, 0.0),
    ):  # fmt: skip
        if not least <= value < float("inf"):
            raise options.usage(option, f"seconds, at least {least:g}, expected, not {value}")
    if threads < 1:
        raise options.usage("--threads", f"an integer of at least 1 expected, not {threads}")
    from gangplan.checks import check_choices
    from gangplan.cluster.client import connect
    from gangplan.cluster.scheduler.log import Log
    from gangplan.cluster.scheduler.service import Service, Wanted
    from gangplan.cluster.scheduler.settings import Settings

    check_choices(planner, "highs", "age", pdb="hard")
    settings = Settings(
        deadline=deadline, threads=threads, planner=planner, soft=soft, starving=starving,
        backoff=backoff, most_backoff=most_backoff, grace=grace,
    )  # fmt: skip
    wanted = Wanted(namespace, scheduler_name, evict_foreign, listen, stand_by, settings)
    stop = _stop_signals()
    log = Log()
    service = Service(connect(kubeconfig, context, in_cluster=in_cluster), wanted, log)
    service.run(stop)
    log.info("ended")
    if service.left:
        _leave()
    return codes.GOOD


def _stop_signals() -> Event:
    """Set an event on SIGTERM, and on Ctrl-C."""
    stop = Event()

    def end(number: int, frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    return stop


def _leave() -> None:
    """End now, with flights left in their journals.

    Pools of threads inside them would be waited for at the end of the interpreter, for as long as
    a pod takes to leave. They may not write any more; whoever leads next takes the journals up.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(codes.GOOD)
