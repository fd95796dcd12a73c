"""Label requirements and tolerations: what pods, claims and devices say alike."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Toleration:
    """A pod toleration; empty key with Exists tolerates all, empty effect every effect."""

    key: str
    operator: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """One label requirement: operator In, NotIn, Exists, DoesNotExist, Gt or Lt.

    ``field`` is True for ``matchFields`` (key ``metadata.name`` only).
    """

    key: str
    operator: str
    values: tuple[str, ...]
    field: bool = False
