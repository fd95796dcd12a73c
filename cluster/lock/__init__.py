"""The Lease: leader of the scheduler, and the lock of `apply` (docs/adapter.md, rule 6)."""

from gangplan.cluster.lock.lock import Lock as Lock
from gangplan.cluster.lock.lock import new_holder as new_holder
