"""What the patterns formulation does not carry: such an instance is refused, never relaxed."""

from gangplan.models.formulation import MADE_OF, Formulation, refuse_off, refuse_there
from gangplan.models.instance import Instance
from gangplan.models.shapes import claims
from gangplan.models.victims import victims_of


def refuse(instance: Instance, formulation: Formulation) -> None:
    """Refuse an instance with a family that patterns lack, or a formulation without one they are.

    Raises
    ------
    FormulationError : it names the family.
    """
    shares = ("shares",) if instance.roles.pooled.any() else ()
    owned = ("claims",) if instance.claims else ()
    refuse_off("patterns", formulation, (*MADE_OF, *shares, *owned))
    claims.refuse(instance)
    refuse_there(
        "patterns",
        (
            (len(instance.composites), "composite pod groups"),
            (_sliced(instance), "slices of groups that can lose pods"),
            (len(instance.reserved), "room that is kept for nominated pods"),
        ),
    )


def _sliced(instance: Instance) -> bool:
    """Tell whether pods that can fall are of a group with a rule about slices."""
    rules, loses = instance.rules, victims_of(instance).members > 0
    mine = (rules.slice > 1) & (rules.owner < len(loses))
    return bool(loses[rules.owner[mine]].any())
