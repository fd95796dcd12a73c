"""The patterns formulation as a kind."""

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import WHOLE, Kind
from gangplan.models.instance import Instance
from gangplan.models.patterns.decode import decode
from gangplan.models.patterns.encode import encode
from gangplan.models.patterns.formulation import build, tier_cost
from gangplan.models.patterns.layout import layout_of
from gangplan.models.patterns.priced import frame_of
from gangplan.models.patterns.refuse import refuse


def cells(instance: Instance) -> int:
    """Count the patterns of all classes; 0 where the instance is refused, which ``build`` says."""
    try:
        refuse(instance, WHOLE)
        found = layout_of(instance).classes
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
    lacks=("rank", "preferred", "fragmentation"),
    frame=frame_of,
)
