"""The counts formulation: pods of a role on a node as one integer."""
