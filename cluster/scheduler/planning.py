"""One plan of a World: with the planner that proves, or, where that fails, with the greedy one.

Where the greedy one places everybody who waits and nobody falls for it, nothing is left to prove
about who gets in: no plan admits more. Then the search has ``soft`` seconds, for what is preferred
and for less fragmentation, and not the whole deadline: who waits for its pods would rather have
them.
"""

import math
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gangplan import api
from gangplan.cluster.flight import Flight
from gangplan.cluster.flights import flights_of
from gangplan.cluster.scheduler.log import Log
from gangplan.cluster.scheduler.metrics import Metrics
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.world import World
from gangplan.datasets.plan_file import plan_document
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.result import Result
from gangplan.models.status import PENDING
from gangplan.solvers.base import Limits

OBJECTIVE = "age"
"""Who has waited longer counts more, so that large gangs do not starve."""

_OURS, _GREEDY = "auto", "greedy"

_UNKNOWN = "it does not fit, or others went first"


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan to be carried out.

    Attributes
    ----------
    document : the content of a plan file. flights : of it, in their order.
    pending : PodGroup or pod -> why it waits.
    held : those of them that may place nothing yet, whatever room there is.
    proven : nothing more could have been placed.
    """

    document: Mapping[str, Any]
    flights: tuple[Flight, ...]
    pending: Mapping[str, str]
    held: frozenset[str]
    proven: bool


class Planning:
    """Plans, and counts and tells what came of it."""

    def __init__(self, settings: Settings, metrics: Metrics, log: Log) -> None:
        self._settings = settings
        self._metrics = metrics
        self._log = log

    def plan(self, instance: Instance, world: World, *, preemption: bool = True) -> Planned:
        """Plan an instance of a world.

        Raises
        ------
        GangplanError : both planners failed.
        """
        with self._metrics.phase("plan"):
            result = self._result(instance, preemption=preemption)
        self._count(result)
        document = plan_document(instance, result)
        return Planned(
            document,
            flights_of(document, world),
            _pending(instance, document),
            frozenset(
                name for name, held in zip(instance.names.groups, instance.groups.held, strict=True)
                if held
            ),
            all_in(instance, result)
            or all(tier.proven for tier in result.tiers if tier.maximise),
        )  # fmt: skip

    def _result(self, instance: Instance, *, preemption: bool) -> Result:
        settings = self._settings
        limits = Limits(seconds=settings.deadline, threads=settings.threads)
        try:
            if settings.planner == _OURS:
                return self._soon(instance, limits, preemption=preemption)
            return self._by(settings.planner, instance, limits, preemption=preemption)
        except Exception as error:  # also a bug of the planner: the pods have to go somewhere
            self._metrics.fallbacks.add()
            self._log.error(
                "the planner failed, the greedy one takes over",
                error=f"{type(error).__name__}: {error}",
                trace=traceback.format_exc(),
            )
        return self._by(_GREEDY, instance, limits, preemption=preemption)

    def _soon(self, instance: Instance, limits: Limits, *, preemption: bool) -> Result:
        """Take the greedy plan where it leaves nothing to be wished for but soft goals."""
        began = time.monotonic()
        first = self._by(_GREEDY, instance, limits, preemption=preemption)
        used = time.monotonic() - began
        if not all_in(instance, first):
            left = replace(limits, seconds=max(limits.seconds - used, limits.seconds / 2))
            return self._by(_OURS, instance, left, preemption=preemption)
        if used >= self._settings.soft or not (first.plan.node >= 0).any():
            return first
        soft = replace(limits, seconds=self._settings.soft)
        better = self._by(_OURS, instance, soft, preemption=preemption, previous=first.plan)
        return better if all_in(instance, better) else first

    def _by(
        self,
        planner: str,
        instance: Instance,
        limits: Limits,
        *,
        preemption: bool,
        previous: Plan | None = None,
    ) -> Result:
        return api.plan(
            instance, planner, objective=OBJECTIVE, limits=limits, preemption=preemption,
            pdb="hard", previous=previous,
        )  # fmt: skip

    def _count(self, result: Result) -> None:
        gaps = [math.inf if tier.gap is None else tier.gap for tier in result.tiers]
        self._metrics.gap.set(max(gaps, default=0.0))
        self._metrics.proven.set(all(tier.proven for tier in result.tiers))


def all_in(instance: Instance, result: Result) -> bool:
    """Whether every pod that may be placed at all gets a node, and nobody falls for it."""
    blocked, _ = instance.blocked
    may = ~blocked[instance.roles.group[instance.pod_role]]
    plan = result.plan
    return bool((plan.node[may] >= 0).all()) and not len(plan.evicted)


def _pending(instance: Instance, document: Mapping[str, Any]) -> dict[str, str]:
    """Give who waits and why; of a tree of which nothing is placed its root as well."""
    waiting = {
        entry["group"]: str(entry["reason"] or _UNKNOWN)
        for entry in document["groups"]
        if entry["status"] == PENDING
    }
    found = dict(waiting)
    parent = instance.composites.parent.tolist()
    fine = set[int]()
    reasons: dict[int, str] = {}
    for g, name in enumerate(instance.names.groups):
        top = int(instance.groups.parent[g])
        while top >= 0 and parent[top] >= 0:
            top = parent[top]
        if top >= 0 and name in waiting:
            reasons.setdefault(top, waiting[name])
        elif top >= 0:
            fine.add(top)
    for top, reason in reasons.items():
        if top not in fine:
            found.setdefault(instance.names.composites[top], reason)
    return found
