"""Devices and claims as the counts formulation sees them: cells, sites, options, slots."""
