"""Once: what follows from an instance alone is worked out once, and kept as long as it lives."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance

Found = TypeVar("Found")


def once(make: Callable[[Instance], Found]) -> Callable[[Instance], Found]:
    """Keep what ``make`` returns, or that it refuses.

    What it returns must be read-only, and must not hold the instance: it would never go.
    """
    known: WeakKeyDictionary[Instance, Found] = WeakKeyDictionary()
    refused: WeakKeyDictionary[Instance, str] = WeakKeyDictionary()

    @wraps(make)
    def kept(instance: Instance) -> Found:
        if instance in refused:
            raise FormulationError(refused[instance])
        if instance not in known:
            try:
                known[instance] = make(instance)
            except FormulationError as error:
                refused[instance] = str(error)
                raise
        return known[instance]

    return kept
