"""Forged devices in plan files: what a file names is confirmed exactly if brute force allows it."""

import copy
import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from gangplan.datasets.plan_claims import false_claims
from gangplan.datasets.plan_file import plan_document, result_of
from gangplan.models.errors import GangplanError, InputError
from gangplan.models.instance import Instance
from gangplan.models.verify.check import check
from gangplan.solvers.backends.highs import Highs
from gangplan.solvers.base import Limits
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.recheck import CONFIRMED, recheck
from tests.brute import allowed
from tests.fuzz.draw import draw_claiming

Document = dict[str, Any]
Entries = list[dict[str, Any]]

LIMITS = Limits(seconds=20)
FATES = {"confirmed", "false", "refused", "not confirmed"}
NAMES = ("driver", "pool", "device")


def lists_of(document: Document) -> list[Entries]:
    """Every list of devices that the file has: of a pod, and of all shared claims."""
    pods = [pod for group in document["groups"] for pod in group["pods"]]
    found: list[Entries] = [pod["claims"] for pod in pods if "claims" in pod]
    return found + ([document["shared_claims"]] if "shared_claims" in document else [])


def move_device(rng: Random, instance: Instance, entries: Entries, _: Document) -> None:
    """Name another device: of this node or another one, taken or free, fit or not."""
    driver, pool, device = rng.choice(instance.names.devices).split("/")
    rng.choice(entries).update(driver=driver, pool=pool, device=device)


def move_request(rng: Random, instance: Instance, entries: Entries, _: Document) -> None:
    """Claim another request, or a better or worse choice of the same one."""
    rng.choice(entries)["request"] = rng.choice(instance.names.choices)


def move_claim(rng: Random, instance: Instance, entries: Entries, _: Document) -> None:
    names = (*instance.names.own, *instance.names.shared)
    rng.choice(entries)["claim"] = rng.choice(names)


def drop(rng: Random, _: Instance, entries: Entries, __: Document) -> None:
    entries.remove(rng.choice(entries))


def double(rng: Random, _: Instance, entries: Entries, __: Document) -> None:
    entries.append(copy.deepcopy(rng.choice(entries)))


def swap(rng: Random, _: Instance, entries: Entries, document: Document) -> None:
    """Swap the devices of two entries, of whatever claims."""
    here, there = rng.choice(entries), rng.choice(rng.choice(lists_of(document)) or entries)
    for key in NAMES:
        here[key], there[key] = there[key], here[key]


def move_pod(rng: Random, instance: Instance, _: Entries, document: Document) -> None:
    """Put a pod on another node, with the devices it has."""
    pods = [pod for group in document["groups"] for pod in group["pods"]]
    rng.choice(pods)["node"] = rng.choice(instance.names.nodes)


def boast(_: Random, __: Instance, ___: Entries, document: Document) -> None:
    """Call the ranks one better than they are."""
    for tier in document["tiers"]:
        if tier["name"] == "rank":
            tier.update(value=tier["value"] - 1, bound=tier["value"] - 1)


def consume(rng: Random, _: Instance, entries: Entries, __: Document) -> None:
    rng.choice(entries)["consumed"] = {"memory": rng.randint(0, 3)}


FORGERIES = (
    move_device, move_device, move_device, move_request, move_claim, drop, double, swap, move_pod,
    boast, consume,
)  # fmt: skip


def fate(instance: Instance, document: Document) -> str:
    """Read, verify and re-check a file as ``gangplan verify --proof`` does."""
    try:
        result = result_of(document, instance, "p")
        wrong = check(instance, result.plan)
        assert bool(wrong) != allowed(instance, result.plan), [v.sentence for v in wrong]
        if wrong or false_claims(document, instance, "p"):
            return "false"
        found = recheck(instance, result, Highs(), LIMITS)
    except GangplanError as error:
        one_line = isinstance(error, InputError) and "\n" not in str(error)
        return "refused" if one_line else f"broke: {error}"
    return "confirmed" if all(one.verdict == CONFIRMED for one in found) else "not confirmed"


def attack(seed: int, times: int) -> Counter[str]:
    """Forge the devices of one plan file many times; what becomes of the files."""
    case, rng, count = draw_claiming(seed), Random(seed), Counter[str]()
    instance = case.instance()
    if not len(greedy_plan(instance, case.tiers(instance)).allocations.pod):
        return count
    weights = {int(p): w for p, w in case.weights.items()} or None
    planner = Exact(solver=Highs(), objective=case.objective, weights=weights)
    honest = json.loads(json.dumps(plan_document(instance, planner.plan(instance, LIMITS))))
    assert fate(instance, honest) == "confirmed"
    for _ in range(times):
        document = copy.deepcopy(honest)
        forge = rng.choice(FORGERIES)
        forge(rng, instance, rng.choice(lists_of(document)), document)
        count[fate(instance, document)] += document != honest
    return count


def test_forged_devices_are_confirmed_only_where_the_rules_allow_them() -> None:
    count = sum((attack(seed, 12) for seed in range(60)), Counter())
    assert set(count) <= FATES
    assert min(count["false"], count["refused"]) > 20, count
    assert count["confirmed"] > 3


@pytest.mark.slow
def test_forged_devices_are_confirmed_only_where_the_rules_allow_them_long() -> None:
    for seed in range(2000, 3500):
        assert set(attack(seed, 30)) <= FATES
