"""Seeded generators of instances: gangs on nodes, and on devices that claims ask for; presets."""

from gangplan.datasets.generate.presets import catalogue, generate

__all__ = ["catalogue", "generate"]
