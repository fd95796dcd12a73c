"""Where the programs of a control plane lie, and what to say where they are not.

``KUBEBUILDER_ASSETS`` is honoured, as the controller ecosystem does: one folder for one version, or
one with a folder a version (``v1.37``, ``v1.36``) in it. Else ``make cluster`` has built them into
the cache (``GANGPLAN_CACHE``, by default ``gangplan`` below the user's cache folder).
"""

import os
from pathlib import Path

ASSETS = "KUBEBUILDER_ASSETS"
CACHE = "GANGPLAN_CACHE"
VERSIONS = {"1.37": "v1.37.2", "1.36": "v1.36.3"}
"""Minor version -> release that is built."""

PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")


class Missing(Exception):
    """A program of a control plane is nowhere."""


def cache() -> Path:
    """Folder that ``make cluster`` builds into."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get(CACHE) or Path(home) / "gangplan") / "controlplane"


def folder(version: str) -> Path:
    """Folder with all programs of a version.

    Raises
    ------
    Missing : naming the first program that is not there, and what to do about it.
    """
    given = os.environ.get(ASSETS)
    places = [Path(given) / f"v{version}", Path(given)] if given else [cache() / f"v{version}"]
    for place in places:
        if all((place / name).is_file() for name in PROGRAMS):
            return place
    absent = next(name for name in PROGRAMS if not (places[-1] / name).is_file())
    where = f"{ASSETS}={given}" if given else str(places[-1])
    raise Missing(f"no {absent} of Kubernetes {version} in {where}: make cluster builds it")


def available() -> list[str]:
    """Minor versions whose programs are all there, newest first."""
    found = []
    for version in VERSIONS:
        try:
            folder(version)
        except Missing:
            continue
        found.append(version)
    return found
