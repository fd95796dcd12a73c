"""``make cluster``: builds the control planes from Go modules, into the cache.

    python -m tests.controlplane.build [1.37 1.36]

A program that was built from the same go.mod and go.sum by the same Go is kept.
"""

import hashlib
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.controlplane.binaries import VERSIONS, cache

HERE = Path(__file__).parent
KUBERNETES = ("kube-apiserver", "kube-controller-manager", "kube-scheduler")
OTHERS = {"etcd": "go.etcd.io/etcd/server/v3", "kwok": "sigs.k8s.io/kwok/cmd/kwok"}


def main(versions: list[str]) -> int:
    """Build what is missing; the exit code is 1 without Go or for a build that failed."""
    unknown = [version for version in versions if version not in VERSIONS]
    if unknown:
        print(f"error: {unknown[0]} is not one of {', '.join(VERSIONS)}", file=sys.stderr)
        return 1
    if shutil.which("go") is None:
        print(
            "error: make cluster needs Go (https://go.dev/dl), and there is none", file=sys.stderr
        )
        return 1
    try:
        for version in versions or list(VERSIONS):
            into = cache() / f"v{version}"
            for name, package in OTHERS.items():
                _build(name, [package], [name], into, "-s -w")
            release = VERSIONS[version]
            minor = version.partition(".")[2]
            stamp = "-X k8s.io/component-base/version.git"
            flags = f"-s -w {stamp}Version={release} {stamp}Major=1 {stamp}Minor={minor}"
            packages = [f"k8s.io/kubernetes/cmd/{name}" for name in KUBERNETES]
            _build(f"v{version}", packages, list(KUBERNETES), into, flags)
    except subprocess.CalledProcessError as error:
        print(f"error: {' '.join(error.cmd[:2])} failed", file=sys.stderr)
        return 1
    return 0


def _build(module: str, packages: list[str], names: list[str], into: Path, flags: str) -> None:
    mark = into / f".{module}"
    wanted = _digest(HERE / module, flags)
    if all((into / name).is_file() for name in names) and mark.is_file():
        if mark.read_text() == wanted:
            return
        mark.unlink()
    into.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    print(f"building {', '.join(names)} for {into.name} ...", file=sys.stderr, flush=True)
    target = f"{into}/" if len(packages) > 1 else str(into / names[0])
    command = ["go", "build", "-trimpath", "-ldflags", flags, "-o", target, *packages]
    subprocess.run(command, cwd=HERE / module, check=True)
    mark.write_text(wanted)
    print(f"  {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


def _digest(module: Path, flags: str) -> str:
    go = subprocess.run(["go", "version"], capture_output=True, text=True, check=True).stdout
    sums = [(module / name).read_bytes() for name in ("go.mod", "go.sum")]
    return hashlib.sha256(b"\0".join([go.encode(), flags.encode(), *sums])).hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
