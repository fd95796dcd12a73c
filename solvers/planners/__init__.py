"""Planners: greedy and exact."""
