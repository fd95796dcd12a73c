"""Planners and solvers: from an instance to a verified result."""
