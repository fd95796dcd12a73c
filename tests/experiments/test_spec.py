from dataclasses import replace
from pathlib import Path

import pytest

from gangplan.experiments import spec
from gangplan.experiments.cells import Cell, cells, key
from gangplan.experiments.sources import File, Generated
from gangplan.experiments.spec import PlannerSpec
from gangplan.models.errors import InputError
from gangplan.solvers.base import Limits

ROOT = Path(__file__).parents[2]

WHOLE = """
seeds = [1, 2]
[[instances]]
generator = "training"
nodes = [16, 32]
groups = [4, 8]
[[planners]]
planner = ["greedy", "exact"]
solver = ["highs", "scip"]
[limits]
seconds = [1, 2.5]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "e.toml"
    path.write_text(text)
    return path


def faults(folder: Path, text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        spec.read(write(folder, text))
    return [str(fault).removeprefix(f"{folder}/") for fault in caught.value.faults]


def test_lists_expand_to_their_product(tmp_path: Path) -> None:
    experiment = spec.read(write(tmp_path, WHOLE))
    assert experiment.name == "e"
    (read,) = experiment.blocks
    assert read.sources == tuple(
        Generated("generator", "training", nodes, groups) for nodes in (16, 32) for groups in (4, 8)
    )
    assert read.limits == (Limits(1.0), Limits(2.5))
    assert read.seeds == (1, 2)


def test_memory_is_a_quantity_or_a_number_of_bytes(tmp_path: Path) -> None:
    text = WHOLE.replace("[limits]", "[limits]\nmemory = ['512Mi', 4096]")
    assert spec.read(write(tmp_path, text)).blocks[0].limits == tuple(
        Limits(seconds, memory=memory) for seconds in (1.0, 2.5) for memory in (2**29, 4096)
    )


def test_a_planner_without_a_solver_comes_once(tmp_path: Path) -> None:
    assert spec.read(write(tmp_path, WHOLE)).blocks[0].planners == (
        PlannerSpec("greedy"),
        PlannerSpec("exact", "highs", "counts"),
        PlannerSpec("exact", "scip", "counts"),
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seeds", "sedes", "sedes: unknown key: one of name, instances, planners, limits, seeds"),
        ("nodes", "node", "instances[0].node: unknown key: one of generator, trace, file, nodes"),
        ("solver =", "solvers =", "planners[0].solvers: unknown key"),
        ("seconds", "second", "limits.second: unknown key: one of seconds, gap, threads"),
        ('"training"', '"trainign"', "instances[0].generator: no generator 'trainign': one of tra"),
        (
            '"greedy"',
            '"greed"',
            "planners[0]: planner greed: no planner of this name: "
            "one of auto, anytime, exact, greedy",
        ),
        ("seeds = [1, 2]", "seeds = []", "seeds: at least one expected (integers from 0"),
        ("seeds = [1, 2]", "", "seeds: at least one expected"),
        ("seeds = [1, 2]", "seeds = [-1]", "seeds: integers from 0 to 2^31 - 1 expected, not -1"),
        ("[1, 2.5]", "0", "limits.seconds: numbers above 0, at most 10,000,000 expected, not 0"),
        (
            "[1, 2.5]",
            "nan",
            "limits.seconds: numbers above 0, at most 10,000,000 expected, not nan",
        ),
        (
            "[1, 2.5]",
            "true",
            "limits.seconds: numbers above 0, at most 10,000,000 expected, not True",
        ),
        ("[16, 32]", "0", "instances[0].nodes: integers of at least 1 expected, not 0"),
        ("generator = ", "file = ", "instances[0]: a file has its own size: no nodes, no groups"),
        ("[[planners]]", "[planners]", "planners: at least one table [[planners]] expected"),
        ("[limits]", "[[limits]]", "limits: a table expected"),
        ('["highs", "scip"]', '""', "planners[0].solver: names expected, not ''"),
        ("seeds = [1, 2]", "seeds = 1\nname = 'a/b'", "name: letters, digits, '.', '_' and '-'"),
        ("[[instances]]", "[[instances", "not TOML: "),
        (
            "[limits]",
            "[limits]\nmemory = '4GB'",
            "limits.memory: bytes of at least 1, such as '4Gi'",
        ),
        (
            "[limits]",
            "[limits]\nmemory = 0",
            "limits.memory: bytes of at least 1, such as '4Gi' or",
        ),
        ("[limits]", "[limits]\nmemory = 1.5", "limits.memory: bytes of at least 1, such as"),
        ("[limits]", "[limits]\nmemory = true", "limits.memory: bytes of at least 1, such as"),
        ("[limits]", "[limits]\nmemory = []", "limits.memory: at least one expected (bytes of"),
    ],
)
def test_what_is_wrong_names_file_and_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in WHOLE
    assert any(
        fault.startswith(f"e.toml: {said}") for fault in faults(tmp_path, WHOLE.replace(old, new))
    )


def test_every_fault_is_told_at_once(tmp_path: Path) -> None:
    assert len(faults(tmp_path, "seeds = []\nother = 1\n")) == 4


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        spec.read(tmp_path / "none.toml")


def test_an_instance_file_is_looked_for_beside_the_experiment(tmp_path: Path) -> None:
    text = 'seeds = 1\n[[instances]]\nfile = "here.json"\n[[planners]]\nplanner = "greedy"\n'
    assert "no such file" in faults(tmp_path, text)[0]
    (tmp_path / "here.json").write_text("{}")
    read = spec.read(tmp_path / "e.toml").blocks[0]
    assert read.sources == (File(str(tmp_path / "here.json"), "here.json"),)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda p: p.name
)
def test_the_experiments_of_the_project_can_be_read(path: Path) -> None:
    assert spec.read(path).name == path.stem


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seeds = " + "1" * 5000, "not TOML: "),
        ("seeds = " + "[" * 20_000, "not TOML: "),
        (WHOLE.replace("seeds", f"name = {'n' * 300!r}\nseeds"), "name: letters, digits, "),
        (
            WHOLE.replace('generator = "training"', f"file = {'f' * 5000!r}"),
            "instances: file ffff",
        ),
        (WHOLE.replace("[1, 2.5]", "1e300"), "limits.seconds: numbers above 0, at most 10,000,000"),
    ],
    ids=["digits", "brackets", "name", "file", "seconds"],
)
def test_absurd_values_are_one_short_line(tmp_path: Path, text: str, said: str) -> None:
    found = [fault for fault in faults(tmp_path, text) if fault.startswith(f"e.toml: {said}")]
    assert len(found) == 1
    assert len(found[0]) < 250


def test_a_name_taken_from_the_file_says_so(tmp_path: Path) -> None:
    path = tmp_path / "my runs.toml"
    path.write_text(WHOLE)
    with pytest.raises(InputError, match=r"name: .* not 'my runs' \(that of the file"):
        spec.read(path)


def test_files_of_one_name_in_two_folders_stay_two_instances(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.json").write_text("{}")
    text = 'seeds = 1\n[[instances]]\nfile = ["a/x.json", "b/x.json"]\n[[planners]]\n'
    labels = [source.label for source in spec.read(write(tmp_path, text)).blocks[0].sources]
    assert labels == ["a/x.json", "b/x.json"]


def test_options_on_evictions_make_planners_of_their_own(tmp_path: Path) -> None:
    text = WHOLE.replace('["greedy", "exact"]', '"exact"\npreemption = [true, false]\npdb = "hard"')
    read = spec.read(write(tmp_path, text.replace('["highs", "scip"]', '"highs"'))).blocks[0]
    assert read.planners == (
        PlannerSpec("exact", "highs", "counts", pdb="hard"),
        PlannerSpec("exact", "highs", "counts", preemption=False, pdb="hard"),
    )
    assert faults(tmp_path, text.replace("[true, false]", '"no"').replace('"hard"', '"often"')) == [
        "e.toml: planners[0].preemption: true or false expected, not 'no'",
    ]
    assert faults(tmp_path, text.replace('"hard"', '"often"')) == [
        "e.toml: planners[0]: pdb often: no pdb of this name: one of soft, hard",
    ]


def test_what_is_usual_says_nothing_in_a_key() -> None:
    """Records made before there was a choice are known again."""
    cell = Cell("x", Generated("generator", "training"), PlannerSpec("greedy"), Limits())
    assert cell.planner.chosen() == {
        "planner": "greedy",
        "solver": "",
        "formulation": "",
        "objective": "groups",
    }
    without = replace(cell, planner=PlannerSpec("greedy", preemption=False))
    assert key(without, "d") != key(cell, "d")
    assert without.label.endswith("greedy preemption=False")


def test_blocks_are_combined_apart_and_run_as_one(tmp_path: Path) -> None:
    text = """
name = "two"
[[blocks]]
seeds = [1, 2]
[[blocks.instances]]
generator = "training"
nodes = 16
[[blocks.planners]]
planner = "greedy"
[[blocks]]
seeds = 7
[[blocks.instances]]
generator = "racks"
nodes = 32
[[blocks.planners]]
planner = "exact"
[blocks.limits]
seconds = 5
"""
    found = cells(spec.read(write(tmp_path, text)))
    assert [cell.label for cell in found] == [
        "training 16/- seed 1: greedy",
        "training 16/- seed 2: greedy",
        "racks 32/- seed 7: exact/highs/counts",
    ]
    assert faults(tmp_path, text.replace("seeds = 7", "seeds = -7")) == [
        "e.toml: blocks[1].seeds: integers from 0 to 2^31 - 1 expected, not -7"
    ]
    assert faults(tmp_path, text.replace("seconds", "second")) == [
        "e.toml: blocks[1].limits.second: unknown key: one of seconds, gap, threads, memory"
    ]
    assert faults(tmp_path, text.replace("[[blocks]]", "seeds = 1\n[[blocks]]", 1)) == [
        "e.toml: seeds: unknown key: one of name, blocks"
    ]
