"""One cell: read, plan against the clock, verify, record.

Only the call of the planner is timed as ``plan``; reading and verifying have clocks of their own.
A backend's process is started, and its library imported, before that: by a model of one column.
"""

import os
import platform
import time
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from gangplan.experiments import peers
from gangplan.experiments.cells import Cell, blank, cannot_run
from gangplan.experiments.meter import Metered
from gangplan.experiments.records import FAILED, SKIPPED, Record, TierRecord
from gangplan.models.errors import FormulationError, GangplanError, InputError
from gangplan.models.instance import Instance
from gangplan.models.milp import Columns, build, row_block
from gangplan.models.restrict import as_planned
from gangplan.models.result import Result, TierReport
from gangplan.models.verify import check, check_tiers
from gangplan.solvers import registry
from gangplan.solvers.base import Limits, Planner, Solver

CPU_INFO = Path("/proc/cpuinfo")

WARM = 10.0
"""Seconds that the first, trivial solve of a backend may take."""


def measure(cell: Cell) -> Record:
    """Run a cell in this process; whatever goes wrong becomes the record's status and reason."""
    record = replace(blank(cell), machine=machine())
    if reason := cannot_run(cell):
        return replace(record, status=SKIPPED, reason=reason)
    try:
        begin = time.perf_counter()
        instance = cell.source.instance(cell.limits.seed)
        read = time.perf_counter() - begin
    except InputError as error:
        return replace(record, status=SKIPPED, reason=_one_line(error))
    except Exception as error:  # a fault of a reader: it costs its own cells
        return replace(record, status=FAILED, reason=f"{type(error).__name__}: {_one_line(error)}")
    record = replace(
        blank(cell, instance.digest()),
        machine=record.machine,
        nodes=len(instance.nodes),
        groups=len(instance.groups),
        pods=instance.n_pods,
    )
    try:
        return _measured(cell, instance, record, read)
    except (InputError, FormulationError) as error:
        return replace(record, status=SKIPPED, reason=_one_line(error))
    except GangplanError as error:
        return replace(record, status=FAILED, reason=_one_line(error))
    except Exception as error:  # a fault of ours or of a planner from outside: one cell, not all
        return replace(record, status=FAILED, reason=f"{type(error).__name__}: {_one_line(error)}")


def _measured(cell: Cell, instance: Instance, record: Record, read: float) -> Record:
    planner, meter = _planner(cell)
    started = time.perf_counter()
    if meter is not None:
        _warm(meter.solver, cell.limits.threads)
    started = time.perf_counter() - started
    clock = [time.perf_counter()]
    result = planner.plan(instance, cell.limits)
    clock.append(time.perf_counter())
    planned = as_planned(instance, result.planner)
    broken = (
        *check(planned, result.plan),
        *check_tiers(planned, result.plan, result.tiers),
    )
    clock.append(time.perf_counter())
    seconds = {"read": read, "plan": clock[1] - clock[0], "verify": clock[2] - clock[1]}
    if meter is not None:
        seconds |= {
            "start": started,
            "build": result.seconds.get("build", 0.0),
            "handover": meter.tally.handover,
            "solve": meter.tally.solve,
        }
        record = replace(record, overshoot=meter.tally.overshoot, solver_errors=meter.tally.errors)
    elif cell.planner.planner in peers.KUBE_SCHEDULERS:
        seconds |= result.seconds
    return replace(
        record,
        tiers=tuple(map(_tier, result.tiers)),
        trace=tuple(
            (round(one.seconds, 3), one.values[0], one.bounds[0])
            for one in result.trace
            if one.values
        ),
        stop=result.stop,
        seconds=seconds,
        verified=not broken,
        violations=tuple(violation.sentence for violation in broken),
        warnings=result.warnings,
        versions={**_versions(result), **record.versions},
    )


def _planner(cell: Cell) -> tuple[Planner, Metered | None]:
    """Make the planner, its solver with a meter."""
    spec = cell.planner
    options: dict[str, Any] = {"objective": spec.objective, **spec.options()}
    meter = Metered(registry.get(spec.solver)) if spec.solver else None
    if meter is not None:
        options["solver"] = meter
    if spec.formulation:
        options["kind"] = spec.formulation
    return peers.get_planner(spec.planner, **options), meter


def _warm(solver: Solver, threads: int) -> None:
    """Solve a model of one column; what is wrong with the solver shows in the run itself."""
    columns = Columns()
    block = columns.add("x", [0], [1])
    row = row_block("row", 0, block.cols, 1, -np.inf, 1, 1)
    with suppress(Exception):
        solver.solve(build(columns, [row]).with_cost([-1]), Limits(WARM, threads=threads))


def _tier(tier: TierReport) -> TierRecord:
    return TierRecord(
        *(tier.name, tier.maximise, tier.value, tier.bound, tier.proof, tier.proven, tier.given)
    )


def _versions(result: Result) -> dict[str, str]:
    """Keep what every run has; the solver's own version is added by its name."""
    python = {"python": platform.python_version()}
    kept = ("numpy", "scipy")
    return python | {name: v for name, v in result.versions.items() if name in kept}


def machine() -> dict[str, Any]:
    """Describe this machine, and its load now."""
    here = os.uname()
    # platform.platform() would start a process, and double what this one seems to need.
    return {
        "platform": f"{here.sysname}-{here.release}-{here.machine}",
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
    }


@lru_cache
def _cpu() -> str:
    try:
        lines = CPU_INFO.read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
