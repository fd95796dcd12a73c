"""The code in docs/solvers.md runs."""

import re
from pathlib import Path

import pytest

import gangplan
from gangplan.datasets.generate import generate
from gangplan.solvers.planners.exact import Exact

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "solvers.md"


def blocks() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


def test_a_model_goes_to_pyomo_and_pulp_and_takes_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyomo.environ", reason="pyomo is not installed")
    pytest.importorskip("pulp", reason="PuLP is not installed")
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in blocks()[:2]:
        exec(compile(block, str(PAGE), "exec"), names)
    assert "problem" in names


def test_the_solver_of_the_page_plans() -> None:
    (block,) = blocks()[2:]
    names: dict[str, type] = {}
    exec(compile(block, str(PAGE), "exec"), names)
    instance = generate("training", nodes=16, groups=8, seed=1)
    result = gangplan.plan(
        instance, planner=Exact(solver=names["Mine"](), objective="weighted-gpus")
    )
    usual = gangplan.plan(instance, objective="weighted-gpus")
    assert result.stop == usual.stop == "optimal"
    assert result.tiers[0].value == usual.tiers[0].value
    assert not result.warnings
