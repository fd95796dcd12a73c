"""Reads model files back, in one child process: highspy keeps threads for a whole process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SCRIPT = """
import json, sys, highspy
def read(path):
    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    status = engine.readModel(path)
    lp = engine.getLp()
    m = lp.a_matrix_
    by_column = m.format_.name == "kColwise"
    engine.run()
    return {
        "read": status.name, "by_column": by_column,
        "cost": list(lp.col_cost_), "offset": lp.offset_,
        "lower": list(lp.col_lower_), "upper": list(lp.col_upper_),
        "row_lower": list(lp.row_lower_), "row_upper": list(lp.row_upper_),
        "start": list(m.start_), "index": list(m.index_), "value": list(m.value_),
        "integer": [kind == highspy.HighsVarType.kInteger for kind in lp.integrality_],
        "columns": list(lp.col_names_), "rows": list(lp.row_names_),
        "status": engine.getModelStatus().name,
        "optimum": engine.getInfo().objective_function_value,
    }
print(json.dumps([read(path) for path in sys.argv[1:]]))
"""


def read_by_highs(*paths: Path) -> list[dict[str, Any]]:
    """Return the models that HiGHS reads, and its answers."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, paths)], capture_output=True, text=True, check=True
    )
    read: list[dict[str, Any]] = json.loads(run.stdout.splitlines()[-1])
    return read
