"""Once: one computation an instance, refusals too, and nothing that keeps an instance alive."""

import gc
import weakref
from dataclasses import replace

import pytest

from gangplan.models.errors import FormulationError
from gangplan.models.instance import Instance
from gangplan.models.once import once
from gangplan.models.options.cells import Cells, cells_of
from gangplan.models.options.options import options_of
from gangplan.models.shortage import cannot_be_placed
from tests.tiny import make_instance
from tests.tiny_devices import with_devices


def gangs(count: int) -> Instance:
    pods = [{"wanted": 2 + g, "request": {"cpu": 1}, "minimum": 2 + g} for g in range(count)]
    base = make_instance(nodes=[{"cpu": 64}] * 2, groups=pods)
    spec = {"requests": [("g", "gpu")]}
    return with_devices(base, [{"node": 0, "gpu": True}], [spec], {k: [0] for k in range(count)})


def test_equal_instances_are_two() -> None:
    asked: list[Instance] = []

    @once
    def nodes(instance: Instance) -> int:
        asked.append(instance)
        return len(instance.nodes)

    instance = gangs(1)
    again = replace(instance)
    assert [nodes(instance), nodes(instance), nodes(again)] == [2, 2, 2]
    assert len(asked) == 2


def test_a_refusal_is_kept() -> None:
    asked: list[Instance] = []

    @once
    def refuses(instance: Instance) -> int:
        asked.append(instance)
        raise FormulationError("too many ways")

    instance = gangs(1)
    for _ in range(3):
        with pytest.raises(FormulationError, match="too many ways"):
            refuses(instance)
    assert len(asked) == 1


def test_an_instance_goes_with_what_was_worked_out() -> None:
    instance = gangs(2)
    options_of(instance)
    assert cannot_be_placed(instance, 0) is not None
    gone = weakref.ref(instance)
    del instance
    gc.collect()
    assert gone() is None


def test_gangs_that_cannot_be_placed_share_the_options(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Instance] = []

    def counted(instance: Instance, *rest: object) -> Cells:
        asked.append(instance)
        return cells_of(instance)

    monkeypatch.setattr("gangplan.models.options.options.cells_of", counted)
    instance = gangs(12)
    assert all(cannot_be_placed(instance, g) is not None for g in range(12))
    assert len(asked) == 1
