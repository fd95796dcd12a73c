"""A start where units can fall: all of them gone, a greedy plan, then whoever can comes back.

The order of Kubernetes (KEP-5710: take all away, place, reprieve), for every group at once.
"""

from dataclasses import replace

import numpy as np

from gangplan.models.gone import after
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier, better, values
from gangplan.models.verify.check import check
from gangplan.models.victims import victims_of
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.reprieve import reprieved


def start_of(instance: Instance, tiers: tuple[Tier, ...], seconds: float) -> Plan:
    """Return the better of the greedy plan and the one that begins with everybody gone.

    Parameters
    ----------
    seconds : for each of the two.
    """
    plan = greedy_plan(instance, tiers, seconds)
    gone = np.flatnonzero(victims_of(instance).can)
    if not len(gone):
        return plan
    later = after(instance, gone)
    placing = tuple(tier for tier in tiers if tier.kind != "lost")
    cleared = replace(greedy_plan(later, placing, seconds), evicted=gone)
    cleared = reprieved(instance, cleared)
    worth = values(instance, cleared, tiers)
    # What may not fall together, or room that is not for everybody: then it is no plan.
    if better(tiers, worth, values(instance, plan, tiers)) and not check(instance, cleared):
        return cleared
    return plan
