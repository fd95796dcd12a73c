"""Shared devices as part of what a node is: which parts and whole devices it can give together.

Only the multiset of what its devices have free counts. A device is as good as the largest sum of
parts, of pods that may come to the node, that it has room for; an empty one is more where whole
devices are asked.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import EMPTY
from gangplan.models.errors import PlanError
from gangplan.models.instance import Instance
from gangplan.models.shapes.packing import packed

Free = tuple[int, ...]
"""Thousandths of the devices of a node that are of use, the most first."""


def states(instance: Instance, share: Ints, whole: Ints, may: Flags) -> Ints:
    """(N, any) what the devices of each node have free, as far as it is of use; 0 for none.

    Parameters
    ----------
    share, whole : (S,) see ``Roles``. may : (N, S) shapes that may use the node.
    """
    shared = instance.shared
    if not (share.any() or whole.any()):
        return np.zeros((len(instance.nodes), 0), dtype=np.int64)
    useful: dict[bytes, Ints] = {}
    rows: list[list[int]] = [[] for _ in range(len(instance.nodes))]
    for n in np.unique(shared.node).tolist():
        mine = may[n].tobytes()
        if mine not in useful:
            useful[mine] = _useful(share[may[n]], bool(whole[may[n]].any()))
        first, last = np.searchsorted(shared.node, [n, n + 1])
        rows[n] = sorted(useful[mine][shared.free[first:last]].tolist(), reverse=True)
    width = max((sum(free > 0 for free in row) for row in rows), default=0)
    width = max(width, 1)
    return np.array([[*row, *[0] * width][:width] for row in rows], dtype=np.int64)


def _useful(share: Ints, whole: bool) -> Ints:
    """(EMPTY + 1,) the largest sum of parts within each amount; EMPTY stays where it is asked."""
    sums = {0}
    for part in np.unique(share[share > 0]).tolist():
        sums |= {s + part * k for s in sums for k in range((EMPTY - s) // part + 1)}
    amounts = np.array(sorted(sums), dtype=np.int64)
    best = amounts[np.searchsorted(amounts, np.arange(EMPTY + 1), side="right") - 1]
    if whole:
        best[EMPTY] = EMPTY
    return best


@dataclass(frozen=True, slots=True)
class Sharing:
    """What the devices of a node can give.

    Attributes
    ----------
    free : what they have. share, whole : of each shape. known : answers so far.
    """

    free: Free
    share: tuple[int, ...]
    whole: tuple[int, ...]
    known: dict[tuple[int, ...], bool] = field(default_factory=dict)

    def holds(self, counts: Sequence[int]) -> bool:
        """Tell whether so many pods of each shape get their devices together.

        Raises
        ------
        FormulationError : see ``packed``.
        """
        asked = sum(w * n for w, n in zip(self.whole, counts, strict=True))
        parts = tuple(n * bool(s) for s, n in zip(self.share, counts, strict=True))
        key = (asked, *parts)
        if key not in self.known:
            self.known[key] = self._given(asked, parts)
        return self.known[key]

    def _given(self, asked: int, parts: Sequence[int]) -> bool:
        if asked > sum(free == EMPTY for free in self.free):
            return False
        # Empty devices stand first.
        each = [s for s, n in zip(self.share, parts, strict=True) for _ in range(n)]
        return packed(self.free[asked:], each) is not None


def named(instance: Instance, node: Ints) -> tuple[Ints, Ints]:
    """Devices of pods that are on ``node`` (P,): ``device_pod`` and ``device`` of a plan.

    Raises
    ------
    PlanError : a node whose devices do not hold its pods.
    """
    roles, shared = instance.roles, instance.shared
    pods = np.flatnonzero((node >= 0) & (roles.pooled[instance.pod_role] > 0))
    by_node: dict[int, list[int]] = defaultdict(list)
    for p in pods.tolist():
        by_node[int(node[p])].append(p)
    rows: list[tuple[int, int]] = []
    for n, mine in by_node.items():
        first, last = np.searchsorted(shared.node, [n, n + 1]).tolist()
        free = shared.free[first:last].tolist()
        empty = [j for j, left in enumerate(free) if left == EMPTY]
        parts = [(p, int(roles.share[instance.pod_role[p]])) for p in mine]
        for p in mine:
            for _ in range(int(roles.whole[instance.pod_role[p]])):
                if not empty:
                    raise _short(instance, n)
                j = empty.pop()
                free[j] = 0
                rows.append((p, first + j))
        parts = [(p, part) for p, part in parts if part]
        place = packed(free, [part for _, part in parts])
        if place is None:
            raise _short(instance, n)
        rows += [(p, first + j) for (p, _), j in zip(parts, place, strict=True)]
    table = np.array(sorted(rows), dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _short(instance: Instance, node: int) -> PlanError:
    name = instance.names.nodes[node]
    return PlanError(f"node {name}: its shared devices do not hold the pods of its pattern")
