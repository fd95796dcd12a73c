"""``gangplan plan``: where each group should go, and how far from the best answer that is."""

from typing import Annotated

import typer

from gangplan.cli import options


def plan(
    sources: options.Sources,
    planner: Annotated[
        str, typer.Option(help="auto (chooses, and says why), exact, anytime or greedy.")
    ] = "auto",
    formulation: Annotated[
        str,
        typer.Option(
            help="All but greedy: counts, patterns, configurations, or the textbook's assignment.",
            show_default=False,
        ),
    ] = "",
    solver: Annotated[str, typer.Option(help="See 'gangplan solvers'.")] = "highs",
    objective: options.Objective = "groups",
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="P=W,P=W", help="Of weighted-gpus: worth of a GPU per priority; default P."
        ),
    ] = None,
    time_limit: Annotated[float, typer.Option(metavar="S", help="Seconds.")] = 60.0,
    gap: options.Gap = 0.0,
    threads: options.Threads = 1,
    seed: options.Seed = 0,
    memory: options.Memory = None,
    second_opinion: Annotated[
        bool,
        typer.Option("--second-opinion", help="Solve again, another way, what a search proves."),
    ] = False,
    preemption: options.Preemption = True,
    pdb: options.Pdb = "soft",
    previous: Annotated[
        str | None,
        typer.Option(metavar="PLAN", help="A plan file to begin with, also of a changed cluster."),
    ] = None,
    preview: Annotated[
        bool,
        typer.Option("--preview", help="Plan once more with nobody evicted, and show both."),
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
    """Plan a snapshot: who is admitted, where each pod goes, who is evicted, what is proven."""
    limits = options.limits_of(time_limit, gap, threads, seed, memory)
    worth = options.weights_of(weights)
    from gangplan.cli.planning import Wanted, carry_out

    return carry_out(
        Wanted(
            sources=sources,
            kubernetes=kubernetes,
            levels=levels,
            ignore_unsupported=ignore_unsupported,
            planner=planner,
            formulation=formulation,
            solver=solver,
            objective=objective,
            weights=worth,
            limits=limits,
            second_opinion=second_opinion,
            preemption=preemption,
            pdb=pdb,
            previous=previous,
            preview=preview,
            output=output,
            model_file=model_file,
            as_json=as_json,
        )
    )
