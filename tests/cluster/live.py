"""A running cluster in tests: an administrator's hands, and the adapter's own client.

Everything goes through the real API server. ``admin`` may do all, ``client`` only what the
manifests of ``cluster/deploy`` allow the adapter.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml

from gangplan.cluster.client import Client, connect
from gangplan.cluster.discovery import Served, discover
from gangplan.cluster.errors import ApiError, Conflict, NotFound
from gangplan.cluster.kinds import CONFIG_MAP, NAMESPACE, NODE, POD, Kind
from tests.controlplane.plane import ControlPlane

Object = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
MANIFESTS = ROOT / "cluster" / "deploy"
_KEPT = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})


class Live:
    """One control plane as a test sees it."""

    def __init__(self, plane: ControlPlane, folder: Path) -> None:
        self.plane = plane
        self.folder = folder
        self.admin: Client = connect(str(plane.admin))
        self.client: Client = connect(str(plane.user))
        self.served: Served = discover(self.admin)
        self._started: list[subprocess.Popen[str]] = []

    # -- objects -------------------------------------------------------------------------------

    def kind(self, obj: Object) -> Kind:
        """Kind of an object, by its apiVersion and kind."""
        group, _, version = str(obj["apiVersion"]).rpartition("/")
        for kind in (*self.served.kinds.values(), NAMESPACE):
            if (kind.group, kind.version, kind.name) == (group, version, obj["kind"]):
                return kind
        plural = str(obj["kind"]).lower()
        plural = plural[:-1] + "ies" if plural.endswith("cy") else plural + "s"
        plural = {"leases": "leases", "priorityclasss": "priorityclasses"}.get(plural, plural)
        namespaced = obj["kind"] not in _GLOBAL
        return Kind(group, version, plural, str(obj["kind"]), namespaced)

    def create(self, *objects: Object) -> list[Object]:
        """Create objects, with their status where they have one; namespaces come on their own."""
        made = []
        for obj in objects:
            kind = self.kind(obj)
            if kind.namespaced:
                obj.setdefault("metadata", {}).setdefault("namespace", "default")
                self._namespace(obj["metadata"]["namespace"])
            path = kind.path(obj["metadata"].get("namespace", ""))
            found = self.admin.post(path, obj)
            if "status" in obj:
                name = found["metadata"]["name"]
                path = kind.path(obj["metadata"].get("namespace", ""), name, "status")
                found = self.admin.patch(path, {"status": obj["status"]})
            if kind is NODE or kind.name == "Node":
                self.admin.patch(
                    NODE.path_of(obj["metadata"]["name"]),
                    {"spec": {"taints": obj.get("spec", {}).get("taints")}},
                )
            made.append(found)
        self._rest([obj for obj in objects if obj["kind"] == "Node"])
        return made

    def get(self, kind: str, full_name: str) -> Object:
        """Read an object of a kind that planning needs."""
        return self.admin.get(self.served[kind].path_of(full_name))

    def all(self, kind: str, namespace: str = "", **params: object) -> list[Object]:
        """List objects of a kind that planning needs."""
        answer = self.admin.get(self.served[kind].path(namespace), params or None)
        return [dict(item) for item in answer["items"]]

    def bound(self, namespace: str = "default") -> dict[str, str]:
        """Pod -> node, of the pods that have one and are not being deleted."""
        return {
            pod["metadata"]["name"]: pod["spec"]["nodeName"]
            for pod in self.all("Pod", namespace)
            if pod["spec"].get("nodeName") and not pod["metadata"].get("deletionTimestamp")
        }

    def wait(self, what: Callable[[], Any], seconds: float = 30.0, why: str = "") -> Any:
        """Give what the function gives, once that is something."""
        until = time.monotonic() + seconds
        while not (found := what()):
            assert time.monotonic() < until, why or f"nothing after {seconds} s"
            time.sleep(0.05)
        return found

    # -- the whole cluster ---------------------------------------------------------------------

    def install(self) -> None:
        """Create the namespace and the rights of the adapter, as ``kubectl apply -k`` does."""
        for file in sorted(MANIFESTS.glob("*.yaml")):
            if file.name == "kustomization.yaml":
                continue
            for obj in yaml.safe_load_all(file.read_text()):
                if obj and obj["kind"] not in ("Deployment", "PodDisruptionBudget", "Service"):
                    self._ensure(obj)

    def wipe(self) -> None:
        """Delete everything that a test can have made."""
        for kind in self.served.kinds.values():
            if kind.name == "PriorityClass":
                self._wipe(kind, keep=lambda name: name.startswith("system-"))
            elif kind.name != "Node":
                self._wipe(kind)
        self._wipe(NODE)
        for extra in _EXTRA:
            self._wipe(extra)
        for obj in self.admin.get(CONFIG_MAP.path("gangplan-system"))["items"]:
            if obj["metadata"]["name"].startswith("gangplan-"):
                self._delete(CONFIG_MAP.path_of(f"gangplan-system/{obj['metadata']['name']}"))
        for namespace in self.admin.get(NAMESPACE.path())["items"]:
            name = namespace["metadata"]["name"]
            if name not in _KEPT and name != "gangplan-system":
                self._delete(NAMESPACE.path_of(name))

    def close(self) -> None:
        """End the commands that are still running."""
        for process in self._started:
            if process.poll() is None:
                process.kill()
                process.wait()

    # -- the adapter as its users run it -------------------------------------------------------

    def run(self, *args: str, **options: Any) -> "subprocess.CompletedProcess[str]":
        """Run ``gangplan ARGS`` with the adapter's kubeconfig, and give what came of it."""
        environment = self._environment(options.pop("kubeconfig", None))
        options = {"timeout": 120, **options}
        return subprocess.run(
            self._command(args), capture_output=True, text=True, cwd=self.folder, env=environment,
            **options,
        )  # fmt: skip

    def start(self, *args: str, log: str = "gangplan.log") -> "subprocess.Popen[str]":
        """Start ``gangplan ARGS`` in the background; it ends with the test."""
        with (self.folder / log).open("a") as file:
            process = subprocess.Popen(
                self._command(args), stdout=file, stderr=subprocess.STDOUT, text=True,
                cwd=self.folder, env=self._environment(None),
            )  # fmt: skip
        self._started.append(process)
        return process

    def _command(self, args: Iterable[str]) -> list[str]:
        return [sys.executable, "-m", "gangplan", *args]

    def _environment(self, kubeconfig: str | None) -> dict[str, str]:
        return {**os.environ, "KUBECONFIG": kubeconfig or str(self.plane.user)}

    # -- the first moments of nodes ------------------------------------------------------------

    def _rest(self, nodes: Iterable[Object]) -> None:
        """Wait until node-lifecycle has nothing to add to new nodes: it taints them, and takes
        the taint away and puts it back as its view of them grows older and newer.
        """
        names = [obj["metadata"]["name"] for obj in nodes if not _tainted(obj)]
        if not names or not self.plane.runs("kwok"):
            return
        until = time.monotonic() + 60.0
        calm = 0
        before: list[Object] = []
        while calm < 4:
            assert time.monotonic() < until, "the nodes do not come to rest"
            time.sleep(0.15)
            found = [self.admin.get(NODE.path_of(name)) for name in names]
            now = [
                {"spec": node["spec"], "labels": node["metadata"].get("labels")} for node in found
            ]
            usual = all(not _tainted(node) and _labelled(node) for node in found)
            calm = calm + 1 if usual and now == before else 0
            before = now

    # -- details -------------------------------------------------------------------------------

    def _namespace(self, name: str) -> None:
        self._ensure({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})

    def _ensure(self, obj: Object) -> None:
        try:
            self.admin.post(self.kind(obj).path(obj["metadata"].get("namespace", "")), obj)
        except Conflict:
            return

    def _wipe(self, kind: Kind, keep: Callable[[str], bool] = lambda name: False) -> None:
        for _ in range(100):
            try:
                found = self.admin.get(kind.path())["items"]
            except NotFound:
                return
            found = [obj for obj in found if not keep(obj["metadata"]["name"])]
            if not found:
                return
            for obj in found:
                metadata = obj["metadata"]
                path = kind.path(metadata.get("namespace", ""), metadata["name"])
                if metadata.get("finalizers"):
                    self._release(path)
                self._delete(path)
            time.sleep(0.05)
        raise AssertionError(f"{kind.plural} do not go away: {json.dumps(found[0])[:500]}")

    def _release(self, path: str) -> None:
        self._quietly(lambda: self.admin.patch(path, {"metadata": {"finalizers": None}}))

    def _delete(self, path: str) -> None:
        self._quietly(lambda: self.admin.delete(path, {"gracePeriodSeconds": 0}))

    def _quietly(self, call: Callable[[], object]) -> None:
        try:
            call()
        except (NotFound, Conflict):
            return
        except ApiError as error:
            if error.status != 422:
                raise


def _tainted(node: Object) -> bool:
    spec = node.get("spec", {})
    keys = [taint["key"] for taint in spec.get("taints") or ()]
    return bool(spec.get("unschedulable")) or any(k.startswith("node.kubernetes.io/") for k in keys)


def _labelled(node: Object) -> bool:
    labels = node["metadata"].get("labels") or {}
    return "kubernetes.io/os" not in labels or "beta.kubernetes.io/os" in labels


_GLOBAL = frozenset({"Namespace", "ClusterRole", "ClusterRoleBinding", "Node", "PriorityClass"})
_EXTRA = (
    Kind("batch", "v1", "jobs", "Job"),
    Kind("coordination.k8s.io", "v1", "leases", "Lease"),
    Kind("events.k8s.io", "v1", "events", "Event"),
)


def pods_of(live: Live, namespace: str = "default") -> list[Object]:
    """All pods of a namespace."""
    return [dict(pod) for pod in live.admin.get(POD.path(namespace))["items"]]
