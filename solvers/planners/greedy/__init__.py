"""Greedy planning: fast, always valid, never proven by itself."""

from gangplan.solvers.planners.greedy.planner import Greedy
from gangplan.solvers.planners.greedy.runs import greedy_plan

__all__ = ["Greedy", "greedy_plan"]
