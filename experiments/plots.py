"""Plots of records: time and gap by backend, and the performance profile.

matplotlib is the extra ``plots``; it is imported here alone, and on use. Figures are SVG without a
date, so that equal records give equal files.
"""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gangplan.experiments.evicting import evictions
from gangplan.experiments.records import DONE, Record
from gangplan.experiments.tables import SHIFT, charged, shifted_mean
from gangplan.models.errors import Fault, InputError

SIZE = (7.2, 3.6)
"""Inches."""

DASHES = ("-", "--", ":", "-.")

Series = dict[str, list[Record]]
"""Backend -> its runs."""


def available() -> bool:
    """Tell whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def plot_all(records: Sequence[Record], folder: Path, name: str) -> tuple[Path, ...]:
    """Draw every plot of an experiment as ``FOLDER/NAME-....svg``; none without a run.

    Runs compare only under the same settings: each has plots of its own, ``NAME-3s-....svg``.

    Raises
    ------
    InputError : a file cannot be written.
    """
    done = [record for record in records if record.status == DONE]
    return tuple(
        _draw(draw, series_of(part), folder / f"{'-'.join((name, *setting, what))}.svg")
        for setting, part in settings(done).items()
        for what, draw in PLOTS.items()
    )


def settings(records: Sequence[Record]) -> dict[tuple[str, ...], list[Record]]:
    """Part records by objective, evictions, limits and threads, as far as these differ."""
    said = {id(record): _said(record) for record in records}
    varying = [len(set(words)) > 1 for words in zip(*said.values(), strict=True)]
    parts: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        setting = tuple(w for w, differs in zip(said[id(record)], varying, strict=True) if differs)
        parts.setdefault(setting, []).append(record)
    return parts


def _said(record: Record) -> tuple[str, ...]:
    return (
        *(_of_file(word) for word in (record.objective, f"evictions {evictions(record)}")),
        f"{str(record.time_limit).removesuffix('.0')}s",
        f"gap{record.gap_limit}",
        f"{record.threads}threads",
        "nolimit" if record.memory_limit is None else f"{record.memory_limit}bytes",
    )


def _of_file(word: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in word)


def series_of(records: Sequence[Record]) -> Series:
    """Part records by backend, and by planner where two of them have the same one."""
    planners: dict[str, set[str]] = {}
    for record in records:
        planners.setdefault(record.backend, set()).add(record.planner)
    series: Series = {}
    for record in records:
        several = len(planners[record.backend]) > 1
        name = f"{record.planner}: {record.backend}" if several else record.backend
        series.setdefault(name, []).append(record)
    return series


def profile(series: Series) -> dict[str, list[float]]:
    """Return, for each backend, the ratios of its proven runs to the fastest proof of the same run.

    A run is an instance with its seed; the share of ratios up to t, over all runs, is the value of
    Dolan and More's performance profile at t. Times are shifted by ``SHIFT`` as in the tables, so
    that milliseconds decide nothing.
    """
    best: dict[str, float] = {}
    for runs in series.values():
        for run in runs:
            if run.proven:
                took = charged(run) + SHIFT
                best[run.instance] = min(took, best.get(run.instance, took))
    return {
        backend: sorted((charged(run) + SHIFT) / best[run.instance] for run in runs if run.proven)
        for backend, runs in series.items()
    }


def _time(axes: Any, series: Series) -> None:
    names = list(series)
    means = [shifted_mean(map(charged, runs)) for runs in series.values()]
    axes.barh(range(len(names)), means, color="#4477aa")
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel(f"seconds, shifted geometric mean (shift {SHIFT:g} s)")


def _gap(axes: Any, series: Series) -> None:
    gaps = {
        backend: sorted(100 * run.gap for run in runs if run.gap is not None)
        for backend, runs in series.items()
    }
    axes.set_xscale("symlog", linthresh=0.01)
    _steps(axes, series, gaps, {backend: len(runs) for backend, runs in series.items()}, 0.0)
    axes.set_xlim(left=0)
    axes.set_xlabel("gap of the first tier at the end, %")


def _profile(axes: Any, series: Series) -> None:
    total = len({run.instance for runs in series.values() for run in runs})
    axes.set_xscale("log")
    _steps(axes, series, profile(series), dict.fromkeys(series, total), 1.0)
    axes.set_xlabel(f"time to proof over the fastest (both + {SHIFT:g} s)")


def _steps(
    axes: Any,
    series: Series,
    values: dict[str, list[float]],
    totals: dict[str, int],
    first: float,
) -> None:
    """Draw the share of runs at or below each value: colour by solver, dashes by formulation."""
    last = 1.1 * max((found[-1] for found in values.values() if found), default=first)
    solvers = list(dict.fromkeys(runs[0].solver for runs in series.values()))
    kinds = list(dict.fromkeys(runs[0].formulation for runs in series.values()))
    for backend, found in values.items():
        run = series[backend][0]
        shares = [0.0, *((place + 1) / totals[backend] for place in range(len(found)))]
        axes.step(
            [first, *found, last],
            [*shares, shares[-1]],
            where="post",
            label=backend,
            color=f"C{solvers.index(run.solver)}",
            linestyle=DASHES[kinds.index(run.formulation) % len(DASHES)],
        )
    axes.set_ylim(0, 1.02)
    axes.set_ylabel("share of runs")
    axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))


PLOTS: dict[str, Callable[[Any, Series], None]] = {"time": _time, "gap": _gap, "profile": _profile}
"""Plot -> what draws it on its axes."""


def _draw(draw: Callable[[Any, Series], None], series: Series, path: Path) -> Path:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "gangplan"}):
        figure = Figure(figsize=SIZE, layout="constrained")
        draw(figure.add_subplot(), series)
        try:
            figure.savefig(path, metadata={"Date": None})
        except OSError as error:
            said = f"cannot be written: {error.strerror or error}"
            raise InputError([Fault(str(path), "", "", said)]) from None
    return path
