"""Planners by name, with those that only experiments know: schedulers that run beside ours."""

from typing import Any, cast

from gangplan.experiments.kubescheduler.profiles import PROFILES
from gangplan.solvers import registry
from gangplan.solvers.base import Planner

KUBE_SCHEDULERS = {f"kube-scheduler[{profile}]": profile for profile in PROFILES}
"""Name -> how it is set up."""


def planners() -> tuple[str, ...]:
    """Names of all planners."""
    return (*registry.planners(), *KUBE_SCHEDULERS)


def get_planner(name: str, **options: Any) -> Planner:
    """Return the planner of this name, made with ``options``.

    Raises
    ------
    GangplanError : see ``registry.get_planner``.
    """
    if name not in KUBE_SCHEDULERS:
        return registry.get_planner(name, **options)
    from gangplan.experiments.kubescheduler.planner import KubeScheduler

    return cast(Planner, KubeScheduler(profile=KUBE_SCHEDULERS[name], **options))


def missing(name: str) -> str:
    """Say why a peer cannot run here; empty where it can, and for a planner that is none."""
    if name not in KUBE_SCHEDULERS:
        return ""
    from gangplan.experiments.kubescheduler import planner

    return planner.missing()


def versions(name: str) -> dict[str, str]:
    """Return the version of the program behind a peer; nothing for a planner that is none."""
    if name not in KUBE_SCHEDULERS:
        return {}
    from gangplan.experiments.kubescheduler import planner

    return planner.versions()
