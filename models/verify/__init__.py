"""The independent checker: every rule recomputed from (Instance, Plan), no matrix."""

from gangplan.models.verify.check import CHECKS as CHECKS
from gangplan.models.verify.check import Violation as Violation
from gangplan.models.verify.check import check as check
from gangplan.models.verify.reports import check_tiers as check_tiers
from gangplan.models.verify.results import check_result as check_result
