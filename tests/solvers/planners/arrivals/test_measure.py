import numpy as np
import pytest

from gangplan.solvers.planners.arrivals.measure import fragments, stranded
from gangplan.solvers.planners.arrivals.workload import Workload, typical
from tests.tiny import make_instance

# Half of the pods ask 8 CPU and a whole GPU, a quarter 2 CPU and 0.4 of one, a quarter 4 CPU alone.
KINDS = Workload(
    column=np.array([8, 2, 4]),
    milli=np.array([1000, 400, 0]),
    number=np.array([1, 1, 0]),
    fits_class=np.ones((3, 1), dtype=np.bool_),
    weight=np.array([0.5, 0.25, 0.25]),
)
CLASS = np.zeros(1, dtype=np.int64)


def of(measure: object, free: int, *left: int) -> float:
    assert callable(measure)
    return float(measure(KINDS, np.array([free]), np.array([left]), CLASS)[0])


def test_fragments_by_hand() -> None:
    # Kind 0 fits: wastes the 300 of the second GPU; kind 1 fits: the same; kind 2 uses no GPU: all.
    assert of(fragments, 10, 1000, 300) == pytest.approx(0.5 * 300 + 0.25 * 300 + 0.25 * 1300)
    # Too little CPU for kind 0: all is fragmented for it.
    assert of(fragments, 7, 1000, 300) == pytest.approx(0.5 * 1300 + 0.25 * 300 + 0.25 * 1300)
    # No GPU is whole: 600 + 600 can serve kind 1 only, without waste.
    assert of(fragments, 10, 600, 600) == pytest.approx(0.5 * 1200 + 0.0 + 0.25 * 1200)


def test_stranded_by_hand() -> None:
    # Filled with kind 0: CPU for one of two pods; with kind 1: four of 400 on two GPUs.
    assert of(stranded, 10, 1000, 1000) == pytest.approx((2 * 1000 + 1 * (2000 - 1600)) / 3)
    # CPU for one pod of kind 1 and none of kind 0.
    assert of(stranded, 3, 1000, 1000) == pytest.approx((2 * 2000 + 1 * (2000 - 400)) / 3)


def test_a_node_that_a_kind_may_not_use_is_all_fragmented_for_it() -> None:
    away = Workload(KINDS.column, KINDS.milli, KINDS.number, np.zeros((3, 1), bool), KINDS.weight)
    state = (np.array([99]), np.array([[1000, 200]]), CLASS)
    assert fragments(away, *state)[0] == pytest.approx(1200)
    assert stranded(away, *state)[0] == pytest.approx(1200)


def test_the_typical_workload_is_the_most_frequent_kinds() -> None:
    def pods(cpu: int, share: int, wanted: int) -> dict[str, object]:
        return {"kind": "bare", "request": {"cpu": cpu}, "share": share, "wanted": wanted}

    groups = [pods(4, 300, 2), pods(2, 500, 5), pods(1, 100, 1), pods(4, 300, 2)]
    instance = make_instance([{"cpu": 9, "shared": [1000]}], groups, device_unit=1000)
    seen = typical(instance, instance.roles.wanted, part=0.9)
    assert seen.milli.tolist() == [500, 300]
    assert seen.weight.tolist() == pytest.approx([5 / 9, 4 / 9])
    assert len(typical(instance, instance.roles.wanted).weight) == 3
