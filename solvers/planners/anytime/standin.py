"""A plain chooser and a plain neighbourhood."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Ints
from gangplan.models.formulation import Kind
from gangplan.models.instance import Instance
from gangplan.models.part import inside, joined, part_of
from gangplan.models.tiers import Tier, better, values
from gangplan.models.verify.check import check
from gangplan.solvers.base import Limits, Solver
from gangplan.solvers.claims import checked_plan, checked_point
from gangplan.solvers.held import priced
from gangplan.solvers.search import Incumbent


def improve(
    instance: Instance,
    tiers: tuple[Tier, ...],
    i: int,
    best: Incumbent,
    nodes: Ints,
    groups: Ints,
    solver: Solver,
    limits: Limits,
    kind: Kind,
) -> Incumbent | None:
    """Search one part."""
    part = part_of(instance, best.plan, nodes, groups)
    model = kind.write(part.instance)
    held = values(part.instance, part.start, tiers[:i])
    milp = priced(model, tiers, i, held)
    outcome = solver.solve(milp, limits, start=model.encode(part.start))
    if outcome.x is None:
        return None
    plan = joined(instance, best.plan, part, checked_plan(model, checked_point(milp, outcome.x)))
    worth = values(instance, plan, tiers)
    if not better(tiers, worth, best.values) or check(instance, plan):
        return None
    return Incumbent(plan, worth)


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """A neighbourhood, and seconds for it."""

    nodes: Ints
    groups: Ints
    seconds: float


@dataclass(slots=True, eq=False)
class Chooser:
    """Pick random nodes."""

    instance: Instance
    tiers: tuple[Tier, ...]
    seed: int = 0
    turn: int = 0
    dry: int = 0
    values: tuple[int, ...] = ()
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        """Seed."""
        self.rng = np.random.default_rng(self.seed)

    def pick(self, best: Incumbent, i: int, flying: Sequence[Pick], left: float) -> Pick | None:
        """Pick one."""
        n = len(self.instance.nodes)
        if self.dry > 20 or left < 0.1:
            return None
        free = np.ones(n, dtype=np.bool_)
        for pick in flying:
            free[pick.nodes] = False
        size = min(128, max(n // 2, 1), int(free.sum()))
        if not size:
            return None
        first = int(self.rng.integers(0, max(int(free.sum()) - size, 0) + 1))
        nodes = np.flatnonzero(free)[first : first + size]
        groups = inside(self.instance, best.plan, nodes)
        for pick in flying:
            groups[pick.groups] = False
        if flying or n > size:
            waits = best.plan.placed_per_group(self.instance) == 0
            groups[waits & (self.rng.random(len(groups)) < 0.5)] = False
        return Pick(nodes, np.flatnonzero(groups), min(left, 4.0))

    def learn(self, pick: Pick, better: bool, seconds: float) -> None:
        """Learn."""
        self.dry = 0 if better else self.dry + 1
