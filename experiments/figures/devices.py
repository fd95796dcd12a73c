"""Devices: a claim that a whole gang shares, public slices on a thousand nodes, partitions."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time

from gangplan.datasets.generate import generate
from gangplan.datasets.kubernetes.read import read
from gangplan.datasets.traces.folder import data_folder
from gangplan.experiments import deviceclusters, realslices
from gangplan.experiments.figures.line import SEED, THREADS, Line
from gangplan.experiments.manifests import dump
from gangplan.models.counting import ceilings
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.tiers import tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import greedy_plan

PODS, FABRIC_NODES = 1_000, 200

NODES, GANGS = 1_000, 200

MEMORY = """
import resource, sys, time
from pathlib import Path
from gangplan.datasets.kubernetes.read import read
from gangplan.models.tiers import tiers_of
from gangplan.solvers.planners.greedy import greedy_plan
def clocked(step):
    begin, busy = time.perf_counter(), time.process_time()
    done = step()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(time.perf_counter() - begin, time.process_time() - busy, peak)
    return done
instance = clocked(lambda: read([sys.argv[1]]))
clocked(lambda: greedy_plan(instance, tiers_of(instance, "weighted-gpus"), 1e-9))
print(len(instance.devices), instance.n_pods)
"""


def group_claim() -> Iterator[Line]:
    """One gang of 1,000 pods that share a claim of their PodGroup; the proof is counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gang.json"
        dump(path, deviceclusters.group_claim(PODS, FABRIC_NODES))
        begin = perf_counter()
        instance = read([str(path)])
        reading = perf_counter() - begin
    begin = perf_counter()
    result = Exact().plan(instance, Limits(seconds=30.0, threads=THREADS, seed=SEED))
    planning = perf_counter() - begin
    if broken := check(instance, result.plan):
        raise PlanError(f"group claim: {broken[0]}")
    first = result.tiers[0]
    note = f"{result.stop}; {len(result.plan.allocations)} device for all of them"
    for what, seconds in (("an instance", planning), ("manifests", reading + planning)):
        figure = f"{PODS:,} pods share a PodGroup claim, from {what}"
        yield Line(figure, seconds, first.value, first.bound, note)


def real_slices() -> Iterator[Line]:
    """Public ResourceSlices on 1,000 nodes, 200 gangs: reading, and greedy with its bound."""
    folder = data_folder()
    slices = None if folder is None else folder / "dra-resourceslices"
    if slices is None or (lacks := realslices.missing(slices)):
        left = "no folder of public data" if slices is None else ", ".join(lacks)
        yield Line("real slices", 0.0, note=f"left out: {left} (GANGPLAN_DATA)")
        return
    for seed in (1, 2, 3):
        with tempfile.TemporaryDirectory() as temporary:
            path = Path(temporary) / "cluster.json"
            dump(path, realslices.objects(slices, NODES, GANGS, seed))
            size = path.stat().st_size / 2**20
            begin, busy = perf_counter(), process_time()
            instance = read([str(path)])
            spent, busy = perf_counter() - begin, process_time() - busy
        note = (
            f"{busy:.1f} s of processor; {size:.0f} MiB of JSON, {len(instance.devices):,} "
            f"devices, {instance.n_pods:,} pods; {realslices.ADDED}"
        )
        yield Line(f"real slices, seed {seed}: read", spent, note=note)
        yield _greedy(f"real slices, seed {seed}: greedy", instance)


def greedy_mig() -> Iterator[Line]:
    """Partitioned GPUs, 8 a node, many of them partly taken."""
    for nodes in (64, 256):
        yield _greedy(f"greedy mig, {nodes} nodes", generate("mig", nodes=nodes, seed=SEED))


def greedy_aligned() -> Iterator[Line]:
    """GPUs beside NICs, many of them partly taken."""
    yield _greedy("greedy aligned-1k", generate("aligned-1k", seed=SEED))


def _greedy(figure: str, instance: Instance) -> Line:
    """One greedy run, bounded by counting; the seconds hold both, not the verifier's."""
    tiers = tiers_of(instance, "weighted-gpus")
    begin, busy = perf_counter(), process_time()
    plan = greedy_plan(instance, tiers, 1e-9)
    planned = process_time() - busy
    bound = ceilings(instance, tiers)[0]
    spent, busy = perf_counter() - begin, process_time() - busy
    if broken := check(instance, plan):
        raise PlanError(f"{figure}: greedy plan breaks a rule: {broken[0]}")
    note = f"{len(instance.groups)} gangs; {busy:.1f} s of processor, greedy alone {planned:.1f}"
    return Line(figure, spent, values(instance, plan, tiers)[0], bound, note)


def devices_5000() -> Iterator[Line]:
    """5,000 nodes of 8 GPUs and 8 NICs from manifests: seconds and memory, in a process apart."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.json"
        dump(path, deviceclusters.aligned(5_000, 1_000, SEED))
        size = path.stat().st_size / 2**20
        run = subprocess.run(
            [sys.executable, "-c", MEMORY, str(path)], check=True, capture_output=True, text=True
        )
    reading, planning, (devices, pods) = (line.split() for line in run.stdout.splitlines())
    about = {
        "read 5,000 nodes x (8 GPUs, 8 NICs)": (
            reading,
            f"{size:.0f} MiB of JSON, {devices} devices",
        ),
        "greedy on them, first run": (planning, f"{pods} pods; reading's memory included"),
    }
    for figure, ((seconds, busy, peak), note) in about.items():
        note = f"{float(busy):.1f} s of processor; {note}; peak {peak} MiB"
        yield Line(figure, float(seconds), note=note)
