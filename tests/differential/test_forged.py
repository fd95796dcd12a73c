"""Forged plan files: whatever is changed in one, no false claim is confirmed, and nothing crashes.

A file that is confirmed must say of its plan what its placements say, and nothing of its bounds
that brute force belies.
"""

import copy
import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from gangplan.datasets.plan_claims import false_claims
from gangplan.datasets.plan_file import plan_document, result_of
from gangplan.models.errors import GangplanError
from gangplan.models.instance import Instance
from gangplan.models.restrict import as_planned
from gangplan.models.result import Result
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.held import signed
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import CONFIRMED, recheck
from tests import brute, brute_preemption
from tests.fuzz.case import Case
from tests.fuzz.draw import draw

Document = dict[str, Any]
Path = tuple[str | int, ...]

LIMITS = Limits(seconds=20)

ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**40, 2**53 + 1, 2**63, 2**80, -(2**80), 10**400, 0.5, 1.0,
    float("nan"), "", "0", "true", "counting", "lp-dual", "search", "search x2", "counts", "magic",
    [], [1], {}, ["elastic"], ["capacity", "gang"], "cannot be placed: a lie", "no plan starts it",
)  # fmt: skip


def paths(node: object, at: Path = ()) -> Iterator[Path]:
    if at:
        yield at
    keys = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    for key in keys:
        yield from paths(node[key], (*at, key))  # type: ignore[index]  # a dict or a list


def spoil(rng: Random, document: Document) -> None:
    """Change, drop, double or swap one thing that a claim is made of."""
    claims = ("tiers", "certificates", "groups", "stop", "planner")
    part = rng.choice(claims[:3] + claims)
    chosen = rng.choice([path for path in paths(document) if path[0] == part] or [("stop",)])
    inner: Any = document
    for key in chosen[:-1]:
        inner = inner[key]
    last, value = chosen[-1], inner[chosen[-1]]
    others: list[Any] = [*ODD]
    if isinstance(value, bool):
        others = [not value, int(value), str(value)]
    elif isinstance(value, int):
        others += [value + 1, value - 1, -value, str(value)] * 5
    elif last == "multipliers" and value:
        row, _, y = value.split()[0].partition(":")
        others = [f"{row}:{n} {value}" for n in (y, 0, 2**40, 2**80, "1e9")]
        others += [value.replace(f"{row}:{y}", f"{row}:{n}") for n in (-int(y), int(y) + 1, 0)]
    elif isinstance(value, list) and value:
        others += [value[1:], [*value, value[0]], value[::-1]] * 5
    inner[last] = copy.deepcopy(rng.choice(others))
    if isinstance(inner, dict) and rng.random() < 0.1:
        del inner[last]


def boast(rng: Random, document: Document) -> None:
    """Move a bound, in the report and in what it rests on alike, and call it proven if it fits."""
    i = rng.randrange(len(document["tiers"]))
    tier = document["tiers"][i]
    tier["bound"] = tier["value"] + rng.choice([-2, -1, 0, 1, 2])
    tier["proof"] = rng.choice(["counting", "lp-dual", "search", tier["proof"]])
    tier["proven"] = tier["bound"] == tier["value"]
    for certificate in document["certificates"]:
        if certificate["tier"] == tier["name"]:
            certificate.update(bound=tier["bound"], kind=tier["proof"])
            certificate.setdefault("solvers", [{"name": "gurobi"}])
    if not tier["proven"]:
        document["stop"] = "feasible"
        for below in document["tiers"][i + 1 :]:
            below.update(proven=False, given=rng.random() < 0.8)


def untrue(instance: Instance, case: Case, document: Document, result: Result) -> list[str]:
    """List what a confirmed file says and must not."""
    said = []
    true = json.loads(json.dumps(plan_document(instance, result)))
    defaults = {"maximise": False, "proven": False, "given": False, "proof": ""}
    if [defaults | tier for tier in document["tiers"]] != true["tiers"]:
        said.append("a report was read as another one")
    listed, placed = (
        sorted((g["group"], g["status"], sorted(p["pod"] for p in g["pods"])) for g in groups)
        for groups in (document["groups"], true["groups"])
    )
    if listed != placed:
        said.append("the groups are not those of the plan")
    planned = as_planned(instance, result.planner)
    tiers = case.tiers(planned)
    best = (brute_preemption if len(planned.running) else brute).best(planned, tiers)
    for tier, report, optimum in zip(tiers, result.tiers, best, strict=True):
        if report.bound is not None and signed(tier, report.bound) > signed(tier, optimum):
            said.append(f"{tier.name}: the bound is {report.bound}, the optimum {optimum}")
        if report.value != optimum:
            said += [f"{tier.name}: {report.value} is proven, {optimum} is best"] * report.proven
            break  # the bounds below hold for plans with these values only
    return said


def fate(instance: Instance, document: Document) -> tuple[str, Result | None]:
    """Read, verify and re-check a file as ``gangplan verify --proof`` does."""
    try:
        result = result_of(document, instance, "p")
        if check(instance, result.plan) or false_claims(document, instance, "p"):
            return "false", None
        found = recheck(instance, result, Highs(), LIMITS)
    except GangplanError as error:
        return "refused" if "\n" not in str(error) else f"refused in many lines: {error}", None
    if any(one.verdict != CONFIRMED for one in found):
        return "not confirmed", None
    return "confirmed", result


def attack(seed: int, times: int) -> Counter[str]:
    """Forge the plan file of one case many times; what becomes of the files."""
    case, rng = draw(seed), Random(seed)
    instance = case.instance()
    weights = {int(p): w for p, w in case.weights.items()} or None
    planner = Exact(solver=Highs(), objective=case.objective, weights=weights)
    honest = json.loads(json.dumps(plan_document(instance, planner.plan(instance, LIMITS))))
    assert fate(instance, honest)[0] == "confirmed"
    count: Counter[str] = Counter()
    for n in range(times):
        document = copy.deepcopy(honest)
        boast(rng, document) if rng.random() < 0.35 else spoil(rng, document)
        what, result = fate(instance, document)
        count[what] += 1
        if result is not None:
            assert untrue(instance, case, document, result) == [], f"seed {seed}, file {n}"
    return count


def test_no_forged_plan_file_is_confirmed() -> None:
    count = sum((attack(seed, 20) for seed in range(24)), Counter())
    assert set(count) == {"confirmed", "false", "refused", "not confirmed"}
    assert min(count.values()) > 20


@pytest.mark.slow
def test_no_forged_plan_file_is_confirmed_long() -> None:
    for seed in range(1000, 1600):
        attack(seed, 30)
