"""claims: the devices that a plan names serve the claims of its pods; nothing is allocated here.

Table of contents of the rules (docs/devices.md): 8 in ``allocated``, 1 and 2 in ``requests``,
2 (ALL), 3 and 7 in ``reach``, 5 in ``traits``, 4 and 6 in ``charges``.
"""

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.allocated import NAME as NAME
from gangplan.models.verify.allocated import allocations_of
from gangplan.models.verify.charges import check_charges
from gangplan.models.verify.reach import Reach, check_all, check_barred, check_reach, check_zones
from gangplan.models.verify.requests import check_requests
from gangplan.models.verify.traits import check_traits
from gangplan.models.verify.violation import Violation


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Check every rule of an allocation."""
    if not instance.claims and not len(plan.allocations):
        return []
    used, found = allocations_of(instance, plan)
    reach = Reach(instance)
    return [
        *found,
        *check_requests(instance, used),
        *check_all(instance, used, reach),
        *check_reach(instance, used, reach),
        *check_zones(instance, plan, reach),
        *check_barred(instance, used),
        *check_traits(instance, used),
        *check_charges(instance, plan),
    ]
