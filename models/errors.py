"""Every error that gangplan raises on purpose.

::

    GangplanError
      InputError        what a user gave cannot be read; carries one Fault a line
      InstanceError     columns that do not fit together
      FormulationError  a model that cannot be written exactly (numbers too big, ...)
      SolverError       a backend failed, or said something that is not in its status table
      ClusterError      the cluster refused or changed (``gangplan.cluster.errors``)
      PlanError         a solver's point that is no plan, or a plan that failed its check
"""

from collections.abc import Sequence
from dataclasses import dataclass


class GangplanError(Exception):
    """Base of all errors meant for the user: its text is one line (or one a fault)."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input.

    Attributes
    ----------
    source : file name, or ``-`` for standard input; empty when unknown.
    item : the object, as ``Kind namespace/name``; empty when the file itself is at fault.
    field : dotted path inside the object; empty when the object as a whole is at fault.
    message : what is wrong, in a few words.
    """

    source: str
    item: str
    field: str
    message: str

    def __str__(self) -> str:
        """``file: Kind ns/name: field: message``, leaving out what is unknown."""
        return ": ".join(
            part for part in (self.source, self.item, self.field, self.message) if part
        )


class InputError(GangplanError):
    """An input that cannot be read; nothing was done."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class InstanceError(GangplanError):
    """Columns of an instance that do not fit together."""


class FormulationError(GangplanError):
    """A model that cannot be written exactly."""


class SolverError(GangplanError):
    """A backend that failed, crashed, or reported an unknown status."""


class PlanError(GangplanError):
    """A point that decodes to no plan, or a plan that breaks a rule."""


class ClusterError(GangplanError):
    """The cluster refused or changed, or cannot be reached."""
