"""Where the instance of a cell comes from: a generator, a public trace, a file, or memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from gangplan.models.instance import Instance


class Source(Protocol):
    """Something that gives an instance for a seed; hashable, picklable."""

    @property
    def label(self) -> str:
        """Name for tables, without the seed; instances of one label are compared together."""
        ...

    def instance(self, seed: int) -> Instance:
        """Make or read the instance.

        Raises
        ------
        InputError : it cannot be made or read.
        """
        ...


@dataclass(frozen=True, slots=True)
class Generated:
    """An entry of the catalogue of generators and presets, or of the public traces.

    Attributes
    ----------
    kind : ``generator`` or ``trace``.
    name : of the entry.
    nodes, groups : sizes; None takes the entry's own.
    """

    kind: str
    name: str
    nodes: int | None = None
    groups: int | None = None

    @staticmethod
    def names(kind: str) -> tuple[str, ...]:
        """List the names of a kind."""
        from gangplan.datasets import generate, traces

        if kind == "generator":
            return tuple(generate.catalogue())
        return tuple(trace.name for trace in traces.catalogue())

    @property
    def label(self) -> str:
        """``name nodes/groups``, sizes where they are given."""
        if self.nodes is None and self.groups is None:
            return self.name
        sizes = ("-" if size is None else str(size) for size in (self.nodes, self.groups))
        return f"{self.name} {'/'.join(sizes)}"

    def instance(self, seed: int) -> Instance:
        """Draw or load it; the seed of the cell is that of the generator."""
        from gangplan.datasets import generate, traces

        make = generate.generate if self.kind == "generator" else traces.load
        return make(self.name, nodes=self.nodes, groups=self.groups, seed=seed)


@dataclass(frozen=True, slots=True)
class File:
    """An instance file, or Kubernetes manifests; the same for every seed.

    Attributes
    ----------
    path : file or folder.
    label : its name for tables; two files have two.
    """

    path: str
    label: str

    def instance(self, seed: int) -> Instance:
        """Read it."""
        from gangplan.datasets import json_file
        from gangplan.datasets.io import INSTANCE_SCHEMA, read_instance
        from gangplan.datasets.kubernetes.read import read

        family = INSTANCE_SCHEMA.rpartition("/")[0]
        if json_file.schema_of(self.path).startswith(family):
            return read_instance(self.path)
        sources: Sequence[str] = (self.path,)
        return read(sources)


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """An instance in memory.

    Attributes
    ----------
    held : the instance.
    label : its name for tables.
    """

    held: Instance
    label: str

    def instance(self, seed: int) -> Instance:
        """Return it."""
        return self.held
