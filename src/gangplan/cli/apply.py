"""``gangplan apply``: a plan file on a live cluster; without ``--yes`` it only looks."""

from typing import TYPE_CHECKING, Annotated

import typer

from gangplan.cli import clusters, codes, options
from gangplan.cli.hostlist import hostlist
from gangplan.cli.progress import say
from gangplan.cli.tables import console, show_table

if TYPE_CHECKING:
    from gangplan.cluster.report import Report

MAX_AGE = 600.0


def apply(
    plan: Annotated[
        str, typer.Option(metavar="FILE", help="A plan of a snapshot.", show_default=False)
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Carry it out; else it is only checked.")] = (
        False
    ),
    context: clusters.Context = None,
    kubeconfig: clusters.Kubeconfig = None,
    in_cluster: clusters.InCluster = False,
    namespace: clusters.Namespace = clusters.NAMESPACE,
    scheduler_name: clusters.SchedulerName = clusters.SCHEDULER,
    evict_foreign: clusters.EvictForeign = False,
    max_age: Annotated[
        float, typer.Option(metavar="S", help="Seconds that the plan's snapshot may be old.")
    ] = MAX_AGE,
    as_json: options.AsJson = False,
) -> int:
    """Carry out a plan of a snapshot: evictions, claims, bindings; refuse it if things changed."""
    if not 0 < max_age < float("inf"):
        raise options.usage("--max-age", f"seconds, a number above 0 expected, not {max_age}")
    from gangplan.cluster.apply import apply as carry_out
    from gangplan.datasets.json_file import check_schema, read_object, write_object
    from gangplan.datasets.plan_file import PLAN_SCHEMA
    from gangplan.files import STDIO

    document = read_object(plan)
    check_schema(plan, document, PLAN_SCHEMA)
    site = clusters.site(
        clusters.Where(kubeconfig, context, in_cluster),
        namespace=namespace,
        scheduler=scheduler_name,
        evict_foreign=evict_foreign,
    )
    report = carry_out(site, document, yes=yes, max_age=max_age)
    show_report(report, on_stderr=as_json)
    if as_json:
        write_object(report.as_json(), STDIO, indent=1)
    if report.interrupted:
        return codes.INTERRUPTED
    return codes.GOOD if report.as_planned else codes.CLUSTER


def show_report(report: "Report", *, on_stderr: bool) -> None:
    """Print what is, or would be, done, group by group; then the sentences of the report."""
    out = console(on_stderr)
    rows = _rows(report)
    if rows:
        head = ("group", "priority", "pods", "evicts", "claims", "status", "nodes")
        show_table(out, head, rows, numbers=("priority", "pods", "evicts", "claims"))
        out.print()
    for group, reason in report.waiting.items():
        out.print(f"{group} waits: {reason}", soft_wrap=True)
    for line in report.sentences():
        out.print(line, soft_wrap=True)
    if not report.carried:
        say("nothing was written; --yes carries it out")


def _rows(report: "Report") -> list[tuple[str, ...]]:
    status = {outcome.flight: outcome.status for outcome in report.outcomes}
    rest = "not begun" if report.carried else "would fit"
    return [
        (
            flight.name,
            str(flight.priority),
            str(len(flight.placings)),
            str(len(flight.fallings) or ""),
            str(sum(one.allocation is not None for one in flight.allocatings) or ""),
            status.get(flight.key, rest),
            hostlist(flight.nodes),
        )
        for flight in report.flights
    ]
