"""``gangplan generate``: make an instance file from a generator, a preset or a public trace."""

from typing import Annotated

import typer

from gangplan.cli.options import usage
from gangplan.cli.progress import say


def generate(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="See 'gangplan datasets'.", show_default=False)
    ],
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Instance file (.gz packs it); - is stdout.",
            show_default=False,
        ),
    ],
    nodes: Annotated[
        int | None,
        typer.Option(
            help="Nodes, rounded to whole racks; default: the generator's own.", show_default=False
        ),
    ] = None,
    groups: Annotated[
        int | None,
        typer.Option(help="Waiting groups; default: the generator's own.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(help="Equal seeds give equal instances.")] = 1,
) -> int:
    """Make an instance file; equal arguments give equal instances."""
    from gangplan.datasets import generate as generators
    from gangplan.datasets import traces
    from gangplan.datasets.io import write_instance
    from gangplan.files import check_writable

    check_writable(output)
    known = {trace.name for trace in traces.catalogue()}
    if name not in known | generators.catalogue().keys():
        raise usage(name, "no generator, preset or trace of this name: see 'gangplan datasets'")
    make = traces.load if name in known else generators.generate
    instance = make(name, nodes=nodes, groups=groups, seed=seed)
    write_instance(instance, output)
    say(
        f"{name}: {len(instance.nodes)} nodes, {len(instance.groups)} groups, "
        f"{instance.n_pods} waiting pods, digest {instance.digest()[:12]}"
    )
    return 0
