"""The scheduler: a loop that plans, checks, carries out, and begins again (docs/adapter.md)."""
