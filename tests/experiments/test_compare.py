import pytest

import gangplan.api
from gangplan.datasets.generate import generate
from gangplan.experiments.compare import compare
from gangplan.experiments.executors import Serial
from gangplan.experiments.records import DONE, SKIPPED
from gangplan.models.errors import InputError
from gangplan.models.instance import Instance
from gangplan.solvers.base import Limits


@pytest.fixture(scope="module")
def instance() -> Instance:
    return generate("training", nodes=16, groups=2, seed=1)


def test_the_library_compares_each_in_a_process_of_its_own(
    instance: Instance, not_installed: str
) -> None:
    found = gangplan.api.compare(
        instance,
        planners=("greedy", "exact"),
        solvers=(not_installed, "highs"),
        objective="weighted-gpus",
        limits=Limits(10.0),
    )
    assert [(r.planner, r.solver, r.status) for r in found] == [
        ("greedy", "", DONE),
        ("exact", not_installed, SKIPPED),
        ("exact", "highs", DONE),
    ]
    assert {r.digest for r in found} == {instance.digest()}
    assert all(r.verified and r.peak_memory for r in found if r.status == DONE)
    assert found[2].stop == "optimal"


def test_two_comparisons_come_in_the_same_order(instance: Instance) -> None:
    def once() -> list[tuple[str, str]]:
        found = compare(
            instance,
            formulations=("counts", "assignment"),
            objective="weighted-gpus",
            executor=Serial(),
            limits=Limits(0.5),
        )
        return [(r.backend, r.key) for r in found]

    first = once()
    assert [backend for backend, _ in first] == ["greedy", "highs/counts", "highs/assignment"]
    assert once() == first


def test_unknown_names_are_refused_all_at_once(instance: Instance) -> None:
    with pytest.raises(InputError) as caught:
        compare(
            instance,
            planners=("no",),
            solvers=("highs", "misspelt"),
            formulations=("none",),
            objective="nothing",
        )
    assert len(caught.value.faults) == 4
    with pytest.raises(InputError, match="solvers: at least one expected"):
        compare(instance, solvers=())
