"""Worlds made numeric, without what cannot be read; what is set aside is told once."""

from dataclasses import dataclass, field

from gangplan.cluster.instances import tolerant
from gangplan.cluster.scheduler.log import Log
from gangplan.cluster.scheduler.metrics import Metrics
from gangplan.cluster.world import World
from gangplan.models.instance import Instance


@dataclass(slots=True)
class Reading:
    """Makes Instances.

    Attributes
    ----------
    aside : why each object is set aside, by ``Kind namespace/name``.
    """

    metrics: Metrics
    log: Log
    aside: dict[str, str] = field(default_factory=dict)

    def instance(self, world: World, *, whole: bool = True) -> Instance:
        """Give the Instance of a world.

        Parameters
        ----------
        whole : everybody who waits is in it; else nothing is told of what is set aside.

        Raises
        ------
        InputError : something that everything depends on cannot be read.
        """
        instance, aside = tolerant(world)
        if not whole:
            return instance
        for name, why in aside.items():
            if self.aside.get(name) != why:
                self.log.warning(f"{name} is set aside: {why}")
        for name in self.aside.keys() - aside.keys():
            self.log.info(f"{name} is read again")
        self.aside = aside
        self.metrics.set_aside.set(len(aside))
        return instance
