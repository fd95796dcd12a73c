"""Reasons to wait that claim a proof, derived again: a reason is a claim like any bound.

What is said not to be placeable is counted again. Other words of a proof ("no plan starts it")
follow from the tiers of the same result; whether those hold is for ``solvers.recheck``.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from gangplan.models.counting import cannot_be_placed
from gangplan.models.instance import Instance
from gangplan.models.needs import needs_of
from gangplan.models.result import Result
from gangplan.models.slots import slots_of
from gangplan.solvers.explain.reasons import reasons
from gangplan.solvers.explain.short import CANNOT, in_full, leaving, sentence

_PROOF = re.compile(rf"{CANNOT}|cannot start|no plan\b|(?<!not )\bproven\b", re.IGNORECASE)
"""The words that sentences of ours claim a proof with."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """One reason that claims a proof, and what became of it.

    Attributes
    ----------
    group : number of the group that waits.
    holds : the same is derived again.
    """

    group: int
    holds: bool
    seconds: float
    sentence: str


def claimed_reasons(instance: Instance, result: Result) -> Iterator[Claimed]:
    """Derive again; a reason that follows from tiers is given only where it does not."""
    claimed = {g: text for g, text in sorted(result.reasons.items()) if _PROOF.search(text)}
    if not claimed:
        return
    begin = time.perf_counter()
    told = reasons(instance, result.plan, result.tiers)
    needs, slots = needs_of(instance), slots_of(instance)
    for g, text in claimed.items():
        if CANNOT in text.casefold():
            short = cannot_be_placed(instance, g, needs, slots)
            true = "" if short is None else sentence(instance, g, short)
            full = "" if short is None else in_full(instance, g, short, needs)
            holds = bool(true) and text in (true, true + leaving(instance, g, needs), full)
            said = "counted again" if holds else f"counted again: {true or 'nothing rules it out'}"
        elif text != told.get(g):
            holds, said = False, f"derived again: {told.get(g, 'nothing: it does not wait')}"
        else:
            continue
        now = time.perf_counter()
        yield Claimed(g, holds, now - begin, said)
        begin = now
