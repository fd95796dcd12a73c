"""Kubelets that reject a pod now and then, as ``OutOfcpu``; KWOK takes everything in."""

import threading
import time
from typing import Any

from gangplan.cluster.errors import ClusterError, NotFound
from gangplan.cluster.kinds import NODE, POD
from tests.cluster.audit.room import ZERO, allocatable, lacking, requests
from tests.cluster.audit.state import done
from tests.cluster.live import Live


class Kubelets:
    """Stand in for the kubelets of all nodes of a control plane without KWOK.

    Parameters
    ----------
    rejects : how many of the first pods that are bound are rejected, whatever room there is.
        Later ones are rejected where their node has no room for them, as real ones do.
    """

    def __init__(self, live: Live, rejects: int = 0) -> None:
        self._live = live
        self._left = rejects
        self._seen: set[str] = set()
        self._stopped = threading.Event()
        self.rejected: list[str] = []
        self.faults: list[str] = []
        for work in (self._pods, self._heartbeats):
            threading.Thread(target=self._until_stopped, args=(work,), daemon=True).start()

    def stop(self) -> None:
        """End, and say what went wrong here, which is no fault of gangplan's."""
        self._stopped.set()
        assert not self.faults, self.faults

    def _until_stopped(self, work: Any) -> None:
        while not self._stopped.is_set():
            try:
                work()
            except ClusterError as error:
                self.faults.append(str(error))
            time.sleep(0.02)

    def _pods(self) -> None:
        pods = [p for p in self._live.admin.get(POD.path())["items"] if p["spec"].get("nodeName")]
        taken = [p for p in pods if p["metadata"]["uid"] in self._seen and not done(p)]
        for pod in pods:
            uid = pod["metadata"]["uid"]
            if uid in self._seen:
                continue
            self._seen.add(uid)
            ready = {"type": "Ready", "status": "True"}
            status: dict[str, Any] = {"phase": "Running", "conditions": [ready]}
            fits = self._fits(pod, taken)
            if fits and self._left <= 0:
                taken.append(pod)
            else:
                self._left -= 1
                self.rejected.append(pod["metadata"]["name"])
                status = {"phase": "Failed", "reason": "OutOfcpu", "message": "not enough cpu"}
            path = POD.path(pod["metadata"]["namespace"], pod["metadata"]["name"], "status")
            try:
                self._live.admin.patch(path, {"status": status})
            except NotFound:
                self._seen.discard(uid)  # it was deleted in between

    def _fits(self, pod: dict[str, Any], taken: list[dict[str, Any]]) -> bool:
        node = pod["spec"]["nodeName"]
        there = [pod, *(other for other in taken if other["spec"]["nodeName"] == node)]
        asked = [requests(one) for one in there]
        used = {key: sum((a.get(key, ZERO) for a in asked), ZERO) for a in asked for key in a}
        return not lacking(node, used, allocatable(self._live.get("Node", node)))

    def _heartbeats(self) -> None:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": now}
        for node in self._live.admin.get(NODE.path())["items"]:
            path = NODE.path("", node["metadata"]["name"], "status")
            self._live.admin.patch(path, {"status": {"conditions": [ready]}})
        self._stopped.wait(5.0)
