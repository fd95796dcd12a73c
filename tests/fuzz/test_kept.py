"""What went wrong once, over every formulation and backend that is here, for ever."""

from pathlib import Path

import pytest

from tests.fuzz.case import read
from tests.fuzz.contestants import backends
from tests.fuzz.keep import KEPT, again


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.json")), ids=lambda path: path.stem)
def test_a_kept_case_goes_right(path: Path) -> None:
    assert [str(wrong) for wrong in again(read(path), backends())] == []
