"""``python -m gangplan.experiments.kubescheduler [FILE]``: the table of a file of records."""

import sys
from pathlib import Path

from gangplan.experiments import records
from gangplan.experiments.kubescheduler.behind import broken, pairs, weighted

DEFAULT = Path(__file__).resolve().parents[1] / "results" / "kube_scheduler.jsonl"


def main(path: Path = DEFAULT) -> int:
    """Print a line for each pair; the exit code is 1 when a plan of ours is behind."""
    found = records.load(path).records
    head = ("instance", "beside", "top GPUs", "ours", "priority x GPUs", "ours", "differ in")
    rows: list[tuple[str, ...]] = [head]
    behind = 0
    for pair in sorted(pairs(found), key=lambda pair: (pair.peer.planner, pair.ours.seed)):
        behind += not pair.ahead
        sums = (weighted(pair.peer), weighted(pair.ours))
        tops = (pair.peer.tiers[0].value, pair.ours.tiers[0].value)
        how = f"{pair.tier}{'' if pair.ahead else ': WE ARE BEHIND'}" or "nothing"
        rows.append((pair.ours.instance, pair.peer.planner, *map(str, (*tops, *sums)), how))
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        print(
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        )
    for record in broken(found):
        print(f"out: {record.planner}, {record.instance}: {'; '.join(record.violations)}")
    print(f"{len(rows) - 1} pairs; ours behind in {behind}")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
