"""The textbook formulation: one binary per pod and node, the baseline to compare with."""
