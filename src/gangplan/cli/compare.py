"""``gangplan compare``: planners, solvers and formulations side by side on one instance."""

from typing import Annotated

import typer

from gangplan.cli import codes, options
from gangplan.cli.progress import progress, say
from gangplan.cli.reading import read_sources, say_notes


def compare(
    sources: options.Sources,
    planners: Annotated[str, typer.Option(metavar="A,B", help="auto, anytime, exact, greedy.")] = (
        "greedy,exact"
    ),
    solvers: Annotated[str, typer.Option(metavar="A,B", help="See 'gangplan solvers'.")] = "highs",
    formulations: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            help="counts, assignment, patterns, configurations. Default: each planner's own.",
            show_default=False,
        ),
    ] = None,
    objective: options.Objective = "groups",
    preemption: Annotated[
        str, typer.Option(metavar="A,B", help="on, off: whether anybody may be evicted.")
    ] = "on",
    pdb: options.Pdb = "soft",
    time_limit: Annotated[float, typer.Option(metavar="S", help="Seconds, each run.")] = 60.0,
    gap: options.Gap = 0.0,
    threads: options.Threads = 1,
    seed: options.Seed = 0,
    memory: options.Memory = None,
    as_json: options.AsJson = False,
    kubernetes: options.Kubernetes = "1.37",
    levels: options.Levels = [],  # noqa: B006 - typer reads the default, nobody changes it
    ignore_unsupported: options.IgnoreUnsupported = False,
) -> int:
    """Compare planners, solvers and formulations on one instance, within the same limits.

    Every combination runs in a process of its own, one after the other.
    """
    limits = options.limits_of(time_limit, gap, threads, seed, memory)
    who = options.names_of("--planners", planners)
    by = options.names_of("--solvers", solvers)
    how = [""] if formulations is None else options.names_of("--formulations", formulations)
    words = options.names_of("--preemption", preemption)
    if not {*words} <= {"on", "off"}:
        raise options.usage("--preemption", "on, off or both expected, comma separated")
    evicting = [word == "on" for word in words]
    from gangplan.cli.records import print_json, show_compared
    from gangplan.experiments.compare import compare as compare_all
    from gangplan.experiments.spec import choices

    choices(who, by, how, (objective,), evicting, (pdb,))  # unknown names, before any work is done
    with progress() as show:
        instance = read_sources(sources, kubernetes, levels, ignore_unsupported)
        found = compare_all(
            instance,
            planners=who,
            solvers=by,
            formulations=how,
            objective=objective,
            preemption=evicting,
            pdb=pdb,
            limits=limits,
            label=sources[0] if len(sources) == 1 else f"{len(sources)} sources",
            progress=lambda done, total, what: show(f"{done + 1} of {total}: {what}", 0.0),
        )
    say_notes(instance)
    for record in found:
        for warning in record.warnings:
            say(f"warning: {record.backend}: {' '.join(warning.split())}")
    show_compared(found, on_stderr=as_json)
    if as_json:
        print_json({"schema": "gangplan/compare/v1", "instance": instance.digest()}, found)
    if any(record.verified is False for record in found):
        return codes.VERIFICATION_FAILED
    return codes.GOOD if any(record.verified for record in found) else codes.NOTHING_PLANNED
