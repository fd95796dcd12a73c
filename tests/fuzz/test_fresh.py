"""200 instances that nobody has seen: brute force against everybody (seeds are in the summary)."""

import pytest

from tests.fuzz.cell import cell
from tests.fuzz.contestants import backends
from tests.fuzz.fresh import PARTS, seeds, sentence


@pytest.mark.parametrize("part", range(PARTS))
def test_everybody_agrees_with_brute_force_on_fresh_seeds(part: int) -> None:
    print(sentence())
    for seed in seeds(part):
        done = cell(seed, backends())
        assert [str(wrong) for wrong in done.wrong] == [], f"python -m tests.fuzz --only {seed}"
        for who, (proven, tiers) in done.tiers.items():
            if who == "anytime":
                continue  # it had hardly any time: what it claims is checked, not how much it is
            assert proven == tiers, f"seed {seed}: {who} proves {proven} of {tiers} tiers"
