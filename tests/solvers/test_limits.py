import math

import pytest

from gangplan.solvers.base import Limits


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"seconds": 0}, "seconds = 0: a positive number"),
        ({"seconds": -1.5}, "seconds = -1.5: a positive number"),
        ({"seconds": 1e300}, r"seconds = 1e\+300: at most 10,000,000"),
        ({"seconds": math.inf}, "seconds = inf"),
        ({"seconds": math.nan}, "seconds = nan"),
        ({"gap": -0.1}, r"gap = -0.1: a number in \[0, 1\)"),
        ({"gap": 1}, "gap = 1"),
        ({"gap": math.nan}, "gap = nan"),
        ({"threads": 0}, "threads >= 1"),
        ({"seed": -1}, "seed >= 0"),
        ({"memory": 0}, "memory = 0: a positive number of bytes"),
    ],
)
def test_a_limit_that_means_nothing_is_refused(options: dict[str, float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Limits(**options)  # type: ignore[arg-type]  # what a caller without types may pass
