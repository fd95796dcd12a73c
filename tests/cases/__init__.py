"""Scenarios made from public reports, through the public path: ``python -m tests.cases FILE``."""
