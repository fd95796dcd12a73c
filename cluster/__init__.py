"""The cluster adapter: snapshot, apply and scheduler on a live cluster (docs/adapter.md)."""
