"""Room for a large gang that small work never leaves enough of.

A gang that has waited for ``starving`` seconds, and would fit if the work of its own and lower
priority were done, gets nodes held for it (``holds``): those that are the least occupied now, as
few as it fits on. Whoever is younger, of its own or lower priority, stays off them until it is in.

Why it ends: on held nodes only work of higher priority is added by us, and every pod there that
counts as room ends some day; when the last one has, the gang fits and an ordinary round places it.
Work of higher priority that comes again and again, and other schedulers, can fill the nodes: then
the next look finds that the gang does not fit there, and holds others, or none.

The price: the nodes stand partly idle until the last of their pods ends. It is bounded: one hold a
priority, of the nodes that the gang itself needs. Nothing is written; after a restart the nodes
are found anew.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gangplan.api import plan
from gangplan.cluster.instances import tolerant
from gangplan.cluster.scheduler.drained import drained
from gangplan.cluster.scheduler.holds import Hold, Units, held, units_of
from gangplan.cluster.scheduler.overlay import waits
from gangplan.cluster.scheduler.settings import Settings
from gangplan.cluster.world import Object, World, name_of, seconds_of
from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.instance import Instance
from gangplan.models.marks import MINIMUM, marks
from gangplan.solvers.base import Limits

_OLDEST = 3
"""Gangs of one priority that are looked at in one go: the oldest may fit no cluster at all."""


class Starving:
    """The holds there are, kept up to date between rounds."""

    def __init__(
        self,
        settings: Settings,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._say = say
        self._clock = clock
        self._holds: dict[int, Hold] = {}
        self._looked: float | None = None
        self._asked: frozenset[str] = frozenset()

    @property
    def holds(self) -> tuple[Hold, ...]:
        """What is held now, the highest priority first."""
        return tuple(self._holds[p] for p in sorted(self._holds, reverse=True))

    def over(self, world: World) -> World:
        """Lay the holds over a world."""
        return held(world, self.holds, units_of(world)) if self._holds else world

    def look(self, world: World, pending: Iterable[str]) -> float | None:
        """Hold what has to be held for those who wait, and let go what has not.

        Parameters
        ----------
        world : with everything that is on its way, without holds.
        pending : PodGroups and pods (by full name) that the last round could not place.

        Returns
        -------
        Seconds after which to look again; None: nobody waits for that.
        """
        if not self._settings.starving:
            return None
        units = units_of(world)
        names = {units.root.get(name, name) for name in pending}
        waiting = [one for one in _waiting(world, units) if one.unit in names]
        self._let_go({one.unit for one in waiting})
        limit = self._settings.starving
        starving = [one for one in waiting if world.taken - one.since >= limit]
        if not starving:
            youngest = min((limit - (world.taken - one.since) for one in waiting), default=None)
            return None if youngest is None else max(youngest, 0.1)
        if self._due(frozenset(one.unit for one in starving), world):
            self._hold(world, units, starving)
        return self._settings.recheck

    def _due(self, units: frozenset[str], world: World) -> bool:
        there = {name_of(node) for node in world.objects.get("Node", ())}
        gone = any(not hold.nodes <= there for hold in self._holds.values())
        now, new = self._clock(), bool(units - self._asked)
        recheck = self._settings.recheck
        if not (new or gone or self._looked is None or now - self._looked >= recheck):
            return False
        self._looked, self._asked = now, units
        return True

    def _let_go(self, waiting: set[str]) -> None:
        for priority, hold in list(self._holds.items()):
            if hold.unit not in waiting:
                del self._holds[priority]
                self._say(f"{hold.unit} waits no more: {len(hold.nodes)} nodes are free for others")

    def _hold(self, world: World, units: Units, starving: Sequence["Waiting"]) -> None:
        """Find the hold of each priority, the highest first: it keeps off those below."""
        before, self._holds = self._holds, {}
        by_priority: dict[int, list[Waiting]] = {}
        for one in sorted(starving, key=lambda one: (one.since, one.unit)):
            by_priority.setdefault(one.priority, []).append(one)
        for priority in sorted(by_priority, reverse=True):
            kept = before.get(priority)
            oldest = by_priority[priority][:_OLDEST]
            # Who has nodes already stays first: others would begin the waiting anew.
            oldest.sort(key=lambda one: kept is None or one.unit != kept.unit)
            for one in oldest:
                hold = self._find(self.over(world), units, one, kept)
                if hold is not None:
                    self._holds[priority] = hold
                    break
        self._tell(before)

    def _find(self, world: World, units: Units, one: "Waiting", kept: Hold | None) -> Hold | None:
        empty = tolerant(drained(world, one.unit, one.priority, units))[0]
        if not empty.n_pods:
            return None
        names = np.array(empty.names.nodes)
        if kept is not None and kept.unit == one.unit:
            on = self._fits(empty, np.isin(names, sorted(kept.nodes)))
            if on is not None:
                return kept
        order = _least_occupied(empty, tolerant(world)[0])
        for count in _growing(_fewest(empty), len(order)):
            some = np.zeros(len(order), dtype=np.bool_)
            some[order[:count]] = True
            on = self._fits(empty, some)
            if on is not None:
                return Hold(one.unit, one.priority, frozenset(names[on].tolist()))
        return None

    def _fits(self, instance: Instance, nodes: Flags) -> Ints | None:
        """Nodes that the unit's minimum takes when it may use only these; None: it does not fit."""
        free = np.where(nodes[:, None], instance.nodes.free, 0)
        room = replace(instance.nodes, free=free, intact=instance.nodes.intact & nodes)
        part = replace(instance, nodes=room)
        limits = Limits(seconds=self._settings.deadline, threads=self._settings.threads)
        found = plan(part, preemption=False, pdb="hard", limits=limits).plan
        needed = marks(part, found) == MINIMUM
        return np.unique(found.node[needed]) if needed.any() else None

    def _tell(self, before: Mapping[int, Hold]) -> None:
        for priority, hold in self._holds.items():
            if before.get(priority) != hold:
                shown = ", ".join(sorted(hold.nodes)[:5]) + (", ..." if len(hold.nodes) > 5 else "")
                self._say(f"{hold.unit} starves: {len(hold.nodes)} nodes are held for it ({shown})")
        for priority, hold in before.items():
            if priority not in self._holds:
                self._say(f"{hold.unit} would not fit any more: nothing is held for it")


@dataclass(frozen=True, slots=True)
class Waiting:
    """A unit that waits: ``since`` when, in seconds since the epoch."""

    unit: str
    priority: int
    since: float


def _waiting(world: World, units: Units) -> list[Waiting]:
    """Units with pods of ours that could be placed.

    They wait since both the group and the oldest of these pods were made: a group that ran, and
    whose pods are made again, begins to wait then.
    """
    priority: dict[str, int] = {}
    pods: dict[str, float] = {}
    for pod in world.objects.get("Pod", ()):
        if waits(pod, world.scheduler):
            unit = units.of(pod)
            priority[unit] = units.priority_of(pod)
            pods[unit] = min(pods.get(unit, float("inf")), _made(pod, world))
    return [Waiting(unit, priority[unit], _since(world, unit, pods[unit])) for unit in priority]


def _since(world: World, unit: str, pods: float) -> float:
    for kind in ("PodGroup", "CompositePodGroup"):
        group = world.find(kind, unit)
        if group is not None:
            return max(_made(group, world), pods)
    return pods


def _made(obj: Object, world: World) -> float:
    made = obj["metadata"].get("creationTimestamp")
    return seconds_of(made) if made else world.taken


def _least_occupied(empty: Instance, now: Instance) -> Ints:
    """Give the nodes by how much of the room they would have is free already, most first."""
    column = {name: r for r, name in enumerate(now.names.resources)}
    row = {name: n for n, name in enumerate(now.names.nodes)}
    share = np.zeros(len(empty.nodes), dtype=np.float64)
    asked = empty.roles.request.max(axis=0, initial=0) > 0
    for n, name in enumerate(empty.names.nodes):
        if name in row:
            share[n] = _share(
                {
                    resource: (int(now.nodes.free[row[name], column[resource]]), int(all_of))
                    for resource, all_of, wanted in zip(
                        empty.names.resources, empty.nodes.free[n], asked, strict=True
                    )
                    if wanted and resource in column
                }
            )
    return np.argsort(-share, kind="stable").astype(np.int64)


def _share(room: Mapping[str, tuple[int, int]]) -> float:
    """Give the smallest part that is free, over what is asked for; -1 where nothing ever will."""
    if any(all_of == 0 for _, all_of in room.values()):
        return -1.0
    return min((free / all_of for free, all_of in room.values()), default=0.0)


def _fewest(instance: Instance) -> int:
    """Nodes that the minimum needs at least, by the sum of each resource."""
    most = instance.nodes.free.max(axis=0, initial=0).astype(np.float64)
    least: Floats = np.zeros(len(most))
    needed = instance.groups.minimum - instance.groups.running
    for g, pods in enumerate(needed.tolist()):
        mine = instance.roles.request[instance.roles.group == g]
        if len(mine) and pods > 0:
            least += pods * mine.min(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(least > 0, least / most, 0.0)
    return int(min(np.ceil(ratio.max(initial=1.0)), len(instance.nodes)))


def _growing(first: int, last: int) -> list[int]:
    """Twice as many each time; all in the end."""
    found = []
    count = max(first, 1)
    while count < last:
        found.append(count)
        count *= 2
    return [*found, last]
