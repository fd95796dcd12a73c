"""What a node has besides room, and which pods can have their part of it together.

A family whose rules are about one node at a time belongs here: it says by which numbers nodes are
equal to it, and tells for a multiset of shapes whether a node can hold it. What it holds has to be
closed under taking pods away.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.shapes import claims, shares
from gangplan.models.shapes.giving import Giving
from gangplan.models.shapes.shapes import Shapes

Holds = Callable[[Sequence[int]], bool]
"""Whether a node holds so many pods of each shape (S,) together, room aside."""


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """What nodes have besides room.

    Attributes
    ----------
    key : (N, any) nodes with equal rows, and the same shapes that may use them, are equal.
    free : (N, any) what shared devices have free, as far as it is of use; 0 for none.
    share, whole : what shapes ask of them. asked : claims of shapes, by part.
    giving : what is known about nodes of equal devices, by their number in ``device``.
    """

    instance: Instance
    key: Ints
    free: Ints
    share: tuple[int, ...]
    whole: tuple[int, ...]
    asked: tuple[tuple[int, ...], ...]
    device: Ints
    giving: dict[int, Giving] = field(default_factory=dict)

    def holds(self, node: int) -> Holds | None:
        """Return what tells whether the node holds a multiset; None where room alone decides.

        Raises
        ------
        FormulationError : more ways to serve a claim than can be listed.
        """
        found: list[Holds] = []
        if self.free.shape[1]:
            free = tuple(self.free[node][self.free[node] > 0].tolist())
            found.append(shares.Sharing(free, self.share, self.whole).holds)
        if any(any(mine) for mine in self.asked):
            number = int(self.device[node])
            if number not in self.giving:
                self.giving[number] = claims.giving_at(self.instance, node)
            found.append(claims.holder(self.giving[number], self.asked))
        if len(found) == 2:
            return lambda counts: all(holds(counts) for holds in found)
        return found[0] if found else None


def local_of(instance: Instance, shapes: Shapes, may: Flags) -> Local:
    """Find what nodes have besides room, as far as shapes that ``may`` (N, S) use them care."""
    free = shares.states(instance, shapes.share, shapes.whole, may)
    asked: tuple[tuple[int, ...], ...] = ()
    device = np.zeros(len(instance.nodes), dtype=np.int64)
    key = free
    if instance.claims:
        asked = tuple(claims.asked_of(instance, k) for k in shapes.role.tolist())
        device = claims.stocks_of(instance).key
        key = np.column_stack([free, device])
    share, whole = tuple(shapes.share.tolist()), tuple(shapes.whole.tolist())
    return Local(instance, key, free, share, whole, asked, device)
