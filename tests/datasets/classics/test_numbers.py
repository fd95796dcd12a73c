"""Errors of the readers name file and line."""

import tarfile
from pathlib import Path

import pytest

from gangplan.datasets.classics import gap, mknap, vbp
from gangplan.datasets.classics.numbers import Numbers
from gangplan.datasets.classics.roadef import problem
from gangplan.models.errors import InputError

DATA = Path(__file__).parents[2] / "data" / "classics"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2 3\n1 x", "f:2: a cost: a number expected, not 'x'"),
        ("2\n\n-3", "f:3: the number of jobs: a whole number from 1 to 100000 expected, not -3"),
        ("1 1\n1.5", "f:2: a cost: a whole number from 0 expected, not 1.5"),
        ("1 1\n1 2", "f:2: the file ends where a capacity is expected"),
        ("1 1\n1 2 3\n4", "f:3: the end expected, not '4'"),
        ("1 1\n99999999999999", "f:2: a cost: 99999999999999 is above 2^40"),
        ("1 1\n1-2", "f:2: a cost: a number expected, not '1-2'"),
        ("1 1\n٣", "f:2: a cost: a number expected, not '٣'"),
        ("", "f:1: the file ends where the number of agents is expected"),
    ],
)
def test_a_fault_names_its_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        gap.read(path)
    assert str(caught.value) == f"{tmp_path}/{message}"


def test_a_file_that_is_not_there_is_one_line() -> None:
    with pytest.raises(InputError, match="nowhere: No such file"):
        mknap.read(Path("nowhere"))
    with pytest.raises(InputError, match=r"nowhere: .*cannot be read"):
        vbp.read_member(Path("nowhere"), "x.vbp")


def test_an_archive_without_the_file_says_so(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        archive.add(DATA / "small.vbp", "New/small.vbp")
    assert vbp.read_member(tmp_path / "a.tar.gz", "New/small.vbp").demand.tolist() == [1, 2, 1]
    with pytest.raises(InputError, match=r"a.tar.gz: New/other.vbp: cannot be read"):
        vbp.read_member(tmp_path / "a.tar.gz", "New/other.vbp")


def test_an_item_that_fits_no_bin_is_refused(tmp_path: Path) -> None:
    (tmp_path / "big.vbp").write_text("1\n10\n1\n11 1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"big.vbp:4: a size: a whole number from 0 to 10"):
        vbp.read(tmp_path / "big.vbp")


def test_a_negative_profit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "k").write_text("1\n1 1 0\n-2\n1\n1\n", encoding="utf-8")
    with pytest.raises(InputError, match="below 0"):
        mknap.read(tmp_path / "k")


def test_an_assignment_to_no_machine_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("0 1 0\n3\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a:2: a machine: a whole number from 0 to 2"):
        problem.read(DATA / "roadef_model.txt", tmp_path / "a")


def test_numbers_are_read_exactly() -> None:
    numbers = Numbers("8706.1 -2", "f")
    assert numbers.exact("one") * 10 == 87061
    assert numbers.whole("two", -5, 5) == -2
    numbers.end()


def test_a_torn_or_damaged_archive_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(DATA / "small.vbp", "New/small.vbp")
        archive.add(DATA / "roadef_model.txt", "New/after.txt")
    whole = path.read_bytes()
    damaged = [whole[:size] for size in range(0, len(whole), 7)]
    damaged += [
        whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :] for at in range(0, len(whole), 3)
    ]
    said = []
    for content in damaged:
        path.write_bytes(content)
        try:
            vbp.read_member(path, "New/small.vbp")
        except InputError as error:
            said.append(str(error))
    assert all("\n" not in line for line in said)
    assert len(said) > len(damaged) // 2


def test_a_file_that_unpacks_to_far_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(DATA / "small.vbp", "small.vbp")
    monkeypatch.setattr(vbp, "MOST", 10)
    with pytest.raises(InputError, match=r"a.tar.gz: small.vbp: more than 10 bytes"):
        vbp.read_member(path, "small.vbp")


@pytest.mark.parametrize(
    "text",
    [
        "1\n1 1 0\n1.12345678901234567891\n1\n1\n",
        "1\n1 1 0\n1\n1000000000000.00000000000000001\n1\n",
    ],
)
def test_too_many_decimals_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "k").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"k:5: too many decimals in the problem that ends here"):
        mknap.read(tmp_path / "k")


def test_a_balance_above_what_a_model_holds_is_refused(tmp_path: Path) -> None:
    text = (DATA / "roadef_model.txt").read_text()
    assert "\n0 1 2\n7\n" in text
    (tmp_path / "m").write_text(text.replace("\n0 1 2\n7\n", f"\n0 1 {2**40}\n7\n"))
    with pytest.raises(InputError, match="a target times a capacity above 2"):
        problem.read(tmp_path / "m", DATA / "roadef_assignment.txt")
