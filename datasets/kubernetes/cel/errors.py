"""What can go wrong with a selector: when read (`CelError`), and on a device (`CelFailure`)."""

from dataclasses import dataclass

from gangplan.models.errors import GangplanError


class CelError(GangplanError):
    """An expression that Kubernetes would refuse, or one that is not supported here; one line."""


class Failed(Exception):
    """An error while an expression is evaluated; ``&&``, ``||`` and macros may absorb it."""


class TooDear(Exception):
    """The evaluation went over a limit; nothing absorbs this."""


@dataclass(frozen=True, slots=True)
class CelFailure:
    """An expression that has no answer for a device.

    Attributes
    ----------
    reason : such as ``no such key: memory``.
    """

    reason: str

    def __str__(self) -> str:
        """Give the reason."""
        return self.reason

    def __bool__(self) -> bool:
        """Refuse to be taken for a yes or a no."""
        raise TypeError("a failure is neither a match nor a miss")
