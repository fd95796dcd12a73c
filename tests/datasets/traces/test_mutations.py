"""Broken files end in InputError, never in a traceback of another kind."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.datasets.traces.knavigator import knavigator
from gangplan.datasets.traces.openb import openb
from gangplan.datasets.traces.slurm import slurm
from gangplan.datasets.traces.topograph import topograph
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance

DATA = Path(__file__).parents[2] / "data" / "traces"
READERS: dict[str, Callable[[Path], Instance]] = {
    "openb_pods.csv": lambda path: openb(DATA / "openb_nodes.csv", path),
    "openb_nodes.csv": lambda path: openb(path, DATA / "openb_pods.csv"),
    "topograph_model.yaml": lambda path: topograph(path, groups=2),
    "knavigator_nodes.yaml": lambda path: knavigator(path, (2,)),
    "slurm_tree.conf": slurm,
    "slurm_block.conf": slurm,
}
PIECES = ["", ",", "\n", "[", "]", "-", "{", "}", ":", '"', "null", "0", "-1", "9" * 30, "1.5", "é"]


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_a_mutated_file_is_read_or_refused(name: str, data: st.DataObject) -> None:
    text = (DATA / name).read_text()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.sampled_from([0, 1, 2, 8]))
        text = text[:start] + data.draw(st.sampled_from(PIECES)) + text[start + length :]
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text)
        with suppress(InputError):
            assert len(READERS[name](path).nodes)
