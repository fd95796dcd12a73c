"""Reduced: a smaller instance, and how its plans become plans of the whole."""

from collections.abc import Callable
from dataclasses import dataclass

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """One reduction, or several one after the other.

    Attributes
    ----------
    instance : the smaller instance.
    lift : a plan that keeps its rules -> a plan that keeps those of the whole, with equal values
        of the whole's tiers.
    said : what was taken away, for a person; empty where nothing was.
    """

    instance: Instance
    lift: Callable[[Plan], Plan]
    said: str = ""


def unchanged(instance: Instance) -> Reduced:
    """Return the instance as it is."""
    return Reduced(instance, same)


def same(plan: Plan) -> Plan:
    """Return the plan: pods, nodes and units have their old numbers."""
    return plan
