"""The patterns formulation as a kind."""

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import WHOLE, Kind
from gangplan.models.instance import Instance
from gangplan.models.once import once
from gangplan.models.patterns.classes import classes_of
from gangplan.models.patterns.decode import decode
from gangplan.models.patterns.encode import encode
from gangplan.models.patterns.formulation import build, tier_cost
from gangplan.models.patterns.refuse import refuse
from gangplan.models.patterns.shapes import shapes_of
from gangplan.models.patterns.tree import tree_of


@once
def cells(instance: Instance) -> int:
    """Count the patterns of all classes; 0 where the instance is refused, which ``build`` says."""
    try:
        refuse(instance, WHOLE)
        found = classes_of(instance, shapes_of(instance), tree_of(instance))
    except FormulationError:
        return 0
    return sum(len(patterns) for patterns in found.patterns)


PATTERNS = Kind(
    "patterns",
    build,
    tier_cost,
    decode,
    encode,
    cells,
    "patterns of nodes",
    lacks=("preferred", "fragmentation"),
)
