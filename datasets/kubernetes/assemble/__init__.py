"""Records into an Instance: who belongs together, what waits, the columns."""
