"""1,000 nodes, 5,000 pods in 500 gangs: gangplan's scheduler beside the real kube-scheduler.

    python -m tests.cluster.load [--version 1.37] [--nodes 1000] [--groups 500] [--seed 1]
                                 [--rate 0] [--late 0]

The same objects arrive in the same order at two fresh control planes of equal make; the first has
``gangplan scheduler``, the second kube-scheduler. Printed for each: seconds from the first arrival
until nothing more was bound, pods and GPUs bound, the scheduler's CPU seconds and peak memory (PSS,
with the processes it starts). With ``--rate`` gangs arrive so many a second, and with ``--late`` so
many come one by one when all others run: seconds from a gang's last pod to its last binding, the
median and the longest. Not a test: what it prints is a figure.
"""

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from gangplan.cluster.client import Client, connect
from gangplan.cluster.errors import ClusterError
from tests.cluster.live import MANIFESTS
from tests.controlplane.plane import ControlPlane

Object = dict[str, Any]
RACK = "example.com/rack"
GPU = "nvidia.com/gpu"
_QUIET = 30.0
"""Seconds without a new binding after which a scheduler counts as done."""


def nodes_of(count: int) -> Iterator[Object]:
    """Yield nodes of 8 GPUs, 32 to a rack."""
    for n in range(count):
        has = {"cpu": "96", "memory": "1Ti", "pods": "110", GPU: "8"}
        yield {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"n{n:04}", "labels": {RACK: f"r{n // 32:02}"}},
            "status": {"allocatable": has, "capacity": has},
        }


def gangs_of(count: int, size: int, seed: int, scheduler: str) -> Iterator[list[Object]]:
    """Yield gangs in order of arrival: the PodGroup, then its pods; a third within one rack."""
    draw = random.Random(seed)
    for g in range(count):
        gpus = draw.choices((1, 2, 4), (75, 15, 10))[0]
        policy: Object = {"schedulingPolicy": {"gang": {"minCount": size}}}
        if draw.random() < 1 / 3:
            policy["schedulingConstraints"] = {"topology": [{"key": RACK}]}
        name = f"g{g:03}"
        found: list[Object] = [
            {
                "apiVersion": "scheduling.k8s.io/v1beta1",
                "kind": "PodGroup",
                "metadata": {"name": name, "namespace": "default"},
                "spec": policy,
            }
        ]
        asks = {"cpu": "4", "memory": "8Gi", GPU: str(gpus)}
        resources = {"requests": asks, "limits": {GPU: str(gpus)}}
        for p in range(size):
            container = {"name": "c", "image": "example.invalid/c", "resources": resources}
            found.append(
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {"name": f"{name}-{p}", "namespace": "default"},
                    "spec": {
                        "schedulerName": scheduler,
                        "schedulingGroup": {"podGroupName": name},
                        "containers": [container],
                    },
                }
            )
        yield found


@dataclass
class Binding:
    """Counts bound pods by watching; one thread."""

    client: Client
    gpus: dict[str, int] = field(default_factory=dict)
    at: dict[str, float] = field(default_factory=dict)
    first: float = 0.0
    last: float = 0.0

    def start(self) -> None:
        """Watch from now on."""
        version = self.client.get("/api/v1/pods", {"limit": 1})["metadata"]["resourceVersion"]
        threading.Thread(target=self._watch, args=(version,), daemon=True).start()

    def _watch(self, version: str) -> None:
        while True:
            params = {"watch": 1, "resourceVersion": version, "allowWatchBookmarks": "true"}
            try:
                for event in self.client.stream("/api/v1/pods", params, 600):
                    version = event["object"]["metadata"]["resourceVersion"]
                    if event["type"] != "BOOKMARK":
                        self._see(event["object"])
            except ClusterError:
                time.sleep(0.2)

    def _see(self, pod: Object) -> None:
        name = pod["metadata"]["name"]
        if pod.get("spec", {}).get("nodeName") and name not in self.gpus:
            asks = pod["spec"]["containers"][0]["resources"]["requests"]
            self.gpus[name] = int(asks[GPU])
            self.last = self.at[name] = time.monotonic()

    def sums(self) -> tuple[int, int]:
        """Pods and GPUs bound so far."""
        return len(self.gpus), sum(self.gpus.values())

    def waited(self, made: dict[str, float], size: int) -> dict[str, float]:
        """Give the median and the longest time of gangs that are in, from their last pod on."""
        ends = {name: [self.at.get(f"{name}-{p}") for p in range(size)] for name in made}
        found = [
            max(0.0, max(filter(None, times)) - made[name])
            for name, times in ends.items()
            if None not in times
        ]
        if not found:
            return {}
        return {"median": round(statistics.median(found), 2), "longest": round(max(found), 2)}


def memory_of(pid: int) -> int:
    """Bytes (PSS) of a process and all below it."""
    total = 0
    waiting = [pid]
    while waiting:
        at = Path("/proc") / str(waiting.pop())
        try:
            for line in (at / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
            for task in (at / "task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return total


def seconds_of(pid: int) -> float:
    """Give the CPU seconds of a process and of those of its children that have ended."""
    fields = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def measure(version: str, who: str, wanted: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Run one scheduler on its own control plane, and give its row."""
    ours = who == "gangplan"
    with ControlPlane(version, folder / who, scheduler=None if ours else "") as plane:
        admin = connect(str(plane.admin))
        for file in ("namespace.yaml", "rbac.yaml"):
            for obj in yaml.safe_load_all((MANIFESTS / file).read_text()):
                admin.post(_path(obj), obj)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda obj: admin.post(_path(obj), obj), nodes_of(wanted.nodes)))
        _until_ready(admin, wanted.nodes)
        process = _start(plane, folder) if ours else None
        pid = process.pid if process else plane.pid("kube-scheduler")
        time.sleep(3)
        watching = Binding(connect(str(plane.admin)))
        watching.start()
        began = time.monotonic()
        scheduler = "gangplan" if ours else "default-scheduler"
        count = wanted.groups + wanted.late
        gangs = list(gangs_of(count, wanted.size, wanted.seed, scheduler))
        made = _arrive(admin, gangs[: wanted.groups], wanted.rate)
        arrived = time.monotonic() - began
        total, peak = wanted.groups * wanted.size, 0
        until = began + wanted.limit
        while len(watching.gpus) < total and time.monotonic() < until:
            peak = max(peak, memory_of(pid))
            if time.monotonic() - max(watching.last, began + arrived) > _QUIET:
                break
            time.sleep(0.5)
        peak, used, last = max(peak, memory_of(pid)), seconds_of(pid), watching.last
        waited, pods, gpus = watching.waited(made, wanted.size), *watching.sums()
        late: dict[str, float] = {}
        for gang in gangs[wanted.groups :]:
            late |= _arrive(admin, [gang], 0)
            time.sleep(5)
        if process is not None:
            process.terminate()
            process.wait(60)
    return {
        "scheduler": who,
        "arrived": round(arrived, 1),
        "seconds": round(last - began, 1),
        "pods": pods,
        "of": total,
        "gpus": gpus,
        **({"waited": waited} if wanted.rate else {}),
        **({"late": watching.waited(late, wanted.size)} if late else {}),
        "cpu": round(used, 1),
        "peak MiB": round(peak / 2**20),
    }


def _arrive(admin: Client, gangs: list[list[Object]], rate: float) -> dict[str, float]:
    """Create gangs, all at once or so many a second; when each was complete."""
    began, made = time.monotonic(), dict[str, float]()

    def create(number: int) -> None:
        if rate:
            time.sleep(max(0.0, began + number / rate - time.monotonic()))
        for obj in gangs[number]:
            admin.post(_path(obj), obj)
        made[gangs[number][0]["metadata"]["name"]] = time.monotonic()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(create, range(len(gangs))))
    return made


def _start(plane: ControlPlane, folder: Path) -> "subprocess.Popen[bytes]":
    with (folder / "gangplan.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "gangplan", "scheduler"],
            env={**os.environ, "KUBECONFIG": str(plane.user)},
            stdout=log,
            stderr=log,
        )


def _path(obj: Object) -> str:
    group, _, version = obj["apiVersion"].rpartition("/")
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    namespace = obj["metadata"].get("namespace")
    plural = obj["kind"].lower() + "s"
    return f"{root}/namespaces/{namespace}/{plural}" if namespace else f"{root}/{plural}"


def _until_ready(admin: Client, count: int) -> None:
    until = time.monotonic() + 300
    while time.monotonic() < until:
        nodes = admin.get("/api/v1/nodes")["items"]
        if len(nodes) == count and not any(node["spec"].get("taints") for node in nodes):
            return
        time.sleep(1)
    raise SystemExit("error: the nodes do not become ready")


def main(argv: list[str] | None = None) -> int:
    """Measure both, and print a row each as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--version", default="1.37")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--groups", type=int, default=500)
    parser.add_argument("--size", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=0.0, help="gangs a second; 0: all at once")
    parser.add_argument("--late", type=int, default=0, help="gangs that come when all others run")
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for each")
    parser.add_argument("--only", default="", help="gangplan or kube-scheduler")
    parser.add_argument("--folder", help="keep the logs there")
    wanted = parser.parse_args(argv)
    folder = Path(wanted.folder or tempfile.mkdtemp(prefix="gangplan-load-"))
    folder.mkdir(parents=True, exist_ok=True)
    for who in ("gangplan", "kube-scheduler"):
        if wanted.only in ("", who):
            print(json.dumps(measure(wanted.version, who, wanted, folder)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
