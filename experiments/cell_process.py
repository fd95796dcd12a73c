"""The process of one cell: ``python -m gangplan.experiments.cell_process JOB ANSWER``.

JOB is a pickled cell, ANSWER gets the pickled record. Standard input is the lifeline: the process
ends when nobody holds its other end.
"""

import os
import pickle
import sys
import threading
from pathlib import Path

from gangplan.experiments.measure import measure


def main(job: str, answer: str) -> None:
    """Run the cell and leave its record."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    record = measure(pickle.loads(Path(job).read_bytes()))
    whole = Path(f"{answer}.part")
    whole.write_bytes(pickle.dumps(record))
    whole.rename(answer)


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
