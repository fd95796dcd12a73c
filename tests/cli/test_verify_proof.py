"""``gangplan verify --proof``: exit code 0 where everything holds, 3 where something is refuted."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gangplan import api
from gangplan.cli import codes, main
from gangplan.datasets.io import write_instance
from gangplan.models.instance import Instance
from gangplan.solvers import registry
from gangplan.solvers.recheck import CONFIRMED, NOT_SETTLED, Recheck
from tests.proofs import searched
from tests.tiny import make_instance

Captured = pytest.CaptureFixture[str]

SEARCHED = searched({"request": {"gpu": 5, "cpu": 2}})
"""The fifth gang cannot be placed."""

DUAL = make_instance(
    nodes=[{"gpu": 6, "cpu": 5}, {"gpu": 5, "cpu": 6}],
    groups=[
        {"request": {"gpu": g, "cpu": c}, "wanted": 2, "minimum": 1}
        for g, c in [(1, 3), (3, 1), (3, 3), (1, 1)]
    ],
)
"""The duals prove the last tier, fragmentation."""


def planned(instance: Instance, folder: Path, capsys: Captured) -> tuple[str, str]:
    source, plan = str(folder / "cluster.json"), str(folder / "plan.json")
    write_instance(instance, source)
    assert main(["plan", source, "-o", plan]) == codes.GOOD
    capsys.readouterr()
    return source, plan


def edit(plan: str, change: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads(Path(plan).read_text())
    change(document)
    Path(plan).write_text(json.dumps(document))


def test_every_claim_is_confirmed(tmp_path: Path, capsys: Captured) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)
    assert main(["verify", source, "--plan", plan, "--proof"]) == codes.GOOD
    said = capsys.readouterr()
    assert said.err == ""
    assert "keeps every rule" in said.out
    assert "every claim is confirmed (" in said.out
    assert "by a second search's word" in said.out
    named = [line.split()[:2] for line in said.out.splitlines()]
    assert ["test/g4", CONFIRMED] in named


def test_a_solver_can_be_chosen(tmp_path: Path, capsys: Captured) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)
    args = ["verify", source, "--plan", plan, "--proof", "--solver", "highs", "--json"]
    assert main(args) == codes.GOOD
    proofs = json.loads(capsys.readouterr().out)["proofs"]
    assert {proof["verdict"] for proof in proofs} == {CONFIRMED}
    assert "highs (second way, other seed)" in {proof["how"] for proof in proofs}


def set_multipliers(document: dict[str, Any], words: str) -> None:
    for certificate in document["certificates"]:
        if certificate["kind"] == "lp-dual":
            certificate["multipliers"] = words


@pytest.mark.parametrize(
    "change",
    [
        lambda d: set_multipliers(d, "0:1"),
        lambda d: set_multipliers(d, "999999:1"),
        lambda d: [c.update(digest="f" * 64) for c in d["certificates"]],
        lambda d: [c.update(bound=c["bound"] + 1) for c in d["certificates"]],
        lambda d: [c.update(kind="search") for c in d["certificates"]],
    ],
)
def test_a_tampered_certificate_is_refuted(
    change: Callable[[dict[str, Any]], object], tmp_path: Path, capsys: Captured
) -> None:
    source, plan = planned(DUAL, tmp_path, capsys)
    edit(plan, change)
    args = ["verify", source, "--plan", plan]
    assert main(args) == codes.GOOD
    assert main([*args, "--proof"]) == codes.VERIFICATION_FAILED
    assert "refuted" in capsys.readouterr().err


def test_a_worse_plan_that_is_called_optimal_is_refuted(tmp_path: Path, capsys: Captured) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)

    def boast(document: dict[str, Any]) -> None:
        for group in document["groups"]:
            group.update(pods=[], status="pending")
        for tier in document["tiers"]:
            tier.update(value=0, bound=0, proof="search", proven=True)
        for certificate in document["certificates"]:
            certificate.update(
                bound=0, kind="search", formulation="counts", solvers=[{"name": "gurobi"}]
            )
            certificate["held"] = [0] * len(certificate.get("held", []))

    edit(plan, boast)
    assert main(["verify", source, "--plan", plan]) == codes.GOOD
    assert main(["verify", source, "--plan", plan, "--proof"]) == codes.VERIFICATION_FAILED
    said = capsys.readouterr()
    assert "refuted" in said.err


def test_a_plan_file_without_certificates_is_searched_again_and_not_proven(
    tmp_path: Path, capsys: Captured
) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)
    edit(plan, lambda document: document.pop("certificates"))
    args = ["verify", source, "--plan", plan, "--proof", "--json"]
    assert main(args) == codes.NOTHING_PLANNED
    said = capsys.readouterr()
    proofs = json.loads(said.out)["proofs"]
    assert any("not proven: no certificate stored; searched" in one["sentence"] for one in proofs)
    assert "claims not settled, none refuted" in said.err


def strip(document: dict[str, Any]) -> None:
    """Take every bound away, and what it rests on."""
    document.update(stop="feasible", certificates=[])
    for tier in document["tiers"]:
        tier.update(bound=None, proof="", proven=False, given=False)
    for group in document["groups"]:
        group["reason"] = None


def test_a_plan_without_any_bound_is_not_proven(tmp_path: Path, capsys: Captured) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)
    edit(plan, strip)
    assert main(["verify", source, "--plan", plan, "--proof"]) == codes.NOTHING_PLANNED
    assert capsys.readouterr().err == f"{plan}: not proven: no bound is claimed\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda d, text: d.update(stop=text),
        lambda d, text: d["groups"][0].update(status=text),
        lambda d, text: d["tiers"][0].update(name=text),
        lambda d, text: d["certificates"].append({"tier": text, "kind": text, "bound": 1}),
        lambda d, text: d["planner"].update(objective=text),
    ],
)
def test_what_a_file_says_cannot_pass_for_what_is_found(
    change: Callable[[dict[str, Any], str], object], tmp_path: Path, capsys: Captured
) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)
    edit(
        plan,
        lambda document: change(document, "\x1b[2J\ud800x\nplan.json: every claim is confirmed"),
    )
    args = ["verify", source, "--plan", plan, "--proof"]
    assert main(args) in (codes.USAGE, codes.VERIFICATION_FAILED)
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err
    assert not [line for line in said.out.splitlines() if line.startswith("plan.json: every")]


def test_tiers_that_stay_open_are_named(tmp_path: Path, capsys: Captured) -> None:
    source, plan = str(tmp_path / "cluster.json"), str(tmp_path / "plan.json")
    write_instance(SEARCHED, source)
    assert main(["plan", source, "-o", plan, "--planner", "greedy"]) == codes.GOOD
    capsys.readouterr()
    assert main(["verify", source, "--plan", plan, "--proof"]) == codes.GOOD
    assert "; not proven: admitted(0), " in capsys.readouterr().out


def test_a_search_without_time_is_not_settled(tmp_path: Path, capsys: Captured) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)
    args = ["verify", source, "--plan", plan, "--proof", "--time-limit", "0.001"]
    assert main(args) == codes.NOTHING_PLANNED
    said = capsys.readouterr()
    assert NOT_SETTLED in said.out
    assert "not settled, none refuted" in said.err


def test_a_false_cannot_be_placed_is_refuted(tmp_path: Path, capsys: Captured) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)

    def lie(document: dict[str, Any]) -> None:
        waits = [group for group in document["groups"] if group["status"] == "pending"]
        waits[0]["reason"] = "cannot be placed: too dull"

    edit(plan, lie)
    assert main(["verify", source, "--plan", plan, "--proof"]) == codes.VERIFICATION_FAILED


def test_a_broken_plan_proves_nothing(tmp_path: Path, capsys: Captured) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)
    edit(plan, lambda document: document["tiers"][0].update(value=9))
    args = ["verify", source, "--plan", plan, "--proof", "--json"]
    assert main(args) == codes.VERIFICATION_FAILED
    assert json.loads(capsys.readouterr().out)["proofs"] == []


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--solver", "highs"], "error: --solver: only with --proof"),
        (["--time-limit", "3"], "error: --time-limit: only with --proof"),
        (["--proof", "--time-limit", "0"], "error: --time-limit: seconds, a number above 0"),
        (["--proof", "--solver", "oracle"], "error: solver oracle: no solver of this name"),
    ],
)
def test_options_are_checked_in_one_line(
    args: list[str], said: str, tmp_path: Path, capsys: Captured
) -> None:
    source = str(tmp_path / "cluster.json")
    write_instance(SEARCHED, source)
    assert main(["verify", source, "--plan", "none.json", *args]) == codes.USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(said)


@pytest.mark.parametrize("command", ["plan", "verify"])
def test_a_backend_that_is_not_installed_is_one_line(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    source, plan = planned(SEARCHED, tmp_path, capsys)
    gone = registry.BuiltIn("gangplan.no.such", "Scip", "no-such-library", "MIT")
    monkeypatch.setitem(registry.BACKENDS, "scip", gone)
    more = [] if command == "plan" else ["--plan", plan, "--proof"]
    assert main([command, source, *more, "--solver", "scip"]) == codes.USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "error: solver scip: not available: no-such-library is not installed"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(certificates=7), "certificates: a list of objects expected"),
        (lambda d: d["certificates"][0].update(bound="2"), "certificates[0].bound: an integer"),
        (lambda d: d["certificates"][0].update(held=[1.5]), "certificates[0].held: a list of int"),
        (lambda d: set_multipliers(d, "1:x"), ".multipliers: words row:value expected"),
        (lambda d: set_multipliers(d, "1:" + "9" * 5000), ".multipliers: words row:value expected"),
        (lambda d: d["certificates"][0].update(off=[1]), "certificates[0].off: a list of names"),
        (lambda d: d["certificates"][0].update(solvers=["x"]), "certificates[0].solvers: a list"),
        (lambda d: d["certificates"][0].update(kind=[]), "certificates[0].kind: a text expected"),
        (
            lambda d: d["certificates"].append(d["certificates"][0]),
            "certificates: two certificates of one tier",
        ),
    ],
)
def test_a_certificate_that_cannot_be_read_is_one_line(
    change: Callable[[dict[str, Any]], object], said: str, tmp_path: Path, capsys: Captured
) -> None:
    source, plan = planned(DUAL, tmp_path, capsys)
    edit(plan, change)
    assert main(["verify", source, "--plan", plan, "--proof"]) == codes.USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_the_library_reads_the_plan_file_itself(tmp_path: Path, capsys: Captured) -> None:
    _, plan = planned(SEARCHED, tmp_path, capsys)
    found = api.recheck(SEARCHED, plan, "highs")
    assert {one.verdict for one in found} == {CONFIRMED}
    assert all(isinstance(one, Recheck) for one in found)
