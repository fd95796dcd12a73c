"""Pods that run -> units that can be evicted, and what protects them."""
