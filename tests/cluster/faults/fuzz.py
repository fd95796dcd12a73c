"""``python -m tests.cluster.faults.fuzz [--runs 200] [--seed N] [--version V] [--keep F]``.

Random work on a cluster, and random misfortune while gangplan works: faulty answers and lost ones
(``rules``), SIGKILL of gangplan, of the API server, of etcd, two gangplans at once. Then one
scheduler runs in peace, and the audit must find nothing. A failure says the seed that brings it
about again, as far as threads and timing do.
"""

import argparse
import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from gangplan.cluster.kinds import LEASE
from tests.cluster.audit import audit
from tests.cluster.audit.history import History
from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import at_random
from tests.cluster.faults.scenario import Scenario
from tests.cluster.live import Live
from tests.controlplane.binaries import VERSIONS
from tests.controlplane.plane import ControlPlane

QUIET = 90.0
"""Seconds that a scheduler gets, in peace, to make everything well."""

LASTING = 6.0
"""Seconds of misfortune."""

BEGINNING = 30.0
"""Seconds at most until gangplan is at work."""


class Ill(AssertionError):
    """The audit found something; the message has the seed and what happened."""


def run(live: Live, seed: int) -> str:
    """Run one seed on an empty cluster, and give what happened.

    Raises
    ------
    Ill : something is wrong in the end, or was meanwhile.
    """
    dice = random.Random(seed)
    live.wipe()
    live.install()
    scenario = Scenario(seed)
    scenario.create(live, dice)
    with (
        History(live.admin, live.served) as history,
        Proxy(live.plane, at_random(dice, 0.3), seed) as proxy,
    ):
        said = [*scenario.said, *_misfortune(live, proxy, dice)]
        said.append(f"the proxy: {dict(proxy.happened)}")
        found = _in_peace(live, history)
        story = f"seed {seed}: " + "; ".join(said)
        seen = [asdict(event) for event in history.events()] if found else []
    if found:
        (live.folder / "history.json").write_text(json.dumps(seen, indent=1))
        raise Ill(story + "\n" + "\n".join(found))
    return story


def _misfortune(live: Live, proxy: Proxy, dice: random.Random) -> Iterator[str]:
    """Let one or two gangplans work through the proxy, and do something terrible at times."""
    file = live.folder / "proxied.json"
    file.write_text(json.dumps(live.plane.kubeconfig(server=proxy.address)))
    count = dice.choice((1, 1, 2))
    working = [_start(live, dice, str(file)) for _ in range(count)]
    yield f"{count} at work"
    # Nothing can go wrong before they have begun, which takes a while on a busy machine.
    begun, some = time.monotonic() + BEGINNING, dice.randint(10, 60)
    while len(proxy.requests) < some and time.monotonic() < begun:
        time.sleep(0.05)
    until = time.monotonic() + LASTING
    while time.monotonic() < until:
        time.sleep(dice.uniform(0.5, 2.0))
        what = dice.choice(("kill", "kill", "away", "server", "etcd", "nothing", "nothing"))
        if what != "nothing":
            yield what
        if what == "kill":
            number = dice.randrange(count)
            working[number].kill()
            working[number].wait()
            if dice.random() < 0.5:
                _expire(live)
            working[number] = _start(live, dice, str(file))
        elif what == "away":
            proxy.go_away(dice.uniform(0.2, 2.0))
        elif what == "server":
            live.plane.end("kube-apiserver", kill=True)
            live.plane.start_server()
        elif what == "etcd" and live.plane.durable:
            live.plane.end("etcd", kill=True)
            live.plane.start_etcd()
    for process in working:
        process.kill()
        process.wait()
    if dice.random() < 0.4:
        yield f"then an apply, killed after {_applied(live, dice, str(file)):.1f} s"


def _applied(live: Live, dice: random.Random, kubeconfig: str) -> float:
    """Plan, and apply through the proxy; it may be killed at any time, or come to its end."""
    _expire(live)
    live.run("snapshot", "-o", "s.json", "--kubeconfig", kubeconfig)
    live.run("plan", "s.json", "--pdb", "hard", "-o", "p.json")
    if not (live.folder / "p.json").exists():  # the snapshot was one of the faults
        return 0.0
    process = live.start(
        "apply", "--plan", "p.json", "--yes", "--kubeconfig", kubeconfig, log="apply.log"
    )
    after = dice.uniform(0.5, 6.0)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return after


def _start(live: Live, dice: random.Random, kubeconfig: str) -> "subprocess.Popen[str]":
    log = f"faulty-{dice.randrange(1000)}.log"
    return live.start("scheduler", "--deadline", "2", "--kubeconfig", kubeconfig, log=log)


def _expire(live: Live) -> None:
    path = LEASE.path("gangplan-system")
    for lease in live.admin.get(path)["items"]:
        live.admin.delete(f"{path}/{lease['metadata']['name']}")


def _in_peace(live: Live, history: History) -> list[str]:
    """Let a scheduler work without faults until all is well and stays so; give what is not."""
    _expire(live)
    process = live.start("scheduler", "--deadline", "2", log="peace.log")
    until = time.monotonic() + QUIET
    calm = 0
    found = ["nothing was looked at"]
    while time.monotonic() < until and calm < 3:
        time.sleep(1.5)
        if process.poll() is not None:
            return [f"the scheduler ended by itself: {_end_of(live.folder / 'peace.log')}"]
        led = '"leading"' in (live.folder / "peace.log").read_text()
        found = audit(live.admin, live.served)
        calm = calm + 1 if led and not found else 0
    process.terminate()
    if process.wait(60):
        found.append(f"the scheduler ended with {process.returncode}")
    return [*found, *history.wrong(), *_crashes(live.folder)]


def _crashes(folder: Path) -> list[str]:
    return [
        f"a traceback in {file.name}: {_end_of(file)}"
        for file in sorted(folder.glob("*.log"))
        if "Traceback" in file.read_text()
    ]


def _end_of(file: Path) -> str:
    return file.read_text()[-1500:]


@contextmanager
def fresh(version: str, durable: bool = True) -> Iterator[tuple[ControlPlane, Path]]:
    """Give a control plane that can be killed, with a folder beside it."""
    with (
        tempfile.TemporaryDirectory(prefix="gangplan-fuzz-") as folder,
        ControlPlane(version, Path(folder) / "plane", durable=durable) as plane,
    ):
        yield plane, Path(folder)


def main(arguments: list[str]) -> int:
    """Run seeds; exit status 1 if one of them is ill."""
    parser = argparse.ArgumentParser(prog="python -m tests.cluster.faults.fuzz")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the first run")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="logs and history of the ill")
    parser.add_argument("--version", choices=VERSIONS, default=max(VERSIONS))
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the control plane ends with us
    ill = 0
    with fresh(options.version) as (plane, folder):
        for seed in range(options.seed, options.seed + options.runs):
            room = folder / str(seed)
            room.mkdir()
            live = Live(plane, room)
            try:
                print("ok", run(live, seed), flush=True)
            except Ill as error:
                ill += 1
                print("ILL", error, flush=True)
                if options.keep:
                    shutil.copytree(room, options.keep / str(seed), dirs_exist_ok=True)
            finally:
                live.close()
    print(f"{options.runs} runs, {ill} ill")
    return 1 if ill else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
