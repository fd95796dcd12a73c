"""The public cases hold on a real API server, as they do from files."""

from pathlib import Path

import pytest

from tests.cases.read import read_cases
from tests.cases.run import OK, TODO
from tests.cluster.cases.__main__ import FILE
from tests.cluster.cases.run import run
from tests.cluster.live import Live
from tests.controlplane.plane import ControlPlane

pytestmark = pytest.mark.cluster

CASES = {case.id: case for case in read_cases(FILE)}

TODO_CASES = {
    "fil-spread-and-unusable-zones": "needs topologySpreadConstraints",
    "par-podgroup-api-versions": "the server does not take it",
}
"""What is not done yet, or can only be said in a file; every other case must be ok."""


@pytest.mark.parametrize("id", CASES)
def test_the_case_holds_on_a_server(id: str, still: ControlPlane, tmp_path: Path) -> None:
    verdict = run(Live(still, tmp_path), CASES[id], tmp_path)
    assert verdict.word == (TODO if id in TODO_CASES else OK), verdict.text
    assert verdict.text.startswith(TODO_CASES.get(id, ""))
