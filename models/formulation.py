"""What a formulation is: a switch for each family, and the four things that every one can do.

``Kind`` keeps the staged solve free of any one formulation: it writes a model, prices a tier,
and goes from plan to point and back. ``Writing`` is one model of one kind.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any

from gangplan.models.arrays import Floats, Ints
from gangplan.models.bound import evaluate
from gangplan.models.errors import FormulationError
from gangplan.models.folding import Folded
from gangplan.models.gone import loosened
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan
from gangplan.models.tiers import Tier


@dataclass(frozen=True, slots=True)
class Formulation:
    """Which families are written; all of them unless said otherwise."""

    assign: bool = True
    capacity: bool = True
    gang: bool = True
    elastic: bool = True
    topology: bool = True
    hierarchy: bool = True
    shares: bool = True
    claims: bool = True
    preemption: bool = True
    rank: bool = True
    preferred: bool = True
    fragmentation: bool = True


FAMILIES: tuple[str, ...] = tuple(family.name for family in fields(Formulation))
"""Names of the families, in the paper's order."""

WHOLE = Formulation()
"""Every family on."""


MADE_OF = ("assign", "capacity", "gang", "topology")
"""Families that are part of what a pattern or a configuration is: they cannot be switched off."""


def refuse_off(name: str, formulation: Formulation, families: Iterable[str]) -> None:
    """Refuse to leave out one of these families.

    Raises
    ------
    FormulationError : it names the family.
    """
    for family in families:
        if not getattr(formulation, family):
            raise FormulationError(f"{name} cannot leave out {family}; counts can")


def refuse_there(name: str, found: Iterable[tuple[object, str]]) -> None:
    """Refuse an instance in which one of these (is it there, what it is) is there.

    Raises
    ------
    FormulationError : it says what.
    """
    for there, what in found:
        if there:
            raise FormulationError(f"{name} do not carry {what}; counts does")


def roles_and_nodes(instance: Instance) -> int:
    """Count the pairs of role and node that is usable once all units are gone that can fall."""
    return int(loosened(instance).can_use.sum())


def unfolded(model: Any, milp: Milp) -> Folded | None:
    """Return None: nothing is known to be alike."""
    return None


@dataclass(frozen=True, slots=True)
class Kind:
    """A formulation by name; a model is opaque to everybody else (it has ``.milp``).

    Attributes
    ----------
    name : as in ``--formulation``.
    build : (instance, formulation) -> model.
    tier_cost : (model, tier) -> cost (n,) to be minimised, and its constant.
    decode : (model, point (n,)) -> plan; rounds once.
    encode : (model, plan) -> point (n,) that keeps every row.
    cells : instance -> how large its model would be, without writing it; compared with the limits
        of the staged solve. ``cell``: what it counts.
    frame : (instance, formulation) -> the model without the columns that can be priced instead of
        listed (``patterns.priced.Frame``); None where a kind lists them all.
    lacks : kinds of tiers whose families it does not carry; they are bounded by counting alone.
    fold : (model, its rows and perhaps more, under a cost) -> a smaller one whose bound holds too;
        None where nothing is alike.
    """

    name: str
    build: Callable[[Instance, Formulation], Any]
    tier_cost: Callable[[Any, Tier], tuple[Floats, int]]
    decode: Callable[[Any, Floats | Ints], Plan]
    encode: Callable[[Any, Plan], Ints]
    cells: Callable[[Instance], int] = roles_and_nodes
    cell: str = "pairs of role and node"
    fold: Callable[[Any, Milp], Folded | None] = unfolded
    lacks: tuple[str, ...] = ()
    frame: Callable[[Instance, Formulation], Any] | None = None

    def write(self, instance: Instance, formulation: Formulation = WHOLE) -> "Writing":
        """Write the model of an instance."""
        model = self.build(instance, formulation)
        return Writing(self, instance, formulation, model)

    def unlisted(self, instance: Instance, formulation: Formulation = WHOLE) -> "Writing":
        """Write the model without the columns that can be priced.

        Raises
        ------
        FormulationError : the kind prices none, or none for this instance.
        """
        if self.frame is None:
            raise FormulationError(f"{self.name} prices no columns")
        frame = self.frame(instance, formulation)
        return Writing(self, instance, formulation, frame.model, frame)


@dataclass(frozen=True, slots=True, eq=False)
class Writing:
    """A written model, with what its kind can do with it.

    Attributes
    ----------
    frame : what prices the columns that the model leaves out; None where it has them all.
    """

    kind: Kind
    instance: Instance
    formulation: Formulation
    model: Any
    frame: Any = None

    @property
    def milp(self) -> Milp:
        """The rows, with zero cost."""
        milp: Milp = self.model.milp
        return milp

    def tier_cost(self, tier: Tier) -> tuple[Floats, int]:
        """Return the cost (n,) of a tier, to be minimised, and its constant."""
        return self.kind.tier_cost(self.model, tier)

    def decode(self, x: Floats | Ints) -> Plan:
        """Read the plan out of a point."""
        return self.kind.decode(self.model, x)

    def encode(self, plan: Plan) -> Ints:
        """Write a plan as a point."""
        return self.kind.encode(self.model, plan)

    def least(self, milp: Milp, multipliers: Ints) -> int:
        """Return the lower bound that multipliers prove of these rows, all columns considered."""
        if self.frame is None:
            return evaluate(milp, multipliers)
        return int(self.frame.evaluate(milp, multipliers))

    def fold(self, milp: Milp) -> Folded | None:
        """Return a smaller model for the same question; None where nothing is alike."""
        return self.kind.fold(self.model, milp)
