"""What a node has besides room, and which pods can have their part of it together.

A family whose rules are about one node at a time belongs here: it says by which numbers nodes are
equal to it, and tells for a multiset of shapes whether a node can hold it. What it holds has to be
closed under taking pods away.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.instance import Instance
from gangplan.models.patterns import shares
from gangplan.models.patterns.shapes import Shapes

Holds = Callable[[Sequence[int]], bool]
"""Whether a node holds so many pods of each shape (S,) together, room aside."""


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """What nodes have besides room.

    Attributes
    ----------
    key : (N, any) nodes with equal rows, and the same shapes that may use them, are equal.
    """

    key: Ints
    share: tuple[int, ...]
    whole: tuple[int, ...]

    def holds(self, node: int) -> Holds | None:
        """Return what tells whether the node holds a multiset; None where room alone decides."""
        if not self.key.shape[1]:
            return None
        free = tuple(self.key[node][self.key[node] > 0].tolist())
        return shares.Sharing(free, self.share, self.whole).holds


def local_of(instance: Instance, shapes: Shapes, may: Flags) -> Local:
    """Find what nodes have besides room, as far as shapes that ``may`` (N, S) use them care."""
    key = shares.states(instance, shapes.share, shapes.whole, may)
    return Local(np.asarray(key), tuple(shapes.share.tolist()), tuple(shapes.whole.tolist()))
