"""The patterns formulation: what a node can hold, instead of where a pod goes."""
