"""Every family bites: off, the optimum changes, and the verifier names exactly that family."""

from dataclasses import fields, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest

from gangplan.models.formulation import FAMILIES, WHOLE, Formulation, Kind
from gangplan.models.instance import Instance
from gangplan.models.tiers import tiers_of
from gangplan.models.verify.check import CHECKS, check
from tests.models.kinds import EVERY_KIND
from tests.models.solve import best_plan, optimum, written
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

GPU8 = {"gpu": 8}

Bite = tuple[dict[str, Any], int, int]

BITES: dict[str, Bite] = {
    # family: (instance, groups admitted with every family on, and with this one off)
    "assign": (
        {"nodes": [GPU8, {"gpu": 0}], "groups": [{"request": {"gpu": 8}, "eligible": [1]}]},
        0,
        1,
    ),
    "capacity": (
        {"nodes": [GPU8], "groups": [{"minimum": 2, "wanted": 2, "request": {"gpu": 8}}]},
        0,
        1,
    ),
    "gang": (
        {"nodes": [GPU8], "groups": [{"minimum": 2, "wanted": 2, "request": {"gpu": 8}}]},
        0,
        1,
    ),
    "topology": (
        {
            "nodes": [GPU8 | {"rack": "r0"}, GPU8 | {"rack": "r1"}],
            "groups": [
                {
                    "minimum": 2,
                    "wanted": 2,
                    "request": {"gpu": 8},
                    "rules": [("rack", "required")],
                }
            ],
        },
        0,
        1,
    ),
    "hierarchy": (
        {
            "nodes": [GPU8],
            "groups": [{"request": {"gpu": 8}, "parent": 0}, {"request": {"gpu": 8}, "parent": 0}],
            "composites": [{"minimum": 2}],
        },
        0,
        1,
    ),
    "shares": (
        {
            "nodes": [{"shared": [700]}],
            "groups": [{"share": 400}, {"share": 400}],
            "device_unit": 1000,
        },
        1,
        2,
    ),
    "claims": (
        {
            "nodes": [GPU8],
            "groups": [{"request": {"gpu": 1}}, {"request": {"gpu": 1}}],
            "devices": [{"node": 0, "card": True}],
            "specs": [{"requests": [("r", "card")]}],
            "own": {0: [0], 1: [0]},
        },
        1,
        2,
    ),
}

CLAIMING = ("devices", "specs", "own")


def instance_of(arguments: dict[str, Any]) -> Instance:
    """Make an instance, with devices where there are any."""
    instance = make_instance(**{k: v for k, v in arguments.items() if k not in CLAIMING})
    if "devices" not in arguments:
        return instance
    return with_devices(instance, *(arguments[key] for key in CLAIMING))


def off(family: str) -> Formulation:
    return replace(Formulation(), **{family: False})


@EVERY_KIND
@pytest.mark.parametrize("family", BITES)
def test_a_restriction_that_is_off_admits_more_and_the_verifier_names_it(
    family: str, kind: Kind
) -> None:
    arguments, on_value, off_value = BITES[family]
    instance = instance_of(arguments)
    tiers = tiers_of(instance)
    plan, have = best_plan(instance, tiers, kind=kind)
    assert have[0] == on_value
    assert not check(instance, plan)
    plan, have = best_plan(instance, tiers, off(family), kind)
    assert have[0] == off_value
    assert {violation.family for violation in check(instance, plan)} == {family}


@EVERY_KIND
def test_slices_off_with_their_family_break_a_slice(kind: Kind) -> None:
    instance = make_instance(
        nodes=[{"gpu": 1, "rack": "r0"}, {"gpu": 1, "rack": "r1"}],
        groups=[
            {"minimum": 2, "wanted": 2, "request": {"gpu": 1}, "rules": [("rack", "required", 2)]}
        ],
    )
    tiers = tiers_of(instance)
    assert best_plan(instance, tiers, kind=kind)[1][0] == 0
    plan, have = best_plan(instance, tiers, off("topology"), kind)
    assert have[0] == 1
    assert {violation.family for violation in check(instance, plan)} == {"topology"}


@EVERY_KIND
def test_elastic_off_takes_the_pods_beyond_the_minimum_away(kind: Kind) -> None:
    instance = make_instance(
        nodes=[GPU8],
        groups=[
            {"minimum": 1, "wanted": 3, "request": {"gpu": 1}},
            {"minimum": 1, "wanted": 2, "request": {"gpu": 1}, "running": [0]},
            {"kind": "basic", "wanted": 2, "request": {"gpu": 1}},
        ],
    )
    names = [tier.name for tier in tiers_of(instance)]
    plan, have = best_plan(instance, tiers_of(instance), kind=kind)
    assert dict(zip(names, have, strict=True))["elastic(0)"] == 4
    plan, have = best_plan(instance, tiers_of(instance), off("elastic"), kind)
    assert dict(zip(names, have, strict=True))["elastic(0)"] == 0
    assert plan.placed_per_role(instance).tolist() == [1, 0, 2]
    assert not check(instance, plan)


@EVERY_KIND
def test_preemption_off_lets_nobody_fall(kind: Kind) -> None:
    full = make_instance([{"gpu": 0}], [{"minimum": 1, "priority": 9, "request": GPU8}])
    instance = with_running(full, [{"node": 0, "request": GPU8}])
    tiers = tiers_of(instance)
    plan, have = best_plan(instance, tiers, kind=kind)
    assert (plan.node.tolist(), plan.evicted.tolist()) == ([0], [0])
    assert not check(instance, plan)
    plan, less = best_plan(instance, tiers, off("preemption"), kind)
    assert (plan.node.tolist(), plan.evicted.tolist()) == ([-1], [])
    assert less[0] < have[0]


@EVERY_KIND
@pytest.mark.parametrize(("family", "cost"), [("rank", 1), ("preferred", 1), ("fragmentation", 2)])
def test_a_cost_family_that_is_off_makes_its_tier_free(family: str, cost: int, kind: Kind) -> None:
    instance = make_instance(
        nodes=[GPU8 | {"rack": "r0"}, GPU8 | {"rack": "r1"}],
        groups=[
            {"minimum": 2, "wanted": 2, "request": {"gpu": 8}, "rules": [("rack", "preferred")]}
        ],
    )
    if family == "rank":
        two, one = ({"word": "card", "count": n, "name": f"of-{n}"} for n in (2, 1))
        cards = [{"node": n, "card": True} for n in (0, 0, 1)]
        instance = with_devices(instance, cards, [{"requests": [("r", two, one)]}], {0: [0]})
    tier = next(t for t in tiers_of(instance) if t.kind == family)
    assert forced_cost(instance, WHOLE, family, kind) == cost
    assert forced_cost(instance, off(family), family, kind) == 0
    assert not kind.write(instance, off(family)).tier_cost(tier)[0].any()


def forced_cost(instance: Instance, formulation: Formulation, family: str, kind: Kind) -> float:
    """Least cost of the family's tier with the first group admitted."""
    model = kind.write(instance, formulation)
    tier = next(t for t in tiers_of(instance) if t.kind == family)
    lower = model.milp.lower.copy()
    lower[model.milp.col_blocks["y"][0]] = 1
    cost, _ = model.tier_cost(tier)
    milp = replace(model.milp, lower=lower).with_cost(cost)
    return float(cost @ optimum(milp))


def test_the_families_are_those_of_the_verifier() -> None:
    assert set(FAMILIES) == set(CHECKS)
    freedoms, costs = {"elastic", "preemption"}, {"rank", "preferred", "fragmentation"}
    assert {*BITES} | freedoms | costs == set(FAMILIES)
    assert tuple(field.name for field in fields(Formulation)) == FAMILIES


@EVERY_KIND
def test_row_names_are_stated_in_the_docstring_of_their_file(kind: Kind) -> None:
    package = import_module(f"gangplan.models.{kind.name}")
    modules = [f"{package.__name__}.{module.name}" for module in iter_modules(package.__path__)]
    said = " ".join(import_module(module).__doc__ or "" for module in modules)
    seen: set[str] = set()
    for arguments, _, _ in BITES.values():
        for formulation in (WHOLE, off("elastic"), off("hierarchy")):
            seen |= set(kind.write(instance_of(arguments), formulation).milp.row_blocks)
    assert {"capacity.fits", "gang.role", "hierarchy.needed", "shares.device"} <= seen
    assert all(f"({name})" in said for name in seen)


@EVERY_KIND
def test_everything_off_still_decodes_to_every_pod_placed(kind: Kind) -> None:
    arguments, _, _ = BITES["hierarchy"]
    instance = instance_of(arguments)
    nothing = Formulation(**dict.fromkeys(FAMILIES, False))
    plan, _ = best_plan(instance, tiers_of(instance), nothing, kind)
    assert (plan.node >= 0).all()
    assert "capacity.fits" not in written(kind.write(instance, nothing).milp)


@EVERY_KIND
def test_an_empty_instance_is_an_empty_model(kind: Kind) -> None:
    model = kind.write(make_instance(nodes=[], groups=[]))
    assert model.milp.n_cols == 0
    assert model.milp.n_rows == 0
    nodes_only = kind.write(make_instance(nodes=[GPU8], groups=[]))
    assert nodes_only.milp.n_cols == 0
    pods_only = kind.write(make_instance(nodes=[], groups=[{"request": {"gpu": 1}}]))
    assert np.array_equal(pods_only.milp.upper, [0.0])
