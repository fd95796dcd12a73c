"""What the patterns formulation does not carry: such an instance is refused, never relaxed."""

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance

RESTRICTIONS = ("assign", "capacity", "gang", "topology")
"""Families that are part of what a pattern or a type is: they cannot be switched off."""


def refuse(instance: Instance, formulation: Formulation) -> None:
    """Refuse an instance with a family that patterns lack, or a formulation without one they are.

    Raises
    ------
    FormulationError : it names the family.
    """
    for family in RESTRICTIONS:
        if not getattr(formulation, family):
            raise FormulationError(f"patterns cannot leave out {family}; counts can")
    if instance.roles.pooled.any() and not formulation.shares:
        raise FormulationError("patterns cannot leave out shares; counts can")
    open_rules = instance.rules.slice[instance.rules.owner < len(instance.groups)]
    for there, what in (
        (len(instance.composites), "composite pod groups"),
        ((open_rules > 0).any(), "slices"),
        (bool(instance.claims), "claims of devices"),
        (len(instance.running), "units that can be evicted"),
        (len(instance.reserved), "room that is kept for nominated pods"),
    ):
        if there:
            raise FormulationError(f"patterns do not carry {what}; counts does")
