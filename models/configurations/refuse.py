"""What configurations do not carry: such an instance is refused, never relaxed."""

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation
from gangplan.models.instance import Instance

RESTRICTIONS = ("assign", "capacity", "gang", "topology")
"""Families that are part of what a configuration is: they cannot be switched off."""


def refuse(instance: Instance, formulation: Formulation) -> None:
    """Refuse an instance with a family that configurations lack, or a formulation without one.

    Raises
    ------
    FormulationError : it names the family.
    """
    for family in RESTRICTIONS:
        if not getattr(formulation, family):
            raise FormulationError(f"configurations cannot leave out {family}; counts can")
    for there, what in (
        (len(instance.composites), "composite pod groups"),
        ((instance.rules.slice > 0).any(), "slices"),
        (instance.roles.pooled.any(), "parts of shared devices"),
        (bool(instance.claims), "claims of devices"),
        (len(instance.running), "units that can be evicted"),
        (len(instance.reserved), "room that is kept for nominated pods"),
    ):
        if there:
            raise FormulationError(f"configurations do not carry {what}; counts does")
