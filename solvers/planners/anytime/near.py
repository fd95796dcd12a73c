"""The job of one neighbourhood."""

import time
from dataclasses import dataclass, replace

from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError
from gangplan.solvers.crew.desk import Desk
from gangplan.solvers.planners.anytime.improve import improve
from gangplan.solvers.planners.anytime.whole import Errand
from gangplan.solvers.search import Incumbent

LEAST = 0.02
"""Seconds below which no neighbourhood is worth while."""


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """What came of a neighbourhood.

    Attributes
    ----------
    best : a better plan of the whole; None where there is none.
    refused : why no part can be cut out of this instance; empty where it can.
    """

    best: Incumbent | None = None
    refused: str = ""


def near(desk: Desk, errand: Errand, nodes: Ints, groups: Ints) -> Near:
    """Search one neighbourhood of a plan for a better one.

    Where units can fall, the tiers after the errand's are searched, too.
    """
    instance, tiers = desk.kept["instance"], desk.kept["tiers"]
    left = errand.until - time.monotonic()
    if left < LEAST:
        return Near()
    limits = replace(errand.limits, seconds=left)
    kinds = [kind for kind in errand.kinds if tiers[errand.i].kind not in kind.lacks]
    solver = desk.solver(errand.solver)
    refused = ""
    for kind in kinds:
        try:
            return Near(
                improve(
                    instance, tiers, errand.i, errand.best, nodes, groups, solver, limits, kind,
                    deep=len(instance.running) > 0,
                )
            )  # fmt: skip
        except FormulationError as error:
            refused = str(error)
    return Near(refused=refused)
