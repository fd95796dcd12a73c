"""Start, stop, kill and restart the parts of a control plane; one folder, free ports, loopback.

    with ControlPlane("1.37", folder) as plane:
        plane.admin            # kubeconfig of an administrator
        plane.user             # kubeconfig of the adapter's own user (RBAC is on)

KWOK stands in for the kubelets: bound pods run, deleted ones go. It admits everything: what a real
kubelet would refuse, tests write into the pod's status themselves.
"""

import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from gangplan.experiments.controlplane import credentials
from gangplan.experiments.controlplane.binaries import folder as binaries
from gangplan.experiments.controlplane.credentials import ADMIN, SERVICE_ACCOUNT, USER, Failed
from gangplan.experiments.controlplane.gates import CONTROLLERS, apis, gates
from gangplan.experiments.controlplane.loopback import answers, free_ports

_START = 60.0


class ControlPlane:
    """Processes of one control plane.

    Parameters
    ----------
    version : minor version, such as ``1.37``.
    folder : an empty folder for data, certificates and logs.
    durable : etcd syncs to disk, for tests that kill it.
    kubelets : KWOK runs.
    scheduler : kube-scheduler runs, with this KubeSchedulerConfiguration (the part after
        ``clientConnection``), or with its defaults for ``""``; None: it does not run.
    audit : requests of the adapter's user are written to ``audit_log``, a JSON line each.
    """

    def __init__(
        self,
        version: str,
        folder: Path,
        *,
        durable: bool = False,
        kubelets: bool = True,
        scheduler: str | None = None,
        audit: bool = False,
    ) -> None:
        self.version = version
        self.folder = folder
        self.durable = durable
        self.kubelets = kubelets
        self.scheduler = scheduler
        self.audit = audit
        self.audit_log = folder / "audit.log"
        self._bin = binaries(version)
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self.port, self._etcd, self._peer, kcm, sched = free_ports(5)
        self._ports = {"kube-controller-manager": kcm, "kube-scheduler": sched}
        self.admin = folder / "admin.kubeconfig"
        self.user = folder / "user.kubeconfig"

    @property
    def server(self) -> str:
        """Address of the API server."""
        return f"https://127.0.0.1:{self.port}"

    @property
    def certificate(self) -> Path:
        """The API server's own certificate, which is its authority as well."""
        return self.folder / "certs" / "apiserver.crt"

    def token(self, user: str = USER) -> str:
        """Bearer token of ``ADMIN`` or ``USER``."""
        return credentials.token(user)

    # -- life ----------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        """Start; what had come up before a failure is ended."""
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End every part."""
        self.stop()

    def start(self) -> None:
        """Start every part, and wait until the API server is ready.

        Raises
        ------
        Failed : a part ends or does not answer in time.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._credentials()
        self.start_etcd()
        self.start_server()
        self.start_controllers()
        if self.kubelets:
            self.start_kubelets()
        if self.scheduler is not None:
            self.start_scheduler(self.scheduler)

    def stop(self) -> None:
        """End every part, the API server before etcd."""
        for name in reversed(list(self._running)):
            self.end(name)

    def start_etcd(self) -> None:
        """Start etcd on the data there is."""
        client, peer = f"http://127.0.0.1:{self._etcd}", f"http://127.0.0.1:{self._peer}"
        flags = [
            f"--data-dir={self.folder / 'etcd'}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            "--log-level=warn",
        ]
        self._spawn("etcd", flags if self.durable else [*flags, "--unsafe-no-fsync"])
        self._wait("etcd", f"{client}/health")

    def start_server(self) -> None:
        """Start the API server, and wait until it is ready."""
        keys = self.folder
        self._spawn(
            "kube-apiserver",
            [
                f"--etcd-servers=http://127.0.0.1:{self._etcd}",
                f"--cert-dir={keys / 'certs'}",
                f"--secure-port={self.port}",
                "--bind-address=127.0.0.1",
                "--authorization-mode=RBAC",
                f"--token-auth-file={keys / 'tokens.csv'}",
                "--service-account-issuer=https://kubernetes.default",
                f"--service-account-key-file={keys / 'sa.pub'}",
                f"--service-account-signing-key-file={keys / 'sa.key'}",
                "--disable-admission-plugins=ServiceAccount",
                "--service-cluster-ip-range=10.0.0.0/24",
                "--max-requests-inflight=2000",
                "--max-mutating-requests-inflight=1000",
                f"--runtime-config={apis(self.version)}",
                f"--feature-gates={gates(self.version)}",
                *(self._audited() if self.audit else ()),
            ],
        )
        self._wait("kube-apiserver", f"{self.server}/readyz")

    def _audited(self) -> tuple[str, ...]:
        policy = self.folder / "audit.yaml"
        policy.write_text(
            "apiVersion: audit.k8s.io/v1\nkind: Policy\n"
            f"rules: [{{level: Metadata, users: [{SERVICE_ACCOUNT!r}]}}, {{level: None}}]\n"
        )
        files = f"--audit-policy-file={policy}", f"--audit-log-path={self.audit_log}"
        return (*files, "--audit-log-mode=blocking")

    def start_controllers(self) -> None:
        """Start the controllers of jobs, claims, groups, budgets, namespaces and garbage."""
        self._spawn(
            "kube-controller-manager",
            [
                f"--kubeconfig={self.admin}",
                "--leader-elect=false",
                f"--secure-port={self._ports['kube-controller-manager']}",
                "--bind-address=127.0.0.1",
                f"--service-account-private-key-file={self.folder / 'sa.key'}",
                f"--controllers={CONTROLLERS}",
                # A kubelet that is late on a busy machine is no dead one.
                "--node-monitor-grace-period=10m",
                "--node-startup-grace-period=10m",
                "--kube-api-qps=500",
                "--kube-api-burst=1000",
                f"--feature-gates={gates(self.version)}",
            ],
        )

    def start_kubelets(self) -> None:
        """Start KWOK for every node."""
        flags = [f"--kubeconfig={self.admin}", "--manage-all-nodes=true", "--server-address="]
        self._spawn("kwok", flags)

    def start_scheduler(self, configuration: str = "") -> None:
        """Start kube-scheduler; ``configuration`` as in the class."""
        file = self.folder / "scheduler.yaml"
        file.write_text(
            "apiVersion: kubescheduler.config.k8s.io/v1\n"
            "kind: KubeSchedulerConfiguration\n"
            "leaderElection: {leaderElect: false}\n"
            f"clientConnection: {{kubeconfig: {self.admin}, qps: 1000, burst: 2000}}\n"
            f"{configuration}"
        )
        self._spawn(
            "kube-scheduler",
            [
                f"--config={file}",
                f"--secure-port={self._ports['kube-scheduler']}",
                "--bind-address=127.0.0.1",
                f"--feature-gates={gates(self.version)}",
            ],
        )

    def end(self, name: str, *, kill: bool = False) -> None:
        """End a part: politely, or by SIGKILL; it is gone when this returns."""
        process = self._running.pop(name, None)
        if process is None:
            return
        process.send_signal(signal.SIGCONT)
        if kill:
            process.kill()
        else:
            process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def compact(self, revision: int) -> None:
        """Have etcd drop its history before a revision (a resource version)."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self._etcd}/v3/kv/compaction",
            json.dumps({"revision": str(revision), "physical": True}).encode(),
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            answer.read()

    def pause(self, name: str, paused: bool = True) -> None:
        """Stop a part without ending it, or let it go on: it answers nothing meanwhile."""
        self._running[name].send_signal(signal.SIGSTOP if paused else signal.SIGCONT)

    def pid(self, name: str) -> int:
        """Process number of a part."""
        return self._running[name].pid

    def runs(self, name: str) -> bool:
        """Whether a part has been started and has not ended."""
        return name in self._running and self._running[name].poll() is None

    # -- files and processes -------------------------------------------------------------------

    def _credentials(self) -> None:
        if (self.folder / "sa.key").exists():
            return
        credentials.write_keys(self.folder)
        for file, user in ((self.admin, ADMIN), (self.user, USER)):
            file.write_text(json.dumps(self.kubeconfig(user)))

    def kubeconfig(
        self, user: str = USER, server: str | None = None, token: str | None = None
    ) -> dict[str, object]:
        """Content of a kubeconfig; of another server (a proxy) or with another token on demand."""
        token = token or self.token(user)
        return credentials.kubeconfig(server or self.server, self.certificate, user, token)

    def _spawn(self, name: str, flags: Sequence[str]) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [str(self._bin / name), *flags],
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
                env={**os.environ, "KUBECONFIG": str(self.admin)},
            )

    def _wait(self, name: str, url: str) -> None:
        until = time.monotonic() + _START
        while time.monotonic() < until:
            if self._running[name].poll() is not None:
                break
            if answers(url, self.token(ADMIN)):
                return
            time.sleep(0.1)
        log = (self.folder / f"{name}.log").read_text(errors="replace")[-2000:]
        raise Failed(f"{name} of Kubernetes {self.version} does not answer:\n{log}")
