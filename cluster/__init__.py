"""Live clusters: nothing here yet."""
