from pathlib import Path

import pytest

from gangplan.datasets import traces
from gangplan.datasets.traces.folder import Public, data_folder, require
from gangplan.models.errors import InputError

FILE = Public("there/file.csv", "owner/name", "folder/in/it/other.csv")


def test_the_variable_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GANGPLAN_DATA", str(tmp_path))
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file.csv").write_text("x")
    assert data_folder() == tmp_path
    assert require(FILE) == tmp_path / "there" / "file.csv"


def test_without_the_variable_the_folder_beside_the_current_one_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GANGPLAN_DATA", raising=False)
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    assert data_folder() == tmp_path / "shared" / "data"


def test_a_missing_file_names_repository_and_variable_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GANGPLAN_DATA", str(tmp_path))
    with pytest.raises(InputError) as caught:
        require(FILE)
    text = str(caught.value)
    assert "folder/in/it/other.csv of github.com/owner/name" in text
    assert "GANGPLAN_DATA" in text
    assert "\n" not in text


def test_a_variable_that_names_no_folder_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GANGPLAN_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="names no folder"):
        data_folder()


def test_the_catalogue_has_no_name_twice_and_says_what_is_added() -> None:
    names = [trace.name for trace in traces.catalogue()]
    assert len(set(names)) == len(names)
    assert {"openb", "topograph-large", "knavigator-nodes", "slurm-tree"} <= set(names)
    assert all(trace.added and trace.files for trace in traces.catalogue())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("openb2", {}, "unknown; there are: openb,"),
        ("openb", {"nodes": 0}, "nodes: 0 is below 1"),
        ("openb", {"groups": -1}, "groups: -1 is below 1"),
        ("openb", {"seed": -1}, "seed: -1 is below 0"),
    ],
)
def test_a_wrong_request_is_one_line(name: str, options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        traces.load(name, **options)
    assert "\n" not in str(caught.value)
