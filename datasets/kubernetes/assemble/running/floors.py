"""Members that stay unless a group is taken whole: its minimum, and minima of its roles."""

from collections.abc import Collection, Iterator, Sequence

from gangplan.datasets.kubernetes.assemble.membership import Unit, role_of
from gangplan.datasets.kubernetes.order import full_name
from gangplan.datasets.kubernetes.records import PodRecord
from gangplan.datasets.running import Floor


def floors_of(units: Sequence[Unit], falling: Collection[str]) -> list[Floor]:
    """Write the floors of all gangs that run, whether or not some of their pods wait.

    Parameters
    ----------
    falling : full names of the pods of units.
    """
    return [
        floor
        for g, unit in enumerate(units)
        if unit.running and unit.record is not None and unit.gang
        for floor in _of(g, unit, falling)
    ]


def _of(g: int, unit: Unit, falling: Collection[str]) -> Iterator[Floor]:
    assert unit.record is not None
    parts: list[tuple[int, list[PodRecord]]] = [(unit.minimum, unit.running)]
    for name, least in unit.record.role_minimum.items():
        parts.append((least, [pod for pod in unit.running if role_of(pod) == name]))
    for least, members in parts:
        pods = tuple(name for name in map(full_name, members) if name in falling)
        if pods:
            yield Floor(g, least, len(members), pods)
