import pytest

from gangplan.datasets.kubernetes.text.faults import SHOWN, Faults
from gangplan.models.errors import InputError
from tests.datasets.kubernetes.manifests import lines


def test_faults_are_capped_and_counted() -> None:
    faults = Faults()
    faults.check()
    for number in range(SHOWN + 3):
        faults.add("f", "", "", str(number))
    assert len(faults) == SHOWN + 3
    with pytest.raises(InputError) as caught:
        faults.check()
    assert [str(fault) for fault in caught.value.faults[-2:]] == [f"f: {SHOWN - 1}", "and 3 more"]


def test_a_fault_that_is_found_twice_is_told_once() -> None:
    faults = Faults()
    for _ in range(3):
        faults.add("f", "", "x", "missing")
    assert len(faults) == 3
    with pytest.raises(InputError) as caught:
        faults.check()
    assert str(caught.value) == "f: x: missing"


def test_exactly_as_many_faults_as_are_shown_need_no_tail() -> None:
    faults = Faults()
    for number in range(SHOWN):
        faults.add("f", "", "", str(number))
    with pytest.raises(InputError) as caught:
        faults.check()
    assert len(caught.value.faults) == SHOWN


def test_a_fault_is_one_line_that_any_terminal_takes() -> None:
    faults = Faults()
    faults.add("f", "Pod a\nb", "x", "\ud800 and \x1b[1m")
    (line,) = lines(faults)
    assert line == "f: Pod a\\nb: x: \\ud800 and \\x1b[1m"
    assert line.encode()
