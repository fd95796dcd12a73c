"""Marks: which placed pods serve a gang's minimum, and which are elastic (beyond it).

Within an admitted gang the roles' own minima come first, then the rest of what the gang needs, from
the roles with the fewest devices; all further pods are elastic. A gang that stands needs nothing,
so its new pods are all elastic. A pod of a basic or bare group is a gang of one: it is its own
minimum.
"""

import numpy as np
import numpy.typing as npt

from gangplan.models.arrays import Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs, needs_of
from gangplan.models.plan import Plan

MINIMUM = "minimum"
ELASTIC = "elastic"

Marks = npt.NDArray[np.str_]


def marks(instance: Instance, plan: Plan, needs: Needs | None = None) -> Marks:
    """Mark every pending pod ``minimum``, ``elastic``, or empty where it is not placed.

    Inside a role the first placed pods, in pod order, are the minimum ones.

    Returns
    -------
    (P,) strings.
    """
    quota = _minimum_per_role(instance, plan, needs_of(instance) if needs is None else needs)
    placed = np.flatnonzero(plan.node >= 0)
    role = instance.pod_role[placed]
    number_in_role = np.arange(len(placed)) - np.searchsorted(role, role, side="left")
    marked = np.full(instance.n_pods, "", dtype="<U7")
    marked[placed] = np.where(number_in_role < quota[role], MINIMUM, ELASTIC)
    return marked


def _minimum_per_role(instance: Instance, plan: Plan, needs: Needs) -> Ints:
    """(K,) how many of the role's placed pods serve a minimum."""
    roles = instance.roles
    placed = plan.placed_per_role(instance)
    gang = (instance.groups.kind == GANG)[roles.group]
    own = np.where(gang, np.minimum(needs.role, placed), placed)
    rest = needs.group.copy()
    np.subtract.at(rest, roles.group[gang], own[gang])
    cheapest_first = np.lexsort((np.arange(len(roles)), roles.devices))
    for k in cheapest_first[gang[cheapest_first]]:
        taken = min(int(placed[k] - own[k]), max(int(rest[roles.group[k]]), 0))
        own[k] += taken
        rest[roles.group[k]] -= taken
    return own
