"""Seeded generators of instances: training, racks, vectors, and their presets of record."""

from gangplan.datasets.generate.presets import catalogue, generate

__all__ = ["catalogue", "generate"]
