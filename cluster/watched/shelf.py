"""The objects of one kind as a watch has told them, and up to which version."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gangplan.cluster.world import name_of, uid_of

Object = dict[str, Any]
Change = tuple[str, Object, Object | None]
"""Type (``ADDED``, ``MODIFIED``, ``DELETED``), object, and the one in its place before."""

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"


@dataclass(slots=True)
class Shelf:
    """See the module; whoever uses it holds a lock.

    Attributes
    ----------
    listed : it has been filled. version : of the newest list, event or bookmark.
    quiet : (last, version): no event lies between the two, by another watch.
    """

    listed: bool = False
    version: int = 0
    quiet: tuple[int, int] = (0, 0)
    _objects: dict[str, Object] = field(default_factory=dict)
    _given: tuple[tuple[Object, ...], dict[str, Object]] | None = None

    @property
    def reached(self) -> int:
        """Version up to which everything has been told."""
        last, version = self.quiet
        return max(self.version, version) if self.version >= last else self.version

    def fill(self, version: int, objects: list[Object]) -> list[Change]:
        """Take a list of all objects, and give what is different from before."""
        new = {name_of(obj): obj for obj in objects}
        changes = list(_differences(self._objects, new))
        self._objects, self._given = new, None
        self.listed, self.version, self.quiet = True, version, (0, 0)
        return changes

    def take(self, kind: str, obj: Object, version: int) -> list[Change]:
        """Take an event, or a bookmark (any other type), and give what it changes."""
        self.version = max(self.version, version)
        if kind not in (ADDED, MODIFIED, DELETED):
            return []
        name = name_of(obj)
        old = self._objects.get(name)
        self._given = None
        if kind == DELETED:
            self._objects.pop(name, None)
            return [(DELETED, obj, old)]
        self._objects[name] = obj
        if old is not None and uid_of(old) != uid_of(obj):
            return [(DELETED, old, old), (ADDED, obj, None)]
        return [(ADDED if old is None else MODIFIED, obj, old)]

    def given(self) -> tuple[tuple[Object, ...], dict[str, Object]]:
        """Give the objects, and by name; the same ones until something changes."""
        if self._given is None:
            self._given = (tuple(self._objects.values()), dict(self._objects))
        return self._given


def _differences(old: dict[str, Object], new: dict[str, Object]) -> Iterator[Change]:
    for name, before in old.items():
        after = new.get(name)
        if after is None or uid_of(after) != uid_of(before):
            yield DELETED, before, before
    for name, after in new.items():
        previous = old.get(name)
        if previous is None or uid_of(previous) != uid_of(after):
            yield ADDED, after, None
        elif previous["metadata"]["resourceVersion"] != after["metadata"]["resourceVersion"]:
            yield MODIFIED, after, previous
