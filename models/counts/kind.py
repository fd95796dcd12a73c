"""The counts formulation as a kind."""

from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import build, tier_cost
from gangplan.models.formulation import Kind

COUNTS = Kind("counts", build, tier_cost, decode, encode)
