"""The code in docs/add-a-constraint.md runs."""

import re
from pathlib import Path

import numpy as np

from gangplan.models.plan import Plan
from tests.tiny import make_instance

PAGE = Path(__file__).parents[3] / "docs" / "add-a-constraint.md"


def test_the_code_of_add_a_constraint_runs_as_printed() -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len(blocks) == 2
    none = np.zeros(0, dtype=np.int64)
    names = {
        "instance": make_instance(
            [{"gpu": 8}, {"gpu": 2}], [{"minimum": 2, "wanted": 2, "request": {"gpu": 1}}]
        ),
        "together": Plan(np.array([0, 0]), none, none),
    }
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert names["point"] is not None
