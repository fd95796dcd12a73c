"""``gangplan plan``: where each group should go, and how far from the best answer that is."""

import time
from typing import Annotated

import typer

from gangplan.cli import codes, interrupt, options
from gangplan.cli.progress import progress, say
from gangplan.cli.reading import read_sources, say_notes


def plan(
    sources: options.Sources,
    planner: Annotated[str, typer.Option(help="exact or greedy.")] = "exact",
    formulation: Annotated[
        str, typer.Option(help="Of the exact planner: counts, or the textbook's assignment.")
    ] = "counts",
    solver: Annotated[str, typer.Option(help="See 'gangplan solvers'.")] = "highs",
    objective: Annotated[str, typer.Option(help="groups, gpus, age or weighted-gpus.")] = "groups",
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="P=W,P=W", help="Of weighted-gpus: worth of a GPU per priority; default P."
        ),
    ] = None,
    time_limit: Annotated[float, typer.Option(metavar="S", help="Seconds.")] = 60.0,
    gap: Annotated[
        float, typer.Option(help="Stop at this relative gap; 0 asks for a proof.")
    ] = 0.0,
    threads: Annotated[int, typer.Option(help="Threads of the solver.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the solver.")] = 0,
    second_opinion: Annotated[
        bool,
        typer.Option("--second-opinion", help="Solve again, another way, what a search proves."),
    ] = False,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="Write the plan file.")
    ] = None,
    model_file: Annotated[
        str | None,
        typer.Option(
            "--write-model",
            metavar="FILE",
            help="Write the model of the first goal, before it is solved: .mps or .lp.",
        ),
    ] = None,
    as_json: options.AsJson = False,
    kubernetes: options.Kubernetes = "1.37",
    levels: options.Levels = [],  # noqa: B006 - typer reads the default, nobody changes it
    ignore_unsupported: options.IgnoreUnsupported = False,
) -> int:
    """Plan a snapshot: which groups are admitted, where each pod goes, and what is proven."""
    from gangplan import api
    from gangplan.cli.render import show_plan
    from gangplan.datasets.io import write_plan
    from gangplan.files import STDIO, check_writable
    from gangplan.solvers.export.first_tier import writer_of

    limits = options.limits_of(time_limit, gap, threads, seed)
    worth = options.weights_of(weights)
    if worth is not None and objective != "weighted-gpus":
        raise options.usage("--weights", "only with --objective weighted-gpus")
    api.check_choices(planner, solver, objective, formulation)
    if second_opinion and planner == "greedy":
        raise options.usage("--second-opinion", "greedy proves nothing that could be solved again")
    if output is not None:
        check_writable(output)
        options.spare_sources(output, sources)
    if model_file is not None:
        if planner != "exact":
            raise options.usage("--write-model", f"{planner} writes no model")
        writer_of(model_file)
        check_writable(model_file)
        options.spare_sources(model_file, sources)
    with progress() as show:
        started = time.perf_counter()
        instance = read_sources(sources, kubernetes, levels, ignore_unsupported)
        read = time.perf_counter() - started
        if model_file is not None:
            api.write_model(instance, model_file, objective, formulation=formulation, weights=worth)
        result = api.plan(
            instance,
            planner,
            solver,
            objective,
            limits,
            formulation=formulation,
            weights=worth,
            second_opinion=second_opinion,
            progress=show,
        )
    result.seconds.setdefault("read", read)
    file = None if output == STDIO else output
    if file is not None:
        # Before the tables: whoever reads those may go away, the file was asked for.
        write_plan(instance, result, file)
    say_notes(instance)
    for warning in result.warnings:
        say(f"warning: {warning}")
    spent = time.perf_counter() - started
    show_plan(instance, result, spent, on_stderr=as_json or output == STDIO)
    if as_json or output == STDIO:
        write_plan(instance, result, STDIO)
    if file is not None:
        say(f"plan file: {file}")
    if model_file is not None:
        say(f"model file: {model_file}")
    if interrupt.heard():
        return codes.INTERRUPTED
    could = any(tier.maximise and not tier.proven for tier in result.tiers)
    nothing = could and not (result.plan.node >= 0).any()
    return codes.NOTHING_PLANNED if nothing else codes.GOOD
