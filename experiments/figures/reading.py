"""Reading a big `kubectl get -o json` dump: seconds and peak memory, in a process of its own."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gangplan.experiments.dump import write_dump
from gangplan.experiments.figures.line import SEED, Line

NODES, PODS = 5_000, 50_000

CODE = """
import resource, sys, time
from gangplan.datasets.kubernetes.read import read
begin = time.perf_counter()
instance = read([sys.argv[1]])
seconds = time.perf_counter() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(seconds, peak, len(instance.nodes), len(instance.groups), instance.n_pods)
"""


def read_5000() -> Iterator[Line]:
    """Read 5,000 nodes and 50,000 pods from one dump; writing it is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dump.json"
        write_dump(path, NODES, PODS, SEED)
        size = path.stat().st_size / 2**20
        run = subprocess.run(
            [sys.executable, "-c", CODE, str(path)], check=True, capture_output=True, text=True
        )
    seconds, peak, nodes, groups, pods = run.stdout.split()
    yield Line(
        f"read {NODES:,} nodes, {PODS:,} pods",
        float(seconds),
        note=f"{size:.0f} MiB of JSON, peak {int(peak) / 1024:.0f} MiB; "
        f"{nodes} nodes, {groups} groups, {pods} waiting pods",
    )
