"""Which neighbourhood next: by what is left behind, by what helps it, by what paid so far.

A neighbourhood grows from one atom. Every few turns that is the one that has been a seed least
often, so that every node has its turn; else one by chance, likely where much is left behind. What
joins it is what makes the most of it together (``atoms.spare``), with some noise. How large it is,
and how far it reaches, is learnt from what came of others of the kind per second.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Flags, Floats, Ints
from gangplan.models.instance import Instance
from gangplan.models.part import inside
from gangplan.models.part.cut import roots_of
from gangplan.models.tiers import Tier
from gangplan.solvers.planners.anytime.atoms import Atoms, atoms_of, spare
from gangplan.solvers.planners.anytime.kin import Kin, kin_of
from gangplan.solvers.search import Incumbent

SECONDS = 2.5
"""For a neighbourhood at first; up to eight times that when nothing has come of any for long."""

TURN = 4
"""Every so many picks the seed is the atom that was one least often."""

NOISE = 0.3
"""Noise on what joins, in standard deviations of what could."""

LAPS = 4
"""So often all is tried again, each time for twice as long, before it is given up."""

SMALL = 64
"""Nodes up to which once is enough: some neighbourhoods were all of them."""

WIDER = 1.03
"""Neighbourhoods are so much wider after one that gave nothing, in a tenth of its time."""

KINSHIP = 0.5
"""Chance that a neighbourhood is grown around units, where units can fall."""

SHARED = 4
"""Picks in a row without a better plan from which neighbourhoods at a time share all
who wait, and do not get each its part: what is missing then is one of few, seldom won twice."""

MOST = 0.6
"""Part of the nodes that a neighbourhood leaves off at where others are searched beside it, until
half of the patience is gone."""

FADE = 0.9
"""What counts of the past of a style with each of its tries."""


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """A neighbourhood, and seconds for it."""

    nodes: Ints
    groups: Ints
    seconds: float
    style: int = 0


@dataclass(frozen=True, slots=True)
class Style:
    """How large a neighbourhood is, and how far it reaches.

    Attributes
    ----------
    nodes : about so many.
    near : all of it in one wider domain.
    part : of the groups placed there, that much may move.
    """

    nodes: int
    near: bool = False
    part: float = 1.0


STYLES = (
    Style(32),
    Style(64),
    Style(64, near=True),
    Style(96),
    Style(128, near=True),
    Style(128),
    Style(256, part=0.5),
    Style(512, part=0.25),
)


@dataclass(slots=True, eq=False)
class Chooser:
    """Hands out neighbourhoods, and learns what came of them.

    Attributes
    ----------
    crew : neighbourhoods that are searched at a time: each gets its part of who waits.
    dry : picks since the last one that a better plan came of.
    stretch : how much wider neighbourhoods are than their style says.
    laps : how often all was tried again since.
    """

    instance: Instance
    tiers: tuple[Tier, ...]
    seed: int = 0
    crew: int = 2
    turn: int = 0
    dry: int = 0
    rng: np.random.Generator = field(init=False)
    atoms: Atoms = field(init=False)
    kin: Kin | None = field(init=False)
    seeded: Ints = field(init=False)
    gains: Floats = field(init=False)
    costs: Floats = field(init=False)
    stretch: float = 1.0
    laps: int = 0
    won: list[int] = field(default_factory=list)
    worth: int = 0
    last: int = -1

    def __post_init__(self) -> None:
        """Cut the atoms."""
        self.rng = np.random.default_rng(self.seed)
        self.atoms = atoms_of(self.instance, self.rng)
        self.kin = kin_of(self.instance, self.atoms.of_node, len(self.atoms))
        self.seeded = np.zeros(len(self.atoms), dtype=np.int64)
        self.gains, self.costs = np.zeros(len(STYLES)), np.zeros(len(STYLES))

    @property
    def patience(self) -> int:
        """Picks in a row without a better plan after which there is nothing left to try."""
        return 2 * len(STYLES) + TURN * len(self.atoms)

    def pick(self, best: Incumbent, i: int, flying: Sequence[Pick], left: float) -> Pick | None:
        """Choose a neighbourhood for tier i.

        Parameters
        ----------
        best : the plan to better.
        flying : neighbourhoods under way: no node of theirs is taken and nobody that is placed
            there; who waits is, once little comes of any.
        left : seconds until the end.

        Returns
        -------
        None where nothing is left to try, or all that is worth it is under way.
        """
        if i != self.last:
            self.dry, self.laps, self.last, self.worth = 0, 0, i, best.values[i]
            self.gains[:], self.costs[:] = 0.0, 0.0
            self.stretch = 1.0
        self._credit(best.values[i])
        if left <= 0 or (self.dry > self.patience and not self._afresh()):
            return None
        free = np.ones(len(self.atoms), dtype=np.bool_)
        for other in flying:
            free[self.atoms.of_node[other.nodes]] = False
        if not free.any():
            return None
        style = self._style()
        chosen = self._grow(best, i, STYLES[style], free)
        nodes = np.flatnonzero(chosen[self.atoms.of_node]).astype(np.int64)
        groups = self._candidates(best, STYLES[style], nodes, flying)
        self.turn += 1
        if not len(groups):
            self.dry += 1
            return None
        seconds = SECONDS * 2 ** (min(4 * self.dry // max(self.patience, 1), 3) + self.laps)
        return Pick(nodes, groups, min(left, seconds), style)

    def learn(self, pick: Pick, better: bool, seconds: float) -> None:
        """Remember what came of a neighbourhood; by how much is seen at the next pick."""
        self.dry, self.laps = (0, 0) if better else (self.dry + 1, self.laps)
        if seconds > SECONDS:
            self.stretch = max(1.0, self.stretch / WIDER**4)
        elif seconds < SECONDS / 10 and not better:
            self.stretch = min(self.stretch * WIDER, float(max(len(self.instance.nodes), 1)))
        self.gains[pick.style] *= FADE
        self.costs[pick.style] = FADE * self.costs[pick.style] + seconds
        if better:
            self.won.append(pick.style)

    def _afresh(self) -> bool:
        """Try all again, for longer; False where that was done often enough."""
        if self.laps >= LAPS or len(self.instance.nodes) <= SMALL:
            return False
        self.dry, self.laps, self.stretch = 0, self.laps + 1, 1.0
        return True

    def _credit(self, worth: int) -> None:
        """Credit what the tier gained since the last pick to the styles that won."""
        # Where units can fall a neighbourhood may win in any tier: each counts as one.
        gain = len(self.won) if len(self.instance.running) else abs(worth - self.worth)
        for s in self.won:
            self.gains[s] += gain / len(self.won)
        self.won.clear()
        self.worth = worth

    def _style(self) -> int:
        """Choose a style, by what it gained a second; none is given up."""
        useful = np.array([one.nodes < 2 * len(self.instance.nodes) for one in STYLES])
        useful[0] = True
        # Each begins with some seconds at the pace of all together.
        pace = (self.gains.sum() + 1e-9) / (self.costs.sum() + SECONDS)
        rate = np.where(useful, (self.gains + SECONDS * pace) / (self.costs + SECONDS), 0.0)
        rate += np.where(useful, 0.05 * rate.max(), 0.0)
        return int(self.rng.choice(len(STYLES), p=rate / rate.sum()))

    def _grow(self, best: Incumbent, i: int, style: Style, free: Flags) -> Flags:
        """Flag the atoms (A,) of a neighbourhood."""
        atoms, room = self.atoms, spare(self.instance, best.plan, self.atoms)
        seed = self._seed(best, i, room, free)
        chosen = np.zeros(len(atoms), dtype=np.bool_)
        chosen[seed] = True
        may = free.copy()
        if style.near and len(atoms.around):
            level = int(self.rng.integers(len(atoms.around)))
            may &= atoms.around[level] == atoms.around[level, seed]
        kin = self.kin if self.kin is not None and self.rng.random() < KINSHIP else None
        alone, total = room.min(axis=1), room[seed].copy()
        wanted = min(self.stretch * style.nodes, self._most())
        nodes = int(atoms.size[seed])
        while (may & ~chosen).any() and nodes < wanted:
            gain = (room + total).min(axis=1) - alone
            if kin is not None:
                gain = kin.pull(chosen, best.plan.evicted)
            others = np.flatnonzero(may & ~chosen)
            gain = gain[others] + NOISE * gain[others].std() * self.rng.gumbel(size=len(others))
            one = int(others[np.argmax(gain)])
            chosen[one] = True
            total += room[one]
            nodes += int(atoms.size[one])
        return chosen

    def _seed(self, best: Incumbent, i: int, room: Floats, free: Flags) -> int:
        """Choose the atom to begin with."""
        may = np.flatnonzero(free)
        if self.turn % TURN == 0:
            least = may[self.seeded[may] == self.seeded[may].min()]
            one = int(self.rng.choice(least))
        else:
            weight = self._behind(best, i, room)[may]
            weight = weight + 0.05 * weight.max() + 1e-12
            one = int(self.rng.choice(may, p=weight / weight.sum()))
        self.seeded[one] += 1
        return one

    def _behind(self, best: Incumbent, i: int, room: Floats) -> Floats:
        """Weigh the atoms (A,) by what is left there: pods that fell, or the scarcest resource."""
        running, plan = self.instance.running, best.plan
        if self.tiers[i].kind == "lost" and len(plan.evicted):
            falls = running.falling(plan.evicted) & (running.pod_node >= 0)
            atom = self.atoms.of_node[running.pod_node[falls]]
            return np.bincount(atom, minlength=len(self.atoms)).astype(np.float64)
        scarcest: Floats = room[:, int(np.argmin(room.sum(axis=0)))]
        return scarcest

    def _candidates(
        self, best: Incumbent, style: Style, nodes: Ints, flying: Sequence[Pick]
    ) -> Ints:
        """Choose whose pods may move, and who of those that wait may come."""
        instance = self.instance
        may = inside(instance, best.plan, nodes)
        placed = best.plan.placed_per_group(instance) > 0
        shared = self.dry >= SHARED
        for other in flying:
            may[other.groups[placed[other.groups]] if shared else other.groups] = False
        if not may.any():
            return np.zeros(0, dtype=np.int64)
        chance = self.rng.random(len(may))
        if style.part < 1 and not self._everything(nodes):
            may &= ~placed | (chance < style.part)
        if self.crew > 1 and not shared and not self._everything(nodes):
            may &= placed | (chance < 1 / self.crew)
        return _whole_trees(instance, may)

    def _most(self) -> float:
        """Nodes above which a neighbourhood would leave the others of the crew without work."""
        alone = self.crew == 1 or 2 * self.dry > self.patience
        return len(self.instance.nodes) * (1.0 if alone else MOST)

    def _everything(self, nodes: Ints) -> bool:
        return len(nodes) == len(self.instance.nodes)


def _whole_trees(instance: Instance, may: Flags) -> Ints:
    """Return the groups flagged (G,), without trees of which one is missing."""
    root = roots_of(instance)
    broken = np.bincount(root[: len(may)][~may], minlength=len(root)) > 0
    return np.flatnonzero(may & ~broken[root[: len(may)]]).astype(np.int64)
