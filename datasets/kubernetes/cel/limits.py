"""Limits of an evaluation: Kubernetes' cost, and steps and sizes of our own.

The cost is counted as cel-go counts it (interpreter/runtimecost.go) with Kubernetes' prices
(apiserver/pkg/cel/library/cost.go). Steps bound what the cost leaves free, such as elements of
lists, so that no expression runs long; they are counted, not timed: the answer never depends on
the machine.
"""

from dataclasses import dataclass

from gangplan.datasets.kubernetes.cel.errors import TooDear

COST = 1_000_000
"""CELSelectorExpressionMaxCost of resource.k8s.io."""
LENGTH = 10 * 1024
"""CELSelectorExpressionMaxLength, bytes."""
STEPS = 1_200_000
"""About a second."""
SIZE = 1_000_000
"""Characters of a text, elements of a list."""


@dataclass(slots=True)
class Meter:
    """What an evaluation has used up."""

    cost: int = 0
    steps: int = 0

    def charge(self, cost: int) -> None:
        """Add to the cost."""
        self.cost += cost
        self.steps += 1
        if self.cost > COST:
            raise TooDear("operation cancelled: actual cost limit exceeded")
        if self.steps > STEPS:
            raise TooDear(f"stopped after {STEPS} steps")

    def step(self, steps: int) -> None:
        """Add to the steps."""
        self.steps += steps
        if self.steps > STEPS:
            raise TooDear(f"stopped after {STEPS} steps")

    def make(self, size: int) -> None:
        """Ask for a text or a list of a size."""
        if size > SIZE:
            raise TooDear(f"stopped at a text or list of more than {SIZE}")
        self.step(size // 64)
