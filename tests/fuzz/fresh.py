"""Seeds that no run before had: another base each day and each commit."""

import hashlib
import subprocess
from datetime import UTC, datetime
from functools import cache

from tests.fuzz.run import ROOT

COUNT = 200
"""Instances that each run of the tests draws afresh."""

PARTS = 8
"""Tests they are spread over."""


@cache
def base() -> int:
    """First seed; those of ``make fuzz`` lie below all of these."""
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    text = f"{datetime.now(UTC).date()} {commit}"
    return 10**6 + int(hashlib.sha256(text.encode()).hexdigest(), 16) % 10**6 * COUNT


def seeds(part: int) -> range:
    """Seeds of one of the PARTS."""
    each = COUNT // PARTS
    return range(base() + part * each, base() + (part + 1) * each)


def sentence() -> str:
    """Say how to run them again."""
    return f"fuzz: fresh seeds {base()} to {base() + COUNT - 1} (python -m tests.fuzz --only SEED)"
