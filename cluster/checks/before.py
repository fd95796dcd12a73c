"""All checks before the first write, in order; the sentences of one of them are told together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gangplan.cluster.checks.age import age
from gangplan.cluster.checks.budgets import budgets
from gangplan.cluster.checks.changed import changed
from gangplan.cluster.checks.fits import fits
from gangplan.cluster.checks.ours import ours
from gangplan.cluster.checks.rehearsal import rehearsal
from gangplan.cluster.checks.rights import rights
from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Flight
from gangplan.cluster.site import Site
from gangplan.cluster.world import World

_SHOWN = 20
"""Sentences of one check that are told: a cluster that was drained has as many as pods."""

_ANEW = "the cluster is not as in the plan's snapshot: take a new one, and plan that"


def of_plan(site: Site, world: World, plan_document: Mapping[str, Any], max_age: float) -> None:
    """Check that a plan file is of this cluster, of now, and that what it relied on is unchanged.

    Raises
    ------
    Changed : with the sentences of the first check that fails.
    """
    _stop(age(site, world, plan_document, max_age))
    _stop(changed(world, plan_document), _ANEW)


def before(
    site: Site,
    world: World,
    plan_document: Mapping[str, Any],
    flights: Sequence[Flight],
    *,
    max_age: float | None,
    strict: bool = True,
    rehearse: bool = True,
) -> None:
    """Check everything, in the order of rule 2 in docs/adapter.md; nothing is written.

    Parameters
    ----------
    world : fresh. flights : of the plan, on this world.
    max_age : seconds that a plan file may be old; None: the plan was made of this very world.
    strict : as ``apply`` wants it: objects that cannot be read are errors (``fits``), and rights
        are asked for each time; the scheduler does not stop for an object, and asks now and then.
    rehearse : with dry runs; else they are left to ``rehearsed``, flight by flight.

    Raises
    ------
    Changed : with the sentences of the first check that fails.
    InputError : ``strict``, and an object of the world cannot be read.
    ApiError, Unreachable : the server does not let us look.
    """
    if max_age is not None:
        of_plan(site, world, plan_document, max_age)
    stages: tuple[Callable[[], Iterable[str]], ...] = (
        lambda: ours(site, world, flights),
        lambda: fits(world, flights, strict=strict),
        lambda: budgets(world, flights),
        lambda: rights(site, flights, lately=not strict),
        lambda: rehearsal(site, flights) if rehearse else (),
    )
    for stage in stages:
        _stop(stage())


def rehearsed(site: Site, flights: Sequence[Flight]) -> None:
    """Check that the server accepts every write of flights as a dry run.

    Raises
    ------
    Changed : with the sentences of what it refuses. Unreachable : it does not answer.
    """
    _stop(rehearsal(site, flights))


def _stop(sentences: Iterable[str], *then: str) -> None:
    found = tuple(dict.fromkeys(sentences))
    more = (f"and {len(found) - _SHOWN} more like these",) if len(found) > _SHOWN else ()
    if found:
        raise Changed((*found[:_SHOWN], *more, *then))
