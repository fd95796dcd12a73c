"""Who may ask an API server of ours, and how: tokens, the key of service accounts, kubeconfigs."""

import shutil
import subprocess
from pathlib import Path

ADMIN, USER = "admin", "gangplan"
SERVICE_ACCOUNT = "system:serviceaccount:gangplan-system:gangplan"
"""Who the adapter's user is, so that RBAC of the manifests holds for it as in a cluster."""


class Failed(Exception):
    """A part did not come up, with the end of its log."""


def token(user: str) -> str:
    """Bearer token of ``ADMIN`` or ``USER``."""
    return f"{user}-token"


def write_keys(folder: Path) -> None:
    """Write ``sa.key``, ``sa.pub`` and ``tokens.csv``, once.

    Raises
    ------
    Failed : there is no openssl.
    """
    if (folder / "sa.key").exists():
        return
    if shutil.which("openssl") is None:
        raise Failed("no openssl on this machine: it makes the control plane's key pair")
    key, public = folder / "sa.key", folder / "sa.pub"
    for command in (
        ["genrsa", "-out", str(key), "2048"],
        ["rsa", "-in", str(key), "-pubout", "-out", str(public)],
    ):
        subprocess.run(["openssl", *command], check=True, capture_output=True)
    (folder / "tokens.csv").write_text(
        f'{token(ADMIN)},admin,admin,"system:masters"\n'
        f'{token(USER)},{SERVICE_ACCOUNT},gangplan,"system:serviceaccounts"\n'
    )


def kubeconfig(server: str, certificate: Path, user: str, token: str) -> dict[str, object]:
    """Content of a kubeconfig; ``http://`` (a proxy) goes without a certificate."""
    at = {
        "server": server,
        "certificate-authority": str(certificate),
        "tls-server-name": "127.0.0.1",
    }
    if server.startswith("http://"):
        at = {"server": server}
    context = {"cluster": "test", "user": user, "namespace": "default"}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": at}],
        "users": [{"name": user, "user": {"token": token}}],
        "contexts": [{"name": "test", "context": context}],
        "current-context": "test",
    }
