"""What configurations do not carry: such an instance is refused, never relaxed."""

from gangplan.models.formulation import MADE_OF, Formulation, refuse_off, refuse_there
from gangplan.models.instance import Instance


def refuse(instance: Instance, formulation: Formulation) -> None:
    """Refuse an instance with a family that configurations lack, or a formulation without one.

    Raises
    ------
    FormulationError : it names the family.
    """
    refuse_off("configurations", formulation, MADE_OF)
    refuse_there(
        "configurations",
        (
            (len(instance.composites), "composite pod groups"),
            ((instance.rules.slice > 0).any(), "slices"),
            (instance.roles.pooled.any(), "parts of shared devices"),
            (bool(instance.claims), "claims of devices"),
            (len(instance.running), "units that can be evicted"),
            (len(instance.reserved), "room that is kept for nominated pods"),
        ),
    )
