"""``python -m gangplan.experiments.paper``: paper/gangplan.pdf from docstrings and records."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from gangplan.experiments.paper.build import build
from gangplan.models.errors import InputError


def main(argv: Sequence[str] | None = None) -> int:
    """Build the paper; 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(prog="python -m gangplan.experiments.paper")
    parser.add_argument("--paper", type=Path, default=Path("paper"), help="folder of the sources")
    parser.add_argument(
        "--records",
        type=Path,
        default=Path("experiments/results"),
        help="folder of the JSONL files",
    )
    parser.add_argument("-o", "--output", type=Path, help="the PDF (default: gangplan.pdf there)")
    asked = parser.parse_args(argv)
    output = asked.output or asked.paper / "gangplan.pdf"
    try:
        notes = build(asked.paper, asked.records, output)
    except InputError as error:
        print(error, file=sys.stderr)
        return 1
    for note in notes:
        print(note, file=sys.stderr)
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
