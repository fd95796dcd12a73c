"""What became of a flight: the words of the report, and what was lost."""

from dataclasses import dataclass, field

BOUND, WAITING, UNDONE, LEFT = "bound", "waiting", "undone", "left"
"""All wanted is there; nothing was written; what was written is taken back; to be resumed."""


@dataclass(slots=True)
class Outcome:
    """One flight's end, filled in while it goes on.

    Attributes
    ----------
    status : one of the words above.
    bound : pods bound by us, with their nodes. elsewhere : those not on the node planned.
    missing : pods of the plan that got no node after all.
    lost : pods that were evicted, in the order of the evictions.
    deleted : our own pods that were deleted in the end, since their group would be cut.
    allocated : claims that got devices.
    sentences : what happened, for people, in order. warnings : what they should look into.
    """

    flight: str
    status: str = WAITING
    bound: dict[str, str] = field(default_factory=dict)
    elsewhere: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    allocated: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
