"""Whatever the instance and the style, a greedy plan keeps every rule."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gangplan.models.columns import Roles
from gangplan.models.instance import Instance
from gangplan.models.tiers import better, tiers_of, values
from gangplan.models.verify.check import check
from gangplan.solvers.planners.greedy import greedy_plan
from gangplan.solvers.planners.greedy.attempt import run
from gangplan.solvers.planners.greedy.book import book_of
from gangplan.solvers.planners.greedy.orders import units_of
from gangplan.solvers.planners.greedy.style import Style
from tests.brute import best
from tests.solvers.planners.styles import STYLES
from tests.strategies import instances

OBJECTIVES = st.sampled_from(["groups", "gpus", "age"])


@settings(max_examples=300)
@given(instances(), STYLES, OBJECTIVES)
def test_a_run_in_any_style_keeps_every_rule(
    instance: Instance, style: Style, objective: str
) -> None:
    book = book_of(instance)
    plan, _ = run(book, units_of(book, tiers_of(instance, objective)), style)
    assert check(instance, plan) == ()


@settings(max_examples=100)
@given(instances(), STYLES, st.booleans())
def test_repacked_domains_keep_every_rule(instance: Instance, style: Style, by_rank: bool) -> None:
    book = book_of(instance)
    units = units_of(book, tiers_of(instance))
    plan, _ = run(book, units, style, repack=(by_rank, float("inf")))
    assert check(instance, plan) == ()


@settings(max_examples=60)
@given(instances(max_nodes=12, max_pods=40, effort=10**12), STYLES)
def test_a_run_on_more_pods_keeps_every_rule(instance: Instance, style: Style) -> None:
    book = book_of(instance)
    plan, _ = run(book, units_of(book, tiers_of(instance)), style)
    assert check(instance, plan) == ()


@settings(max_examples=60)
@given(instances(), OBJECTIVES)
def test_a_greedy_plan_is_never_better_than_the_best(instance: Instance, objective: str) -> None:
    tiers = tiers_of(instance, objective)
    plan = greedy_plan(instance, tiers)
    assert check(instance, plan) == ()
    assert not better(tiers, values(instance, plan, tiers), best(instance, tiers))


@settings(max_examples=60)
@given(instances(), st.randoms(use_true_random=False))
def test_a_plan_of_permuted_nodes_and_groups_keeps_every_rule(
    instance: Instance, chance: Any
) -> None:
    nodes, groups = list(range(len(instance.nodes))), list(range(len(instance.groups)))
    chance.shuffle(nodes)
    chance.shuffle(groups)
    other = permuted(instance, np.array(nodes), np.array(groups))
    assert check(other, greedy_plan(other, tiers_of(other))) == ()


def permuted(instance: Instance, nodes: Any, groups: Any) -> Instance:
    """Write the same cluster and the same groups down in another order."""
    to_node, to_group = np.argsort(nodes), np.argsort(groups)
    roles, rules, names = instance.roles, instance.rules, instance.names
    order = np.argsort(to_group[roles.group], kind="stable")
    moved = {f.name: getattr(roles, f.name)[order] for f in fields(Roles)}
    devices = np.argsort(to_node[instance.shared.node], kind="stable")
    n = len(groups)
    own = rules.owner < n
    pods = np.split(np.arange(instance.n_pods), instance.pod_start[1:-1])
    return replace(
        instance,
        nodes=_taken(instance.nodes, nodes),
        topology=replace(instance.topology, domain=instance.topology.domain[:, nodes]),
        roles=replace(roles, **(moved | {"group": to_group[moved["group"]]})),
        groups=_taken(instance.groups, groups),
        rules=replace(
            rules, owner=np.where(own, to_group[np.where(own, rules.owner, 0)], rules.owner)
        ),
        shared=replace(
            instance.shared,
            node=to_node[instance.shared.node][devices],
            free=instance.shared.free[devices],
        ),
        names=replace(
            names,
            nodes=tuple(names.nodes[i] for i in nodes),
            groups=tuple(names.groups[i] for i in groups),
            held=tuple(names.held[i] for i in groups),
            roles=tuple(names.roles[k] for k in order),
            pods=tuple(names.pods[p] for k in order for p in pods[k]),
        ),
    )


def _taken(section: Any, order: Any) -> Any:
    """Reorder every column of a section."""
    return replace(section, **{f.name: getattr(section, f.name)[order] for f in fields(section)})
