"""The configurations formulation as a kind."""

from gangplan.models.configurations.decode import decode
from gangplan.models.configurations.encode import encode
from gangplan.models.configurations.formulation import build, tier_cost
from gangplan.models.configurations.layout import layout_of
from gangplan.models.configurations.refuse import refuse
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import WHOLE, Kind
from gangplan.models.instance import Instance


def cells(instance: Instance) -> int:
    """Count the configurations; 0 where the instance is refused, which ``build`` says."""
    try:
        refuse(instance, WHOLE)
        return sum(len(listed) for listed in layout_of(instance, elastic=True).configurations)
    except FormulationError:
        return 0


CONFIGURATIONS = Kind(
    "configurations",
    build,
    tier_cost,
    decode,
    encode,
    cells,
    "configurations of domains",
    lacks=("preferred", "fragmentation"),
)
