"""Whether flights keep every rule on a World, by the verifier and, for devices, by hand."""

from collections.abc import Sequence

from gangplan.cluster.checks.devices import devices
from gangplan.cluster.checks.remaining import remaining
from gangplan.cluster.errors import Changed
from gangplan.cluster.flight import Flight
from gangplan.cluster.instances import instance_of, placed, tolerant
from gangplan.cluster.world import World
from gangplan.models.verify.check import check


def fits(world: World, flights: Sequence[Flight], *, strict: bool = False) -> tuple[str, ...]:
    """Say which rules would be broken if the rest of these flights were carried out on this world.

    The Instance is made anew, so room, devices and budgets are those of all pods and claims of the
    world. What has been done already is part of the world: pods bound by a flight, claims that it
    allocated, victims that are gone. A group with a hard rule that is not honoured is held there,
    so a plan that was told to ignore it does not fit.

    Parameters
    ----------
    strict : objects that cannot be read are errors; else whatever they could forbid is forbidden.

    Raises
    ------
    InputError : ``strict``, and an object of the world cannot be read.
    """
    rest = tuple(remaining(world, flight) for flight in flights)
    instance = instance_of(world) if strict else tolerant(world)[0]
    try:
        plan = placed(instance, rest, world)
    except Changed as error:
        return error.sentences
    broken = tuple(violation.sentence for violation in check(instance, plan))
    return tuple(dict.fromkeys((*broken, *devices(world, rest))))
