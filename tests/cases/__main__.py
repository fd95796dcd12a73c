"""``python -m tests.cases FILE.yaml... [--only ID] [--verbose]``: one line a case, then counts."""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.cases.read import CaseError, read_cases
from tests.cases.run import FAIL, OK, TODO, run


def main(arguments: list[str]) -> int:
    """Run the cases; exit status 1 on any FAIL or an unreadable file, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.cases", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.yaml")
    parser.add_argument("--only", action="append", metavar="ID", help="run this case alone")
    parser.add_argument(
        "--verbose", action="store_true", help="list the sentences that no program checks"
    )
    options = parser.parse_args(arguments)
    try:
        cases = [case for file in options.files for case in read_cases(file)]
    except CaseError as error:
        print(error, file=sys.stderr)
        return 1
    if options.only:
        unknown = sorted(set(options.only) - {case.id for case in cases})
        if unknown:
            print(f"no case {', '.join(unknown)}", file=sys.stderr)
            return 1
        cases = [case for case in cases if case.id in options.only]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases):
            verdict = run(case, Path(folder) / str(number))
            counts[verdict.word] += 1
            print(verdict.line(), flush=True)
            if options.verbose:
                for sentence in verdict.unchecked:
                    print(f"   unchecked: {sentence}")
    print(", ".join(f"{counts[word]} {word}" for word in (OK, FAIL, TODO)))
    return 1 if counts[FAIL] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
