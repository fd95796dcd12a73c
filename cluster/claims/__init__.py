"""Claims of a flight: devices and users are written, waited for, taken back, or set free."""

from gangplan.cluster.claims.allocate import allocate
from gangplan.cluster.claims.free import free, freed
from gangplan.cluster.claims.ready import ready
from gangplan.cluster.claims.release import release

__all__ = ["allocate", "free", "freed", "ready", "release"]
