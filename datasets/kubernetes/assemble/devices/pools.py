"""Pools of devices: the slices of the highest generation, and why a pool may not be allocated from.

A pool that is incomplete or contradicts itself keeps its devices: they hold what they hold, and an
ALL choice that would ask one of them cannot be answered (KEP-4381, gatherPools of the allocator).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gangplan.datasets.kubernetes.assemble.holds import counted, some
from gangplan.datasets.kubernetes.devicerecords import DeviceRecord, SliceRecord
from gangplan.datasets.kubernetes.order import natural


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """A pool of a driver.

    Attributes
    ----------
    devices : each with the slice it stands in, by name; those that bind late come last.
    slices : of the highest generation.
    counters : ``set/counter`` -> value.
    held : why its devices may not be allocated; empty where they may.
    """

    driver: str
    name: str
    devices: tuple[tuple[DeviceRecord, SliceRecord], ...]
    slices: tuple[SliceRecord, ...]
    counters: dict[str, Fraction]
    held: str

    @property
    def full_name(self) -> str:
        """``driver/pool``."""
        return f"{self.driver}/{self.name}"


def pools_of(slices: Sequence[SliceRecord], notes: list[str]) -> list[Pool]:
    """Gather the pools, by name; tell of old generations and of pools that are held."""
    found: defaultdict[tuple[str, str], list[SliceRecord]] = defaultdict(list)
    for one in slices:
        found[one.driver, one.pool].append(one)
    names = sorted(found, key=lambda key: (natural(key[0]), natural(key[1])))
    return [_pool(driver, name, found[driver, name], notes) for driver, name in names]


def _pool(driver: str, name: str, slices: list[SliceRecord], notes: list[str]) -> Pool:
    newest = max(one.generation for one in slices)
    current = sorted(
        (one for one in slices if one.generation == newest), key=lambda one: natural(one.name)
    )
    old = [one.name for one in slices if one.generation < newest]
    if old:
        count = counted(len(old), "ResourceSlice")
        notes.append(
            f"pool {driver}/{name} is of generation {newest}; {count} of an older one"
            f" not used: {some(old)}"
        )
    devices = [(device, one) for one in current for device in one.devices]
    devices.sort(key=lambda pair: (pair[0].late, natural(pair[0].name)))
    counters = {
        f"{group}/{counter}": value
        for one in current
        for group, values in one.counters.items()
        for counter, value in values.items()
    }
    held = _incomplete(current) or "; ".join(_wrong(current, devices, counters))
    if held:
        notes.append(
            f"pool {driver}/{name} {held}: its {counted(len(devices), 'device')} not allocated"
        )
    return Pool(driver, name, tuple(devices), tuple(current), counters, held)


def _incomplete(slices: Sequence[SliceRecord]) -> str:
    wanted = max(one.slices for one in slices)
    if len(slices) == wanted == min(one.slices for one in slices):
        return ""
    return f"is incomplete, {len(slices)} of its {counted(wanted, 'ResourceSlice')} in the sources"


def _wrong(
    slices: Sequence[SliceRecord],
    devices: Sequence[tuple[DeviceRecord, SliceRecord]],
    counters: dict[str, Fraction],
) -> Iterator[str]:
    """Say what contradicts itself."""
    twice = [name for name, n in Counter(device.name for device, _ in devices).items() if n > 1]
    if twice:
        yield f"has devices of one name: {some(twice)}"
    sets = Counter(group for one in slices for group in one.counters)
    twice = [name for name, n in sets.items() if n > 1]
    if twice:
        yield f"has counter sets of one name: {some(twice)}"
    lost = {
        f"{group}/{counter}"
        for device, _ in devices
        for group, counter, _ in device.draws
        if f"{group}/{counter}" not in counters
    }
    if lost:
        yield f"does not declare counters that its devices draw from: {some(list(lost))}"
