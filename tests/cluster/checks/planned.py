"""Plans of a live cluster in tests: made of its own World, as ``snapshot`` and ``plan`` do."""

from dataclasses import replace
from typing import Any

from gangplan import api
from gangplan.cluster.client import Client
from gangplan.cluster.instances import instance_of
from gangplan.cluster.listing import take
from gangplan.cluster.relied import relied_on
from gangplan.cluster.site import SCHEDULER, Site
from gangplan.cluster.world import World
from gangplan.datasets.plan_file import plan_document
from gangplan.solvers.base import Limits
from tests.cluster.live import Live

Object = dict[str, Any]


def world_of(live: Live, *, scheduler: str = SCHEDULER, evict_foreign: bool = False) -> World:
    """List the cluster with the adapter's own rights."""
    return take(live.client, live.served, scheduler, evict_foreign=evict_foreign)


def site_of(live: Live, *, client: Client | None = None, **options: Any) -> Site:
    """Give the site of one command."""
    found = Site(
        client=client or live.client,
        served=live.served,
        world=lambda: world_of(live, evict_foreign=options.get("evict_foreign", False)),
        holder="tests",
        say=lambda sentence: None,
    )
    return replace(found, **options)


def plan_of(world: World, **options: Any) -> Object:
    """Plan a world, and write into the plan what it relied on."""
    instance = instance_of(world)
    result = api.plan(instance, limits=Limits(20.0), **options)
    document = plan_document(instance, result)
    return {**document, "cluster": relied_on(world, document)}
