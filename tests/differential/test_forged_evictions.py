"""Forged evictions in plan files: a file is confirmed only where all that it says is so.

Who falls, for whom, under which options of the planner, and what is lost of it: judged by brute
force over victims, by a reading of rule 9 of its own, and by the file that the true plan has.
"""

import copy
import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from gangplan.datasets.eviction_entries import FEWEST, KINDS, pods_of
from gangplan.datasets.plan_claims import false_claims
from gangplan.datasets.plan_file import plan_document, result_of
from gangplan.models.errors import GangplanError, InputError
from gangplan.models.instance import Instance
from gangplan.models.restrict import as_planned
from gangplan.models.result import Result
from gangplan.models.status import EVICTED
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.recheck import CONFIRMED, recheck
from tests import brute_preemption
from tests.differential.test_forged import boast, spoil, untrue
from tests.fuzz.case import Case
from tests.fuzz.draw import draw_running

Document = dict[str, Any]

LIMITS = Limits(seconds=20)
FATES = {"confirmed", "false", "refused", "not confirmed"}


def entry_of(instance: Instance, unit: int) -> Document:
    """Write an eviction as the file would, for nobody."""
    running = instance.running
    return {
        "unit": instance.names.units[unit],
        "kind": KINDS[int(running.kind[unit])],
        "priority": int(running.priority[unit]),
        "pods": pods_of(instance, unit),
        "for": [],
    }


def more(rng: Random, instance: Instance, document: Document) -> None:
    """Evict one more, for nobody or for whom another falls: lower, equal or higher ones."""
    extra = entry_of(instance, rng.randrange(len(instance.running)))
    if document["evictions"] and rng.random() < 0.7:
        extra["for"] = rng.choice(document["evictions"])["for"]
    document["evictions"].append(extra)


def other(rng: Random, instance: Instance, document: Document) -> None:
    """Evict another one instead."""
    fewer(rng, instance, document)
    more(rng, instance, document)


def fewer(rng: Random, _: Instance, document: Document) -> None:
    if document["evictions"]:
        document["evictions"].remove(rng.choice(document["evictions"]))


def nobody(_: Random, __: Instance, document: Document) -> None:
    document["evictions"] = []


def twice(rng: Random, _: Instance, document: Document) -> None:
    if document["evictions"]:
        document["evictions"].append(copy.deepcopy(rng.choice(document["evictions"])))


def renamed(rng: Random, instance: Instance, document: Document) -> None:
    """Give a unit the name, kind, pods or priority of another one, or of none."""
    if document["evictions"]:
        donor = entry_of(instance, rng.randrange(len(instance.running)))
        key = rng.choice(["unit", "kind", "pods", "priority"])
        lies = {"unit": "test/ghost", "kind": "rack", "pods": [], "priority": True}
        value = rng.choice([donor[key], lies[key], None, copy.deepcopy(document["evictions"])])
        rng.choice(document["evictions"])[key] = value


def for_whom(rng: Random, instance: Instance, document: Document) -> None:
    """Name other groups that a unit falls for: fewer, more, twice, none, unknown ones."""
    if document["evictions"]:
        entry = rng.choice(document["evictions"])
        names = [group["group"] for group in document["groups"]]
        some, said = rng.choice(names), entry["for"]
        said = said if isinstance(said, list) else []
        entry["for"] = rng.choice([
            [], [some], [*said, some], [*said, *said[:1]], said[1:], names, ["test/ghost"], some,
            None, [instance.names.units[0]], [", ".join(map(str, said or names))],
        ])  # fmt: skip


def status(rng: Random, _: Instance, document: Document) -> None:
    group = rng.choice(document["groups"])
    group["status"] = rng.choice([EVICTED, EVICTED, "running", "admitted", "pending", None])


def options(rng: Random, _: Instance, document: Document) -> None:
    """Say that the planner was told otherwise: budgets bind, nobody falls, another objective."""
    key, value = rng.choice([
        ("preemption", False), ("preemption", 0), ("preemption", "false"), ("preemption", True),
        ("pdb", "hard"), ("pdb", "hard"), ("pdb", "soft"), ("pdb", "HARD"), ("pdb", None),
        ("objective", "weighted-gpus"), ("objective", "gpus"), ("objective", "age"),
    ])  # fmt: skip
    document["planner"][key] = value
    if rng.random() < 0.5:
        document["tiers"] = [t for t in document["tiers"] if not t["name"].startswith("lost-")]
        document["certificates"] = []


def losses(rng: Random, _: Instance, document: Document) -> None:
    """Move the value or the bound of what is lost, or what a proof holds it to."""
    lost = [i for i, t in enumerate(document["tiers"]) if t["name"].startswith("lost-")]
    if not lost:
        return
    i = rng.choice(lost)
    by = rng.choice([-2, -1, 1, 2])
    for key in rng.choice([("value",), ("bound",), ("value", "bound")]):
        document["tiers"][i][key] = (document["tiers"][i][key] or 0) + by
    for certificate in document["certificates"]:
        if certificate["tier"] == document["tiers"][i]["name"]:
            certificate["bound"] = document["tiers"][i]["bound"]
    held = [c for c in document["certificates"] if len(c.get("held", [])) > i]
    if held and rng.random() < 0.7:
        certificate = rng.choice(held)
        certificate["held"][i] += by


def off(rng: Random, _: Instance, document: Document) -> None:
    """Prove by a model without some family."""
    if document["certificates"]:
        family = rng.choice(["preemption", "capacity", "elastic"])
        rng.choice(document["certificates"])["off"] = [family]
        document["planner"].setdefault("formulation", {})[family] = False


def policy(rng: Random, _: Instance, document: Document) -> None:
    document["policy"] = rng.choice(["elastic first", "", None, 1, ["fewest victims first"]])


def unplaced(rng: Random, _: Instance, document: Document) -> None:
    """Take away the pods that somebody falls for."""
    groups = [group for group in document["groups"] if group["pods"]]
    if groups:
        group = rng.choice(groups)
        group["pods"] = rng.choice([[], group["pods"][1:]])
        group["status"] = rng.choice([group["status"], "pending"])


FORGERIES = (
    more, other, fewer, nobody, twice, renamed, for_whom, for_whom, status, options, options,
    losses, losses, off, policy, unplaced,
)  # fmt: skip


def fate(instance: Instance, document: Document) -> tuple[str, Result | None]:
    """Read, verify and re-check a file as ``gangplan verify --proof`` does."""
    try:
        result = result_of(document, instance, "p")
        claims = false_claims(document, instance, "p")
        planned = as_planned(instance, result.planner)
        if claims or check(planned if len(planned.running) else instance, result.plan):
            return "false", None
        found = recheck(instance, result, Highs(), LIMITS)
    except GangplanError as error:
        one_line = isinstance(error, InputError) and "\n" not in str(error)
        return "refused" if one_line else f"broke: {error}", None
    if any(one.verdict != CONFIRMED for one in found):
        return "not confirmed", None
    return "confirmed", result


def lies(instance: Instance, case: Case, document: Document, result: Result) -> list[str]:
    """List what a confirmed file says and must not."""
    true = json.loads(json.dumps(plan_document(instance, result)))
    planned = as_planned(instance, result.planner)
    said = untrue(instance, case, document, result)
    if _by_unit(document.get("evictions", [])) != _by_unit(true["evictions"]):
        said.append("the evictions are not those of the plan")
    if document.get("policy") not in (None, FEWEST):
        said.append("another policy than the planner's")
    if type(document["planner"].get("preemption", True)) is not bool:
        said.append("preemption is neither on nor off")
    if len(result.plan.evicted) and not len(planned.running):
        said.append("evictions of a planner that was to evict nobody")
    if len(planned.running) and not brute_preemption.allowed(planned, result.plan):
        said.append("brute force does not allow the plan")
    return said


def _by_unit(entries: list[Document]) -> list[str]:
    """Evictions as texts, in any order of units, pods and groups."""
    return sorted(
        json.dumps({**e, "pods": sorted(e["pods"]), "for": sorted(set(e["for"]))}, sort_keys=True)
        for e in entries
    )


def attack(seed: int, times: int) -> Counter[str]:
    """Forge one plan file that evicts somebody many times; what becomes of the files."""
    case, rng, count = draw_running(seed), Random(seed), Counter[str]()
    instance = case.instance()
    planner = Exact(solver=Highs(), objective=case.objective)
    honest = json.loads(json.dumps(plan_document(instance, planner.plan(instance, LIMITS))))
    if not honest["evictions"] and seed % 10:
        return count
    assert fate(instance, honest)[0] == "confirmed"
    for n in range(times):
        document = copy.deepcopy(honest)
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            rng.choice(FORGERIES)(rng, instance, document)
        if rng.random() < 0.2 and document["tiers"]:
            (boast if rng.random() < 0.5 else spoil)(rng, document)
        what, result = fate(instance, document)
        count[what] += document != honest
        assert what in FATES, f"seed {seed}, file {n}: {what}"
        if result is not None:
            told = lies(instance, case, document, result)
            assert told == [], f"seed {seed}, file {n}: {told}"
    return count


def test_forged_evictions_are_confirmed_only_where_all_that_is_said_is_so() -> None:
    count = sum((attack(seed, 20) for seed in range(24)), Counter())
    assert min(count["false"], count["refused"]) > 30, count
    assert count["confirmed"] > 0, count


@pytest.mark.slow
def test_forged_evictions_are_confirmed_only_where_all_that_is_said_is_so_long() -> None:
    for seed in range(3000, 4000):
        attack(seed, 40)
