"""Many devices: one evaluation for each distinct thing that is read."""

import subprocess
import sys
import threading
import time
import tracemalloc
from fractions import Fraction

import pytest

from gangplan.datasets.kubernetes.cel import (
    CelError,
    CelFailure,
    compile_selector,
    compiled,
    evaluate,
    matches,
    matching,
)
from gangplan.datasets.kubernetes.devicerecords import Attribute, Capacity, DeviceRecord

GPU = "gpu.nvidia.com"
ATTRIBUTES = f'device.attributes["{GPU}"]'
TYPICAL = (
    f'device.driver == "{GPU}" && {ATTRIBUTES}.model == "A100"'
    f' && device.capacity["{GPU}"].memory.compareTo(quantity("40Gi")) >= 0',
    f'{ATTRIBUTES}.driverVersion.compareTo(semver("550.0.0")) >= 0'
    f" && {ATTRIBUTES}.?mig.orValue(false) == false",
    f'cel.bind(g, {ATTRIBUTES}, g.model.lowerAscii().matches("^a1") && g.index < 4)',
)


def fleet(number: int) -> list[tuple[str, DeviceRecord]]:
    return [
        (
            GPU,
            DeviceRecord(
                f"gpu-{i}",
                {
                    f"{GPU}/model": Attribute("string", ("A100" if i % 2 else "H100",)),
                    f"{GPU}/uuid": Attribute("string", (f"GPU-{i}",)),
                    f"{GPU}/index": Attribute("int", (i % 8,)),
                    f"{GPU}/driverVersion": Attribute("version", ("550.1.2",)),
                },
                {f"{GPU}/memory": Capacity(Fraction(80 * 2**30))},
            ),
        )
        for i in range(number)
    ]


def test_10_000_devices_are_matched_well_within_a_second() -> None:
    devices = fleet(10_000)
    selectors = [compile_selector(one) for one in TYPICAL]
    start = time.process_time()
    answers = [matches(one, devices) for one in selectors]
    assert time.process_time() - start < 1
    assert [sum(map(bool, one)) for one in answers] == [5000, 10_000, 2500]


def test_one_evaluation_for_each_thing_read(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*arguments: object) -> bool | CelFailure:
        calls.append(arguments)
        return evaluate(*arguments)  # type: ignore[arg-type] # passed on as they came

    monkeypatch.setattr(matching, "evaluate", counted)
    devices = fleet(400)
    matches(compile_selector(TYPICAL[0]), devices)
    assert len(calls) == 2
    matches(compile_selector(f'{ATTRIBUTES}.exists(k, k == "x")'), devices)
    assert len(calls) == 402


@pytest.mark.parametrize("expression", [*TYPICAL, f"{ATTRIBUTES}.nothing == 1"])
def test_answers_are_those_of_each_device_alone(expression: str) -> None:
    devices = fleet(50)
    selector = compile_selector(expression)
    assert matches(selector, devices) == [evaluate(selector, one, name) for name, one in devices]


def test_failures_are_kept_with_their_reason() -> None:
    found = matches(compile_selector(f"{ATTRIBUTES}.nothing == 1"), fleet(2))
    assert found == [CelFailure("no such key: nothing")] * 2


def test_an_expression_is_compiled_once_and_its_error_kept() -> None:
    assert compiled("true") is compiled("true")
    error = compiled("1 +")
    assert isinstance(error, CelError)
    assert compiled("1 +") is error


def test_selectors_are_equal_where_their_expressions_are() -> None:
    assert len({compile_selector("true"), compile_selector("true")}) == 1


def test_many_evaluations_keep_no_memory() -> None:
    selector = compile_selector(TYPICAL[2])
    ((driver, one),) = fleet(1)
    evaluate(selector, one, driver)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(2000):
        evaluate(selector, one, driver)
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert kept < 100_000


def test_threads_get_the_same_answers() -> None:
    devices = fleet(64)
    expected = [matches(compile_selector(one), devices) for one in TYPICAL]
    found: list[list[list[bool | CelFailure]]] = []

    def work() -> None:
        found.append([matches(compile_selector(one), devices) for one in TYPICAL])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_the_library_is_imported_only_when_needed() -> None:
    code = (
        "import sys; import gangplan.datasets.kubernetes.cel as cel;"
        "assert 'cel_expr_python' not in sys.modules; cel.compile_selector('true');"
        "assert 'cel_expr_python' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
