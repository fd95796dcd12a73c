"""Whether what a plan relied on is still so."""

from collections.abc import Mapping
from typing import Any

from gangplan.cluster.relied import changes
from gangplan.cluster.world import World


def changed(world: World, plan_document: Mapping[str, Any]) -> tuple[str, ...]:
    """Say what has changed since the plan's snapshot, a sentence a change."""
    return changes(world, plan_document["cluster"])
