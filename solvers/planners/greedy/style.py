"""Style: one way of being greedy. The planner tries several and keeps the best plan."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """Three independent choices.

    Attributes
    ----------
    order : of root units inside a priority: ``heavy`` (most devices a pod, then in all),
        ``light`` (smallest demand for what it pays), ``bound`` (narrow required levels first,
        then heavy), ``large`` (largest total demand).
    packing : of nodes for a role: ``full`` (fewest free devices), ``strand`` (fewest devices left
        unusable once the node is full of the role), ``snug`` (least left of all resources),
        ``begun`` (nodes whose devices are in use already, then ``full``).
    domain : of domains for a gang: ``full`` (fewest free devices), ``snug`` (fewest slots left),
        ``ample`` (those that hold its elastic pods too, then ``full``).
    near : try to keep preferred levels; else only the packing counts.
    together : gangs of one rank that others can make room for get it together, see ``Clearance``;
        the number of the attempt, from 1. 0: one after the other.
    """

    order: str = "heavy"
    packing: str = "full"
    domain: str = "full"
    near: bool = True
    together: int = 0
