"""Which devices the current slices have: an allocation may name some that are gone."""

from collections.abc import Sequence
from functools import cached_property

from gangplan.datasets.kubernetes.devicerecords import AllocationRecord, Identity, SliceRecord
from gangplan.datasets.kubernetes.order import natural


class Present:
    """Devices of the newest generation of every pool."""

    def __init__(self, slices: Sequence[SliceRecord]) -> None:
        self._slices = slices

    @cached_property
    def _known(self) -> frozenset[Identity]:
        newest: dict[tuple[str, str], int] = {}
        for one in self._slices:
            pool = one.driver, one.pool
            newest[pool] = max(newest.get(pool, 0), one.generation)
        return frozenset(
            (one.driver, one.pool, device.name)
            for one in self._slices
            if one.generation == newest[one.driver, one.pool]
            for device in one.devices
        )

    def lost(self, allocation: AllocationRecord) -> list[str]:
        """Name the devices of an allocation that no slice has."""
        keys = {(one.driver, one.pool, one.device) for one in allocation.results}
        return sorted(("/".join(key) for key in keys - self._known), key=natural)
