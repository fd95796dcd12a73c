"""Greedy planning: fast, always valid, never proven by itself."""

from gangplan.solvers.planners.greedy.clean import clean_plan
from gangplan.solvers.planners.greedy.planner import Greedy
from gangplan.solvers.planners.greedy.runs import SECONDS, greedy_plan

__all__ = ["SECONDS", "Greedy", "clean_plan", "greedy_plan"]
