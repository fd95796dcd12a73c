"""Hypothesis strategy: any style of greedy planning."""

from hypothesis import strategies as st

from gangplan.solvers.planners.greedy.style import Style

STYLES = st.builds(
    Style,
    order=st.sampled_from(["heavy", "large", "bound", "light"]),
    packing=st.sampled_from(["full", "strand", "snug", "begun"]),
    domain=st.sampled_from(["full", "snug", "ample"]),
    near=st.booleans(),
    together=st.integers(0, 1),
)
