"""Arrivals: pods come one after the other, each batch is planned at once, and nothing ever moves.

The setting of Weng et al., "Beware of Fragmentation" (USENIX ATC 2023): a pod list in random order,
then pods drawn from it again until 1.3 times the cluster's GPUs have been asked for. A pod that
does not fit when it arrives is gone. What counts is the allocation rate: thousandths of GPUs held,
over those of the cluster, when 1.0 times the cluster's GPUs have arrived.

``python -m gangplan.experiments.arrivals openb --planner together --batch 50`` prints one JSON
line a seed.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter, process_time

import numpy as np

from gangplan.datasets import traces
from gangplan.experiments.batches import planned, with_pods
from gangplan.models.arrays import Flags, Ints
from gangplan.models.errors import Fault, GangplanError, InputError
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.solvers.planners.arrivals.place import one_by_one, together
from gangplan.solvers.planners.arrivals.room import Room, Spot, empty_room
from gangplan.solvers.planners.arrivals.scores import Rule, filling, published, scores_of
from gangplan.solvers.planners.arrivals.workload import typical
from gangplan.solvers.planners.refuse import refuse_broken

Batch = Callable[[Sequence[int]], Sequence[Spot | None]]
"""Roles that arrive together -> where each goes; what is placed is taken from the room."""

RATIO = 1.3
"""GPUs that arrive, over those of the cluster, in the published experiments."""

RULES: dict[str, tuple[Rule, float, bool]] = {
    "fgd": (published, 0.95, False),
    "filling": (filling, 1.0, False),
    "together": (filling, 1.0, True),
}
"""Name -> (rule, part of the workload that is typical, batches are planned together)."""

THROUGH_PLANNERS = ("greedy", "exact")
"""Planners that get each batch as an instance of its own."""

SHOWN = (50, 60, 70, 80, 90, 95, 98, 100, 110, 120, 130)
"""Per cent of the cluster's GPUs that have arrived, where the rate is told."""


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """What became of the arrivals.

    Attributes
    ----------
    whole : the instance of all arrivals together, and ``plan`` of it, which has been verified.
    role : (A,) role of each arrival, in order.
    placed : (A,) it was placed when it arrived.
    arrived, held : (B,) thousandths of GPUs asked for and held, after each batch.
    capacity : thousandths of GPUs of the cluster.
    seconds, cpu_seconds : wall clock and this process's own time of all the planning.
    slowest : the longest batch, seconds.
    """

    whole: Instance
    plan: Plan
    role: Ints
    placed: Flags
    arrived: Ints
    held: Ints
    capacity: int
    seconds: float
    cpu_seconds: float
    slowest: float

    def rates(self) -> dict[int, float]:
        """Per cent of GPUs held, by per cent that have arrived (means over what rounds to it)."""
        percent = np.rint(100 * self.arrived / self.capacity).astype(np.int64)
        return {
            shown: round(float(100 * self.held[percent == shown].mean() / self.capacity), 3)
            for shown in SHOWN
            if (percent == shown).any()
        }


def inflated(instance: Instance, seed: int, ratio: float = RATIO) -> Ints:
    """Return (A,) roles in the order of arrival: all pods shuffled, then drawn from again.

    Source: ``tuneUpPods`` and ``SortClusterPods`` of hkust-adsl/kubernetes-scheduler-simulator.
    Ends before a pod would ask for more than ``ratio`` times the GPUs of the cluster; where all
    pods together do, the order is cut there.
    """
    draw = np.random.default_rng(seed)
    roles, most = instance.pod_role, ratio * int(instance.shared.free.sum())
    devices = instance.roles.devices
    order = draw.permutation(roles).tolist()
    asked = int(devices[order].sum())
    if not devices[roles].any():
        return np.array(order, dtype=np.int64)
    while asked <= most:
        role = int(roles[draw.integers(len(roles))])
        asked += int(devices[role])
        order.append(role)
    arrived = np.cumsum(devices[order])
    return np.array(order, dtype=np.int64)[arrived <= most]


def listed(instance: Instance) -> Ints:
    """Return (A,) roles in the order of the pods' names, for openb that of its list."""
    order = sorted(range(instance.n_pods), key=lambda p: instance.names.pods[p])
    return instance.pod_role[order]


def run(
    instance: Instance,
    order: Ints,
    planner: str = "together",
    batch: int = 50,
    seconds: float = 5.0,
) -> Course:
    """Let pods arrive.

    Parameters
    ----------
    instance : the cluster, and roles; how many pods it has of each says what is typical.
    order : (A,) role of each arrival.
    planner : of ``RULES`` or ``THROUGH_PLANNERS``.
    batch : pods that arrive, and are planned, together.
    seconds : for each batch, of planners that have a limit.

    Raises
    ------
    InputError : an unknown planner, a batch below 1.
    PlanError : the arrivals together break a rule, a bug in gangplan.
    """
    if batch < 1:
        raise InputError([Fault("", "arrivals", "batch", f"{batch} is below 1")])
    room = empty_room(instance)
    place = _planner(instance, planner, room, seconds)
    batches = [order[start : start + batch] for start in range(0, len(order), batch)]
    spots: list[Spot | None] = []
    spent: list[float] = []
    cpu = process_time()
    for arrivals in batches:
        begun = perf_counter()
        spots += place(arrivals.tolist())
        spent.append(perf_counter() - begun)
    cpu = process_time() - cpu
    whole, plan = _whole(instance, order, spots, room)
    refuse_broken(whole, plan, f"arrivals {planner}")
    placed = np.array([spot is not None for spot in spots], dtype=np.bool_)
    sizes = [len(arrivals) for arrivals in batches]
    devices, ends = instance.roles.devices[order], np.cumsum(sizes, dtype=np.int64) - 1
    return Course(
        whole,
        plan,
        order,
        placed,
        np.cumsum(devices)[ends],
        np.cumsum(devices * placed)[ends],
        int(instance.shared.free.sum()),
        sum(spent),
        cpu,
        max(spent, default=0.0),
    )


def _planner(instance: Instance, name: str, room: Room, seconds: float) -> Batch:
    if name in THROUGH_PLANNERS:
        return lambda roles: planned(room, roles, name, seconds)
    if name not in RULES:
        known = ", ".join((*RULES, *THROUGH_PLANNERS))
        raise InputError([Fault("", "arrivals", "planner", f"{name!r}: one of {known}")])
    rule, part, at_once = RULES[name]
    scores = scores_of(room, typical(instance, instance.roles.wanted, part), rule)
    return partial(together if at_once else one_by_one, scores)


def _whole(
    instance: Instance, order: Ints, spots: Sequence[Spot | None], room: Room
) -> tuple[Instance, Plan]:
    """Return the instance of all arrivals, and where they went, in its order of pods."""
    rows = np.argsort(order, kind="stable")
    kinds, counts = np.unique(order, return_counts=True)
    wanted = np.zeros(len(instance.roles), dtype=np.int64)
    wanted[kinds] = counts
    whole = with_pods(instance, wanted)
    node, device_pod, device = [], [], []
    for p, i in enumerate(rows.tolist()):
        spot = spots[i]
        node.append(-1 if spot is None else spot.node)
        held = [] if spot is None else room.devices(spot)
        device += held
        device_pod += [p] * len(held)
    return whole, Plan(
        np.array(node, dtype=np.int64),
        np.array(device_pod, dtype=np.int64),
        np.array(device, dtype=np.int64),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one JSON line a seed; return the exit code."""
    args = _parser().parse_args(arguments)
    try:
        instance = traces.load(args.trace)
        for seed in args.seeds:
            order = listed(instance) if args.order == "list" else inflated(instance, seed)
            course = run(instance, order, args.planner, args.batch, args.seconds)
            print(json.dumps(_line(args, seed, course)), flush=True)
    except GangplanError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _line(args: argparse.Namespace, seed: int, course: Course) -> dict[str, object]:
    return {
        "trace": args.trace,
        "order": args.order,
        "seed": seed,
        "planner": args.planner,
        "batch": args.batch,
        "nodes": len(course.whole.nodes),
        "arrivals": len(course.role),
        "placed": int(course.placed.sum()),
        "gpu_milli": course.capacity,
        "allocated_percent": course.rates(),
        "seconds": round(course.seconds, 2),
        "cpu_seconds": round(course.cpu_seconds, 2),
        "slowest_batch": round(course.slowest, 3),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("gangplan.experiments.arrivals", description=__doc__)
    parser.add_argument("trace", nargs="?", default="openb", help="as in gangplan generate")
    parser.add_argument("--order", choices=("inflated", "list"), default="inflated")
    parser.add_argument("--planner", choices=(*RULES, *THROUGH_PLANNERS), default="together")
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument(
        "--seconds", type=float, default=5.0, help="a batch, where there is a limit"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
