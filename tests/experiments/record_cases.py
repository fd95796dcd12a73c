"""Hand-made records for the tests of tables and files."""

from typing import Any

from gangplan.experiments.records import DONE, Record, TierRecord


def record(key: str = "k", **changed: Any) -> Record:
    """Make a proven run of 2 seconds that took 5 of 5."""
    values: dict[str, Any] = {
        "experiment": "hand",
        "status": DONE,
        "instance": "training 16/8 seed 1",
        "family": "training 16/8",
        "digest": "d",
        "planner": "exact",
        "solver": "highs",
        "formulation": "counts",
        "objective": "groups",
        "time_limit": 20.0,
        "seed": 1,
        "tiers": (tier(5, 5),),
        "stop": "optimal",
        "seconds": {"plan": 2.0, "build": 0.5, "handover": 0.1, "solve": 1.0},
        "peak_memory": 2**20,
        "verified": True,
        "machine": {"cpu": "x", "cores": 2, "load": 0.5},
        "versions": {"gangplan": "0"},
    }
    return Record(key=key, **(values | changed))


def tier(value: int, bound: int | None) -> TierRecord:
    """Make an admitted tier, proven where the bound is met."""
    proof = "" if bound is None else "search"
    return TierRecord("admitted(0)", True, value, bound, proof, value == bound)
