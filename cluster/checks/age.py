"""Whether a plan is of this cluster and of now, by the server's clock."""

from collections.abc import Mapping
from typing import Any

from gangplan.cluster.site import Site
from gangplan.cluster.world import World, seconds_of

SKEW = 60.0
"""Seconds that a plan may be ahead of the server's clock, which answers in whole seconds."""


def age(
    site: Site, world: World, plan_document: Mapping[str, Any], max_age: float
) -> tuple[str, ...]:
    """Say whether the plan is another cluster's, or taken at another time.

    Raises
    ------
    ClusterError : the server cannot be asked for its clock.
    """
    entry = plan_document.get("cluster")
    if not isinstance(entry, Mapping):
        return (
            "the plan says nothing of a cluster: it was not made from a snapshot of one"
            " ('gangplan snapshot -o FILE' makes one, 'gangplan plan FILE' plans it)",
        )
    if entry.get("uid") != world.cluster:
        return (
            f"the plan was made for another cluster: its namespace kube-system has the UID"
            f" {entry.get('uid')}, here it is {world.cluster}; is it the right --context?",
        )
    taken = _seconds(entry.get("taken"))
    if taken is None:
        return ("the plan does not say when its snapshot was taken",)
    site.client.get("/version")
    old = site.client.server_time - taken
    if old < -SKEW:
        return (
            f"the plan's snapshot is from the future: {-old:.0f} s ahead of the server's clock;"
            " was the clock set back? take a new one",
        )
    if old > max_age:
        return (
            f"the plan's snapshot is {old:.0f} s old, and {max_age:.0f} s are allowed (--max-age):"
            " take a new one",
        )
    return ()


def _seconds(taken: object) -> float | None:
    if isinstance(taken, str):
        try:
            return seconds_of(taken)
        except ValueError:
            return None
    return float(taken) if isinstance(taken, int | float) else None
