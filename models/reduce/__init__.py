"""Exact presolve: a smaller instance with the same optimum, and the way back for its plans.

Each reduction is a pair, one a file: ``shrink(instance)`` finds the smaller instance from the
instance alone, the same on every run, and ``lift`` turns its plans into plans of the whole. Every
optimal vector of tiers of the smaller instance is one of the whole, for the *whole's* tuple of
tiers; so bounds that hold for the smaller one hold for the whole.
"""

from gangplan.models.reduce.components import components as components
from gangplan.models.reduce.components import lifted as lifted
from gangplan.models.reduce.order import reductions as reductions
from gangplan.models.reduce.order import shrink as shrink
from gangplan.models.reduce.reduced import Reduced as Reduced
