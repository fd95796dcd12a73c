"""Anytime planning: a plan at once, then better ones and bounds side by side until the deadline."""

from gangplan.solvers.planners.anytime.planner import Anytime

__all__ = ["Anytime"]
