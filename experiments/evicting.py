"""What a run was asked about evictions, in words: runs that differ in it answer two questions."""

from gangplan.experiments.records import Record

ON, OFF, HARD = "on", "off", "hard budgets"


def evictions(record: Record) -> str:
    """Return ON, OFF, or HARD: no victim beyond a PodDisruptionBudget."""
    if not record.preemption:
        return OFF
    return HARD if record.pdb == "hard" else ON


def who(record: Record) -> str:
    """Name the planner, and what it was not to do."""
    added = {ON: "", OFF: ", no evictions", HARD: f", {HARD}"}
    return record.planner + added[evictions(record)]


def question(record: Record) -> tuple[str, ...]:
    """Tell what values of tiers are answers to: instance, objective, and who may be evicted."""
    return record.digest, record.objective, evictions(record)
