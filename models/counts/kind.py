"""The counts formulation as a kind."""

from gangplan.models.counts.alike import fold
from gangplan.models.counts.decode import decode, encode
from gangplan.models.counts.formulation import build, tier_cost
from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Kind, roles_and_nodes
from gangplan.models.instance import Instance
from gangplan.models.options.options import options_of


def cells(instance: Instance) -> int:
    """Count the pairs of role and usable node, and the columns of claims, if they can be listed."""
    pairs = roles_and_nodes(instance)
    if not instance.claims:
        return pairs
    try:
        table = options_of(instance).table
    except FormulationError:  # whoever writes the model is told why it cannot be
        return pairs
    return pairs + len(table) + int((table.entry_fixed == 0).sum())


COUNTS = Kind("counts", build, tier_cost, decode, encode, cells, "pairs of role and node", fold)
