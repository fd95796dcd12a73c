"""Solvers, and the watched processes that they run in."""
