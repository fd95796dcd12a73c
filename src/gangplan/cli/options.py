"""Options that several commands share, and their checks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gangplan.models.errors import Fault, InputError

if TYPE_CHECKING:
    from gangplan.solvers.base import Limits

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE",
        help="Instance file, YAML/JSON manifests, 'kubectl get -o json' lists, folders, or - .",
        show_default=False,
    ),
]
Kubernetes = Annotated[
    str, typer.Option(metavar="VERSION", help="Whose rules a Job without pods follows: 1.36, 1.37.")
]
Levels = Annotated[
    list[str],
    typer.Option(
        metavar="KEY,KEY",
        help="Node labels that form one hierarchy, widest first.",
        show_default=False,
    ),
]
IgnoreUnsupported = Annotated[
    bool,
    typer.Option("--ignore-unsupported", help="Plan groups whose hard rules are not honoured yet."),
]
Objective = Annotated[str, typer.Option(help="groups, gpus, age or weighted-gpus.")]
Preemption = Annotated[
    bool, typer.Option("--preemption/--no-preemption", help="Whether anybody may be evicted.")
]
Pdb = Annotated[
    str,
    typer.Option(
        help="soft: victims beyond a PodDisruptionBudget are the last resort; hard: none."
    ),
]
Gap = Annotated[float, typer.Option(help="Stop at this relative gap; 0 asks for a proof.")]
Threads = Annotated[int, typer.Option(help="Threads of the solver.")]
Seed = Annotated[int, typer.Option(help="Seed of the solver.")]
Memory = Annotated[
    str | None,
    typer.Option(metavar="BYTES", help="Most that the solver's process may use, such as 4Gi."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, words on stderr.")]


def usage(option: str, message: str) -> InputError:
    """Return the one-line error for an option."""
    return InputError([Fault("", option, "", message)])


def spare_sources(option: str, output: str, sources: list[str]) -> None:
    """Refuse to write over what is read: a source, or a file below a folder that is one."""
    target = Path(output)
    if not target.is_file():
        return
    for source in map(Path, sources):
        below = (
            source.is_dir()
            and target.suffix in {".json", ".yaml", ".yml"}
            and target.resolve().is_relative_to(source.resolve())
        )
        if below or (source.is_file() and source.samefile(target)):
            raise usage(option, f"{output} is read as a source, and would be overwritten")


def keys_of(levels: list[str]) -> tuple[str, ...]:
    """Split ``KEY,KEY`` and repeated options alike."""
    keys = [key.strip() for text in levels for key in text.split(",")]
    if not all(keys):
        raise usage("--levels", "node-label keys expected, comma separated")
    return tuple(keys)


def names_of(option: str, text: str) -> list[str]:
    """Split ``A,B``, each name once."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise usage(option, "names expected, comma separated")
    return list(dict.fromkeys(names))


def limits_of(
    seconds: float, gap: float, threads: int, seed: int, memory: str | None = None
) -> "Limits":
    """Check the limits, each under the name of its option."""
    from gangplan.solvers.base import MOST_SECONDS, Limits

    for option, value, good, expected in (
        ("--time-limit", seconds, 0 < seconds < float("inf"), "seconds, a number above 0"),
        ("--time-limit", seconds, seconds <= MOST_SECONDS, f"at most {MOST_SECONDS:,} seconds"),
        ("--gap", gap, 0 <= gap < 1, "a number from 0 (a proof) to below 1"),
        ("--threads", threads, threads >= 1, "an integer of at least 1"),
        ("--seed", seed, 0 <= seed < 2**31, "an integer from 0 to 2^31 - 1"),
    ):
        if not good:
            raise usage(option, f"{expected} expected, not {value}")
    return Limits(seconds, gap, threads, seed, _bytes_of(memory))


def _bytes_of(memory: str | None) -> int | None:
    """Read a Kubernetes quantity of bytes."""
    if memory is None:
        return None
    from gangplan.datasets.kubernetes.text import quantity

    try:
        return quantity.parse(memory, round_up=False, minimum=1)
    except ValueError:
        expected = "bytes expected, at least 1, such as 4Gi or 500M"
        raise usage("--memory", f"{expected}, not {memory[:40]!r}") from None


def weights_of(text: str | None) -> dict[int, int] | None:
    """Read ``PRIORITY=WEIGHT,...``."""
    if text is None:
        return None
    weights: dict[int, int] = {}
    for part in text.split(","):
        priority, _, weight = part.partition("=")
        try:
            p, w = int(priority), int(weight)
        except ValueError:
            raise usage("--weights", f"PRIORITY=WEIGHT expected, not {part!r}") from None
        if w < 1 or p in weights:
            what = "a weight below 1" if w < 1 else "given twice"
            raise usage("--weights", f"priority {p}: {what}")
        weights[p] = w
    return weights
