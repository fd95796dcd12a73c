"""The public cases hold, and the runner that says so can fail."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases.__main__ import main
from tests.cases.facts import FACTS, NEVER
from tests.cases.read import Case, CaseError, pods_of, read_cases
from tests.cases.run import FAIL, OK, TODO, run
from tests.cases.variants import CHANGES, variants

FILE = Path(__file__).parent / "cases" / "reports-a.yaml"
CASES = {case.id: case for case in read_cases(FILE)}

TODO_CASES = {
    "fil-spread-and-unusable-zones": "topologySpreadConstraints",
}
"""What is not done yet, by name; every other case must be ok."""


def changed(id: str, **expect: Any) -> Case:
    """Return a case that expects something else."""
    body = copy.deepcopy(CASES[id].body)
    body["expect"] = expect
    return Case(id, CASES[id].category, body)


@pytest.mark.parametrize("id", CASES)
def test_the_case_holds(id: str, tmp_path: Path) -> None:
    verdict = run(CASES[id], tmp_path)
    expected = f"needs {TODO_CASES[id]}" if id in TODO_CASES else ""
    assert (verdict.word, verdict.text) == (TODO if id in TODO_CASES else OK, expected)


@pytest.mark.parametrize(
    ("expect", "came"),
    [
        ({"placed": {"train": 2, "late": 0}}, "placed {'train': 2, 'late': 0}, came {'train': 1"),
        ({"placed_one_of": [{"train": 0}, {"train": 2}]}, "placed one of"),
        ({"total_placed": 2}, "2 placed, came 1"),
        ({"nodes_of": {"train": ["n3"]}}, "nodes {'train': ['n3']}, came {'train': ['n4']}"),
        ({"pods_per_node": {"n3": 1}}, "pods per node {'n3': 1}, came {'n4': 1}"),
        ({"victims": ["solo-0"]}, "victims ['solo-0'], came []"),
        ({"victims_one_of": [["solo-0"], ["train-0"]]}, "victims one of"),
        ({"devices": {"train-2": ["n4/gpu0"]}}, "train-2 has ['n4/gpu0'], came []"),
        ({"devices_of_group": {"train": ["n4/gpu0"]}}, "train has ['n4/gpu0'], came []"),
        ({"domain": {"train": {"rack": "a"}}}, "train in rack a, came ['']"),
        ({"status": "feasible"}, "status feasible, came optimal"),
        ({"warnings": [{"about": "late", "must_mention": ["purple"]}]}, "['purple'] about late"),
        ({"errors": [{"about": "solver", "must_mention": ["purple"]}]}, "['purple'] about solver"),
    ],
)
def test_a_wrong_expectation_fails_with_what_came(
    expect: dict[str, Any], came: str, tmp_path: Path
) -> None:
    verdict = run(changed("gang-running-members-count", **expect), tmp_path)
    assert verdict.word == FAIL
    assert came in verdict.line()


def test_a_fact_that_does_not_hold_fails(tmp_path: Path) -> None:
    case = changed("topo-preferred-fewest-domains", facts=["distinct leaves used = 2"])
    for group in case.body["pending"]:
        group["minCount"] = group["podTemplate"]["count"] = 2
    verdict = run(case, tmp_path)
    assert verdict.word == FAIL
    assert "distinct leaves used = 2" in verdict.text


def test_a_sentence_without_a_program_is_listed(tmp_path: Path) -> None:
    verdict = run(changed("gang-unplaceable-holds-nothing", facts=["pigs can fly"]), tmp_path)
    assert (verdict.word, verdict.unchecked) == (OK, ("facts: pigs can fly",))


def test_an_input_that_cannot_be_read_fails_with_its_message(tmp_path: Path) -> None:
    case = changed("gang-running-members-count", placed={"train": 1})
    case.body["cluster"]["nodes"][0]["allocatable"]["nvidia.com/gpu"] = "many"
    verdict = run(case, tmp_path)
    assert verdict.word == FAIL
    assert "InputError" in verdict.text
    assert "many" in verdict.text


@pytest.mark.parametrize(
    ("policies", "word"),
    [
        ({"more_pods_first": {"placed": {"stretch": 3}}}, OK),
        ({"fewer_victims_first": {"placed": {"stretch": 3}}}, FAIL),
        ({"fewer_victims_first": {"victims_one_of": [["v1-0"], ["v2-0"]]}}, OK),
        ({"fewer_victims_first": {"victims_one_of": [["v1-0", "v2-0"]]}}, FAIL),
    ],
)
def test_the_answer_of_our_policy_counts(
    policies: dict[str, Any], word: str, tmp_path: Path
) -> None:
    case = changed("pre-minimum-or-more-with-more-victims", by_policy=policies)
    verdict = run(case, tmp_path)
    assert verdict.word == word
    assert bool(verdict.unchecked) == ("more_pods_first" in policies)


@pytest.mark.parametrize(
    ("row", "expect", "came"),
    [
        (0, {"status": "feasible"}, "row 1: status feasible, came optimal"),
        (1, {"status": "optimal"}, "row 2: status optimal, came feasible"),
        (1, {"placed": {"a": 1, "b": 1}}, "row 2: placed {'a': 1, 'b': 1}, came {'a': 1, 'b': 0}"),
        (2, {"status": "solver_error"}, "row 3: status solver_error, came no_solution_in_time"),
        (2, {"fallback_used": False}, "row 3: fallback_used False, came True"),
        (3, {"status": "feasible"}, "row 4: status feasible, came no_valid_solution"),
        (
            4,
            {"status": "no_solution_in_time"},
            "row 5: status no_solution_in_time, came solver_err",
        ),
        (3, {"errors": [{"about": "solver", "must_mention": ["purple"]}]}, "row 4: 'purple'"),
        (5, {"status": "optimal"}, "row 6: status optimal, came feasible"),
        (6, {"status": "feasible"}, "row 7: status feasible, came no_solution_in_time"),
        (7, {"status": "feasible"}, "row 8: status feasible, came no_valid_solution"),
    ],
)
def test_a_wrong_word_about_a_stubbed_solver_fails(
    row: int, expect: dict[str, Any], came: str, tmp_path: Path
) -> None:
    case = changed("sol-status-words", status="optimal")
    case.body["stub_solver_results"][row]["expect"].update(expect)
    assert came in run(case, tmp_path).text


def test_a_stubbed_solver_that_nobody_knows_fails(tmp_path: Path) -> None:
    case = changed("sol-status-words", status="optimal")
    case.body["stub_solver_results"][5]["backend"] = "oracle"
    assert "row 6: no stub of oracle" in run(case, tmp_path).text


def test_a_change_that_nobody_knows_is_todo(tmp_path: Path) -> None:
    variant = {"name": "new", "change": "paint n1 red", "expect": {"placed": {"train": 1}}}
    case = changed("gang-running-members-count", placed={"train": 1}, variants=[variant])
    assert run(case, tmp_path).line() == (
        "todo gang-running-members-count: needs variant 'new': paint n1 red"
    )


def test_a_variant_that_does_not_hold_fails_by_its_name(tmp_path: Path) -> None:
    case = CASES["ada-terminating-finished-notready"]
    variant = {**case.expect["variants"][0], "expect": {"placed": {"next": 2}}}
    verdict = run(changed(case.id, variants=[variant]), tmp_path)
    assert verdict.word == FAIL
    assert "(needs two) placed {'next': 2}, came {'next': 0}" in verdict.text


def test_every_program_belongs_to_a_sentence_of_the_file() -> None:
    for key, table in (("facts", FACTS), ("never", NEVER)):
        for id, sentences in table.items():
            assert set(sentences) <= set(CASES[id].expect[key])


def test_every_variant_of_the_file_is_known() -> None:
    assert [text for case in CASES.values() for text in variants(case)[1]] == []
    assert {id for id, _ in CHANGES} <= set(CASES)


def test_names_of_pods_come_from_the_template() -> None:
    entry = {"group": "g", "podTemplate": {"count": 2, "requests": {"cpu": 1}}}
    assert [name for name, _ in pods_of(entry)] == ["g-0", "g-1"]
    entry["podTemplate"] = {"names": ["x"], "count": 2}
    with pytest.raises(CaseError, match="1 names for 2 pods"):
        list(pods_of(entry))


def write(tmp_path: Path, change: Any) -> Path:
    body = copy.deepcopy(CASES["gang-running-members-count"].body)
    change(body)
    path = tmp_path / "one.yaml"
    path.write_text(yaml.safe_dump({"version": 1, "cases": [body]}))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda body: body.update(colour="red"), "gang-running-members-count: colour: unknown key"),
        (lambda body: body["cluster"].update(zones=[]), "cluster.zones: unknown key"),
        (lambda body: body["cluster"]["nodes"][1].update(gpu=1), r"nodes\[1\].gpu: unknown key"),
        (lambda body: body["expect"].update(place={}), "expect.place: unknown key"),
        (lambda body: body["pending"][0].update(minCount=[3]), "minCount: a text or a number"),
        (lambda body: body["pending"][0].update(podTemplate=3), "podTemplate: a mapping expected"),
        (lambda body: body.update(running={}), "running: a list expected"),
        (lambda body: body.pop("expect"), "expect: missing"),
    ],
)
def test_a_case_that_says_something_unknown_is_an_error(
    change: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(CaseError, match=message):
        read_cases(write(tmp_path, change))


def test_the_same_id_twice_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, lambda body: None)
    document = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({"version": 1, "cases": document["cases"] * 2}))
    with pytest.raises(CaseError, match="the same id twice"):
        read_cases(path)


def test_the_command_prints_a_line_a_case_and_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(FILE), "--only", "gang-running-members-count", "--verbose"]) == 0
    assert capsys.readouterr().out == "ok gang-running-members-count\n1 ok, 0 FAIL, 0 todo\n"


def test_the_command_ends_with_1_on_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, lambda body: body["expect"].update(placed={"train": 0}))
    assert main([str(path)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("FAIL gang-running-members-count: placed {'train': 0}, came")
    assert out[1] == "0 ok, 1 FAIL, 0 todo"


def test_the_command_refuses_a_file_or_a_name_it_does_not_know(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.yaml")]) == 1
    assert main([str(FILE), "--only", "nothing"]) == 1
    assert "no case nothing" in capsys.readouterr().err
