"""What is wrong with a kubeconfig, a server or its rights is one line that says what to do."""

import copy
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.faults.proxy import Proxy
from tests.cluster.faults.rules import Rule
from tests.cluster.live import Live


def run(folder: Path, *args: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run ``gangplan snapshot`` with no kubeconfig in reach but what is said."""
    clean = {k: v for k, v in os.environ.items() if k not in ("KUBECONFIG", "HOME")}
    return subprocess.run(
        [sys.executable, "-m", "gangplan", "snapshot", "-o", "s.json", *args],
        capture_output=True, text=True, cwd=folder, timeout=60,
        env={**clean, "HOME": str(folder), **environment},
    )  # fmt: skip


def refused(done: "subprocess.CompletedProcess[str]", code: int = 4) -> str:
    """Give the one line on standard error."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


def config(server: str = "https://127.0.0.1:1", **user: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": "k", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user or {"token": "t"}}],
        "contexts": [{"name": "here", "context": {"cluster": "k", "user": "u"}}],
    }


def test_no_kubeconfig_at_all_says_where_one_was_looked_for(tmp_path: Path) -> None:
    line = refused(run(tmp_path))
    assert "KUBECONFIG is not set" in line
    assert "~/.kube/config" in line
    assert "--kubeconfig" in line


def test_a_kubeconfig_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert refused(run(tmp_path, "--kubeconfig", "none")) == "none: no such kubeconfig file"
    line = refused(run(tmp_path, KUBECONFIG="/no/such"))
    assert line == "/no/such: no such kubeconfig file (KUBECONFIG names it)"


@pytest.mark.parametrize("text", ["", "hello", "[]", "a: [", "\0", "clusters: 5\ncontexts: x\n"])
def test_a_file_that_is_no_kubeconfig_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "k").write_text(text)
    assert refused(run(tmp_path, "--kubeconfig", "k")).startswith("k: ")


def test_a_context_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "k").write_text(json.dumps(config()))
    line = refused(run(tmp_path, "--kubeconfig", "k", "--context", "there"))
    assert line == "k: has no context 'there' (kubectl config get-contexts)"


def test_in_cluster_outside_of_one_says_so(tmp_path: Path) -> None:
    line = refused(run(tmp_path, "--in-cluster"))
    assert line.startswith("--in-cluster: this is no pod with a service account")


def test_nobody_at_the_address_is_said(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"https://127.0.0.1:{free.getsockname()[1]}"
    (tmp_path / "k").write_text(json.dumps(config(address)))
    line = refused(run(tmp_path, "--kubeconfig", "k"))
    assert line == f"{address}: nobody listens there: is the API server running, and is this it?"


def test_a_name_that_nobody_knows_is_said(tmp_path: Path) -> None:
    (tmp_path / "k").write_text(json.dumps(config("https://api.invalid:6443")))
    line = refused(run(tmp_path, "--kubeconfig", "k"))
    assert line == "https://api.invalid:6443: the name is not known"


@pytest.mark.cluster
def test_a_wrong_token_is_said(cluster: Live) -> None:
    wrong = cluster.folder / "wrong"
    wrong.write_text(json.dumps(cluster.plane.kubeconfig(token="nonsense")))
    line = refused(run(cluster.folder, "--kubeconfig", str(wrong)))
    assert "the token is wrong or has expired (401)" in line


@pytest.mark.cluster
def test_a_certificate_that_is_not_trusted_is_said(cluster: Live) -> None:
    other = cluster.plane.kubeconfig()
    del other["clusters"][0]["cluster"]["certificate-authority"]  # type: ignore[index]
    (cluster.folder / "other").write_text(json.dumps(other))
    line = refused(run(cluster.folder, "--kubeconfig", "other"))
    assert line == f"{cluster.plane.server}: its certificate is not one that the kubeconfig trusts"
    named: Any = copy.deepcopy(cluster.plane.kubeconfig())
    named["clusters"][0]["cluster"]["tls-server-name"] = "elsewhere.example.com"
    (cluster.folder / "named").write_text(json.dumps(named))
    line = refused(run(cluster.folder, "--kubeconfig", "named"))
    assert "its certificate is of another name" in line


@pytest.mark.cluster
def test_plain_http_where_tls_is_spoken_is_said(cluster: Live, proxy: Proxy) -> None:
    spoken = proxy.address.replace("http://", "https://")
    (cluster.folder / "tls").write_text(json.dumps(config(spoken)))
    assert "it does not speak TLS" in refused(run(cluster.folder, "--kubeconfig", "tls"))


@pytest.mark.cluster
def test_a_verb_that_is_lacking_is_named(cluster: Live) -> None:
    bare = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/gangplan"
    binding = cluster.admin.get(bare)
    cluster.admin.delete(bare)
    try:
        line = cluster.wait(
            lambda: (
                (done := cluster.run("snapshot", "-o", "s.json")).returncode == 4 and refused(done)
            )
        )
    finally:
        for key in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
            binding["metadata"].pop(key, None)
        cluster.admin.post(bare.rpartition("/")[0], binding)
    assert 'cannot get resource "namespaces"' in line
    assert "gangplan-system:gangplan" in line


@pytest.mark.cluster
def test_an_api_that_is_not_served_is_told_and_stops_nobody(cluster: Live, proxy: Proxy) -> None:
    groups = ("/apis/scheduling.k8s.io/v1(alpha|beta)", "/apis/resource.k8s.io/", "/apis/policy/")
    proxy.rules = [
        Rule("answer", "GET", path, status=404, reason="NotFound", times=99) for path in groups
    ]
    (cluster.folder / "old").write_text(json.dumps(cluster.plane.kubeconfig(server=proxy.address)))
    done = run(cluster.folder, "--kubeconfig", "old")
    assert done.returncode == 0, done.stderr
    notes = [line for line in done.stderr.splitlines() if line.startswith("note: ")]
    assert len(notes) == 3
    assert "serves no PodGroup" in notes[0]
    assert "resource.k8s.io/v1 is not served" in notes[1]
    assert "policy/v1 is not served" in notes[2]


@pytest.mark.cluster
def test_an_answer_that_is_none_of_an_api_server_is_said(cluster: Live, proxy: Proxy) -> None:
    proxy.rules = [Rule("answer", "GET", "/version", status=404, reason="NotFound", times=9)]
    (cluster.folder / "web").write_text(json.dumps(cluster.plane.kubeconfig(server=proxy.address)))
    line = refused(run(cluster.folder, "--kubeconfig", "web"))
    assert "/version" in line
    assert "404" in line
