"""The process of one cell: ``python -m gangplan.experiments.cell_process JOB ANSWER``.

JOB is a pickled cell, ANSWER gets the pickled record, both in a folder of their own. Standard input
is the lifeline: when nobody holds its other end, the process removes the folder and ends.
"""

import os
import pickle
import shutil
import sys
import threading
from pathlib import Path

from gangplan.experiments.measure import measure


def main(job: str, answer: str) -> None:
    """Run the cell and leave its record."""
    threading.Thread(target=_end_with_parent, args=(Path(job).parent,), daemon=True).start()
    record = measure(pickle.loads(Path(job).read_bytes()))
    whole = Path(f"{answer}.part")
    whole.write_bytes(pickle.dumps(record))
    whole.rename(answer)


def _end_with_parent(folder: Path) -> None:
    while os.read(0, 1):
        pass
    # Whoever made the folder was killed, and cannot remove it.
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
