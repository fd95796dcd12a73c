import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gangplan.cli import codes, main
from gangplan.datasets.io import write_instance
from tests.cli.test_plan import cluster
from tests.tiny import make_instance

Captured = pytest.CaptureFixture[str]
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def planned(tmp_path: Path, capsys: Captured) -> tuple[str, str]:
    source, plan = str(tmp_path / "cluster.json"), str(tmp_path / "plan.json")
    write_instance(cluster(), source)
    assert main(["plan", source, "--planner", "greedy", "-o", plan]) == codes.GOOD
    capsys.readouterr()
    return source, plan


def edit(plan: str, change: Change) -> None:
    document = json.loads(Path(plan).read_text())
    change(document)
    Path(plan).write_text(json.dumps(document))


def test_a_good_plan_is_good(planned: tuple[str, str], capsys: Captured) -> None:
    source, plan = planned
    assert main(["verify", source, "--plan", plan]) == codes.GOOD
    said = capsys.readouterr()
    assert said.out.startswith(f"{plan}: keeps every rule (")
    assert said.err == ""


def test_every_violation_is_a_sentence(planned: tuple[str, str], capsys: Captured) -> None:
    source, plan = planned
    node = json.loads(Path(plan).read_text())["groups"][0]["pods"][0]["node"]

    def pile_up(document: dict[str, Any]) -> None:
        for pod in document["groups"][0]["pods"]:
            pod["node"] = node

    edit(plan, pile_up)
    assert main(["verify", source, "--plan", plan]) == codes.VERIFICATION_FAILED
    said = capsys.readouterr()
    assert node in said.out
    assert all(" " in line for line in said.out.splitlines())
    assert "wrong" in said.err


def test_a_gang_cut_in_half_is_found(planned: tuple[str, str], capsys: Captured) -> None:
    source, plan = planned
    edit(
        plan, lambda document: document["groups"][0].update(pods=document["groups"][0]["pods"][:1])
    )
    assert main(["verify", source, "--plan", plan, "--json"]) == codes.VERIFICATION_FAILED
    document = json.loads(capsys.readouterr().out)
    assert {"gang"} <= {violation["family"] for violation in document["violations"]}
    assert all(violation["sentence"] for violation in document["violations"])


def test_a_false_value_is_found(planned: tuple[str, str], capsys: Captured) -> None:
    source, plan = planned
    edit(plan, lambda document: document["tiers"][0].update(value=7))
    assert main(["verify", source, "--plan", plan]) == codes.VERIFICATION_FAILED
    assert "tier admitted(10): reported 7, the plan has 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"bound": 9, "proven": True}, "proven, but value 1 and bound 9 differ"),
        ({"bound": None, "proven": True}, "proven, but value 1 and bound None differ"),
        ({"proof": "magic"}, "admitted(10): bound 1 with proof 'magic'"),
        ({"maximise": False}, "the tiers listed are not those of the planner's objective"),
    ],
)
def test_a_proof_that_the_file_does_not_bear_out_is_found(
    planned: tuple[str, str], change: dict[str, Any], said: str, capsys: Captured
) -> None:
    source, plan = planned
    edit(plan, lambda document: document["tiers"][0].update(change))
    assert main(["verify", source, "--plan", plan]) == codes.VERIFICATION_FAILED
    assert said in capsys.readouterr().out


def test_proven_below_an_open_tier_is_found(planned: tuple[str, str], capsys: Captured) -> None:
    source, plan = planned

    def claim(document: dict[str, Any]) -> None:
        for tier in document["tiers"]:
            tier.update(bound=tier["value"], proven=True)
        document["tiers"][0].update(proven=False)
        document.update(stop="feasible")

    edit(plan, claim)
    assert main(["verify", source, "--plan", plan]) == codes.VERIFICATION_FAILED
    assert "proven, but an earlier tier is not" in capsys.readouterr().out


def test_an_unknown_stop_is_found(planned: tuple[str, str], capsys: Captured) -> None:
    source, plan = planned
    edit(plan, lambda document: document.update(stop="perfect"))
    assert main(["verify", source, "--plan", plan]) == codes.VERIFICATION_FAILED
    assert "stop: optimal or feasible expected, not perfect" in capsys.readouterr().out


def test_another_cluster_is_an_input_error(
    planned: tuple[str, str], tmp_path: Path, capsys: Captured
) -> None:
    other = str(tmp_path / "other.json")
    write_instance(make_instance(nodes=[{"gpu": 8}], groups=[]), other)
    assert main(["verify", other, "--plan", planned[1]]) == codes.USAGE
    assert "this plan was made for another instance" in capsys.readouterr().err


def test_a_source_is_no_plan(planned: tuple[str, str], capsys: Captured) -> None:
    assert main(["verify", planned[0], "--plan", planned[0]]) == codes.USAGE
    assert "schema: gangplan/plan/v1 expected" in capsys.readouterr().err
