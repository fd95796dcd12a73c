"""What the patterns formulation does not carry: such an instance is refused, never relaxed."""

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance
from gangplan.models.shapes import claims
from gangplan.models.victims import victims_of

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
    if instance.claims and not formulation.claims:
        raise FormulationError("patterns cannot leave out claims; counts can")
    claims.refuse(instance)
    for there, what in (
        (len(instance.composites), "composite pod groups"),
        (_sliced(instance), "slices of groups that can lose pods"),
        (len(instance.reserved), "room that is kept for nominated pods"),
    ):
        if there:
            raise FormulationError(f"patterns do not carry {what}; counts does")


def _sliced(instance: Instance) -> bool:
    """Tell whether pods that can fall are of a group with a rule about slices."""
    rules, loses = instance.rules, victims_of(instance).members > 0
    mine = (rules.slice > 1) & (rules.owner < len(loses))
    return bool(loses[rules.owner[mine]].any())
