"""The textbook formulation as a kind."""

from gangplan.models.assignment.decode import decode, encode
from gangplan.models.assignment.formulation import build, tier_cost
from gangplan.models.formulation import Kind
from gangplan.models.instance import Instance


def pods_and_nodes(instance: Instance) -> int:
    """Count the pairs of pod and usable node, without writing them."""
    nodes: list[int] = instance.can_use.sum(axis=1).tolist()
    pods: list[int] = instance.roles.wanted.tolist()
    return sum(p * n for p, n in zip(pods, nodes, strict=True))


ASSIGNMENT = Kind(
    "assignment", build, tier_cost, decode, encode, pods_and_nodes, "pairs of pod and node"
)
