"""kube-scheduler behind the face of a planner: an instance in, a result out, for records only.

Its plan is not refused here when it breaks a rule: whoever measures verifies, and writes down what
is broken.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np

from gangplan.experiments.controlplane.binaries import VERSIONS, Missing
from gangplan.experiments.controlplane.binaries import folder as binaries
from gangplan.experiments.controlplane.credentials import Failed
from gangplan.experiments.kubescheduler import session
from gangplan.experiments.kubescheduler.objects import refuse
from gangplan.experiments.kubescheduler.profiles import PROFILES
from gangplan.models.errors import GangplanError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.restrict import said
from gangplan.models.result import Result, TierReport
from gangplan.models.tiers import tiers_of, values
from gangplan.solvers.base import Limits, Progress, silent

NAME = "kube-scheduler"


@dataclass(frozen=True, slots=True)
class KubeScheduler:
    """The real thing, on a fresh control plane each time.

    Attributes
    ----------
    profile : a name of ``PROFILES``.
    objective, weights : of the tiers that are reported; it knows nothing of them.
    preemption, pdb : likewise; there is nobody to evict but what it placed itself.
    """

    profile: str = "default"
    objective: str = "groups"
    weights: Mapping[int, int] | None = field(default=None)
    preemption: bool = True
    pdb: str = "soft"

    @property
    def name(self) -> str:
        """``kube-scheduler[default]``."""
        return f"{NAME}[{self.profile}]"

    def plan(
        self, instance: Instance, limits: Limits | None = None, progress: Progress = silent
    ) -> Result:
        """Load the instance, let kube-scheduler place it, and read back where its pods are.

        Raises
        ------
        FormulationError : the instance has more than is loaded.
        GangplanError : no control plane here, or it does not come up.
        """
        refuse(instance)
        tiers = tiers_of(instance, self.objective, self.weights)
        began = perf_counter()
        most = limits.seconds if limits else 600.0
        with tempfile.TemporaryDirectory(prefix="gangplan-kube-scheduler-") as folder:
            try:
                seen = session.run(
                    instance,
                    PROFILES[self.profile],
                    Path(folder) / "plane",
                    most,
                    lambda what: progress(what, perf_counter() - began),
                )
            except (Missing, Failed) as error:
                raise GangplanError(str(error)) from None
        plan = _plan(instance, seen)
        reports = tuple(
            TierReport(tier.name, tier.maximise, value, None, "", False)
            for tier, value in zip(tiers, values(instance, plan, tiers), strict=True)
        )
        return Result(
            plan=plan,
            tiers=reports,
            stop="feasible",
            planner={
                "name": self.name,
                "objective": self.objective,
                **said(preemption=self.preemption, pdb=self.pdb),
            },
            warnings=tuple(_warnings(instance, seen)),
            seconds={"solve": seen.seconds, "load": seen.load_seconds},
            versions=versions(),
        )


def missing() -> str:
    """Say why it cannot run here; empty where it can."""
    try:
        binaries(session.VERSION)
    except Missing as error:
        return str(error)
    return ""


def versions() -> dict[str, str]:
    """Its version, or that it is not built."""
    return {NAME: "not built" if missing() else VERSIONS[session.VERSION]}


def _plan(instance: Instance, seen: session.Seen) -> Plan:
    number = {name: n for n, name in enumerate(instance.names.nodes)}
    node = [number[seen.node_of[p]] if p in seen.node_of else -1 for p in instance.names.pods]
    none = np.zeros(0, dtype=np.int64)
    return Plan(np.array(node, dtype=np.int64), none, none)


def _warnings(instance: Instance, seen: session.Seen) -> list[str]:
    found = []
    if seen.gone:
        found.append(f"{len(seen.gone)} pods were placed and evicted again: {seen.gone[0]}, ...")
    if not seen.settled:
        found.append("it had not come to rest when the time was over")
    return found
