"""Everything that is looked at before the first write; nothing here writes (docs/adapter.md)."""

from gangplan.cluster.checks.before import before as before
from gangplan.cluster.checks.before import of_plan as of_plan
from gangplan.cluster.checks.before import rehearsed as rehearsed
from gangplan.cluster.checks.budgets import budgets as budgets
from gangplan.cluster.checks.fits import fits as fits
