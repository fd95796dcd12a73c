"""Violation: one broken rule, in numbers and in a sentence."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that a plan breaks.

    Attributes
    ----------
    family : the rule's family, a key of ``CHECKS``, or ``tiers`` for a report of a tier.
    what : name of the pod, group, composite, node or tier at fault.
    have, need : what the plan gives and what the rule asks, in the rule's own unit.
    sentence : the same for a person, names and numbers in it.
    """

    family: str
    what: str
    have: int
    need: int
    sentence: str

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence
