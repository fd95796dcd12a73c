"""The two ways in which users let gangplan place pods, and what must be so afterwards."""

import subprocess
import time
from collections.abc import Callable

from gangplan.cluster.kinds import EVENT
from tests.cluster.audit import audit
from tests.cluster.audit.groups import minimum
from tests.cluster.audit.history import History
from tests.cluster.audit.state import counts, state_of
from tests.cluster.live import Live

WAYS = ("apply", "scheduler")


class Way:
    """``apply``: snapshot, plan, apply; ``scheduler``: it runs, and ends with ``stop``."""

    def __init__(self, live: Live, name: str, *options: str) -> None:
        self.live = live
        self.name = name
        self._options = options
        self._process: subprocess.Popen[str] | None = None

    def go(self, until: Callable[[], object], *, seconds: float = 60.0, code: int = 0) -> None:
        """Let gangplan work until something is so; ``code`` is the exit code of ``apply``."""
        all_usable(self.live)
        if self.name == "apply":
            apply(self.live, *self._options, code=code)
        elif self._process is None:
            self._process = self.live.start("scheduler", "--deadline", "3", *self._options)
        end = time.monotonic() + seconds
        while not (until() and self._at_work()):
            assert self._process is None or self._process.poll() is None, self._log()
            assert time.monotonic() < end, self._log()
            time.sleep(0.1)

    def stop(self) -> None:
        """End the scheduler as a cluster does: SIGTERM, and it says goodbye."""
        if self._process is not None:
            self._process.terminate()
            assert self._process.wait(60) == 0, self._log()
            self._process = None

    def _at_work(self) -> bool:
        # Else a scheduler could be told to end before it has begun.
        return self._process is None or '"leading"' in self._log(None)

    def _log(self, last: int | None = 3000) -> str:
        file = self.live.folder / "gangplan.log"
        text = file.read_text() if file.exists() else "nothing is as it should be"
        return text if last is None else text[-last:]


def all_usable(live: Live) -> None:
    """Wait until nodes have lost the taints of their first moments: a plan is made only once."""
    live.wait(
        lambda: (
            not any(
                taint["key"].startswith("node.kubernetes.io/")
                for node in live.all("Node")
                for taint in node["spec"].get("taints", ())
            )
        )
    )


def apply(live: Live, *options: str, code: int = 0, again: int = 2) -> str:
    """Run the three commands as an operator does; give what ``apply`` says."""
    steps = (
        ("snapshot", "-o", "s.json.gz"),
        ("plan", "s.json.gz", "--pdb", "hard", "-o", "p.json"),
        ("apply", "--plan", "p.json", "--yes", *options),
    )
    for step in steps:
        done = live.run(*step)
        said = done.stdout + done.stderr
        if not code and again and done.returncode == 4 and "its taints changed" in said:
            # As it asks for: new nodes are tainted for a moment, now and then twice.
            return apply(live, *options, again=again - 1)
        assert done.returncode == (code if step[0] == "apply" else 0), said
    return said


def well(live: Live, history: History | None = None, *, seconds: float = 30.0) -> None:
    """Fail unless the audit finds nothing, once the controllers have done their part."""
    until = time.monotonic() + seconds
    while found := audit(live.admin, live.served, history):
        assert time.monotonic() < until, "\n".join(found)
        time.sleep(0.3)


def told(live: Live) -> list[str]:
    """Give groups whose condition does not say what is so: True iff the minimum is bound."""
    state = state_of(live.admin, live.served)
    kind = (
        "PodGroupScheduled"
        if live.served.group_version == "v1alpha2"
        else "PodGroupInitiallyScheduled"
    )
    wrong = []
    for name, pods in state.members().items():
        group = state.groups[name]
        have = condition(group, kind)
        bound = sum(counts(pod) for pod in pods)
        want = "True" if bound >= max(1, minimum(group)) else "False"
        if have.get("status") != want:
            wrong.append(f"{name}: {bound} bound, and {kind} is {have}")
        elif want == "False" and (have.get("reason") != "Unschedulable" or not have["message"]):
            wrong.append(f"{name} waits, and {kind} says {have}")
    return wrong


def condition(obj: dict[str, object], kind: str) -> dict[str, str]:
    """Give a condition of an object; empty without one."""
    status = obj.get("status")
    rows = status.get("conditions", []) if isinstance(status, dict) else []
    return next((row for row in rows if row["type"] == kind), {})


def events(live: Live, reason: str) -> set[str]:
    """Give the names of objects about which there is an event of a reason."""
    found = live.admin.get(EVENT.path())["items"]
    return {e["regarding"]["name"] for e in found if e.get("reason") == reason}
