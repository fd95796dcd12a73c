r"""Pods beyond the minimum: a freedom, so that its row takes it away.

On, a gang may grow up to what it wants: nothing to write. Off, an admitted gang gets exactly its
need, and a standing one nothing:

    sum_{p in g, n} x[p, n]  <=  q_g y[g]      for each gang g                  (elastic.none)

q_g as for gang.minimum. Bare pods and pods of basic groups are each a gang of one, never elastic.
"""

import numpy as np

from gangplan.models.assignment.links import sums
from gangplan.models.assignment.pairs import Pairs
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.milp import RowBlock, VarBlock
from gangplan.models.needs import Needs


def rows(
    instance: Instance, needs: Needs, pairs: Pairs, x: VarBlock, y: VarBlock
) -> list[RowBlock]:
    """Write elastic.none; called when the family is off."""
    gang = instance.groups.kind == GANG
    number = np.where(gang, np.cumsum(gang) - 1, -1)
    index = np.flatnonzero(gang)
    # A need beyond all pods bounds nothing; clipped, it stays an exact number.
    most = np.minimum(needs.group, instance.per_group(instance.roles.wanted))
    return [
        sums(
            "elastic.none", number[pairs.group], x.cols, most[index], y.cols[index], "<=",
            index[:, None],
        )
    ]  # fmt: skip
