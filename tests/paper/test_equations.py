"""The equations of the paper are those of the docstrings, and docstrings say what is written."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gangplan.experiments.paper.build import KINDS
from gangplan.experiments.paper.equations import blocks_of, parse, typeset
from gangplan.models.errors import InputError
from gangplan.models.formulation import FAMILIES, Formulation
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.solvers.registry import formulation
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

PAPER = Path(__file__).parents[2] / "paper"
ON = Formulation()
SWITCHED = (ON, *(replace(ON, **{family: False}) for family in FAMILIES))


def everything() -> Instance:
    """Two blocks of two racks, an owner for every rule there is, and claims of every kind."""
    rack = [{"block": f"b{i // 2}", "rack": f"r{i}"} for i in range(4)]
    one, two = {"gpu": 1}, {"minimum": 2, "wanted": 2}
    instance = make_instance(
        nodes=[{"gpu": 2, **rack[i // 2], "shared": [1000, 500]} for i in range(8)],
        groups=[
            # Roles that vary, in a gang whose minimum they do not imply.
            {"minimum": 3, "roles": [{"wanted": 3, "minimum": 1, "request": one} for _ in "ab"]},
            # The same below a required level.
            {
                "minimum": 3,
                "roles": [{"wanted": 3, "minimum": 1, "request": one} for _ in "ab"],
                "rules": [("rack", "required")],
            },
            # More pods than a group without a minimum of its own may place; a preferred rack.
            {"kind": "basic", "wanted": 2, "request": one, "rules": [("rack", "preferred")]},
            {"kind": "basic", "wanted": 2, "request": one},
            # Slices, one of them begun by a running pod.
            {**two, "minimum": 1, "wanted": 3, "request": one, "running": [0],
             "rules": [("rack", "required", 2)]},
            {**two, "request": one, "rules": [("rack", "required", 2)]},
            {**two, "request": one, "rules": [("rack", "preferred")]},
            {**two, "request": one, "rules": [("rack", "preferred")], "running": [0]},
            # A tree with a rule around that of a child, a child that stands, and one to spare.
            {**two, "request": one, "parent": 0, "rules": [("rack", "required")]},
            {"request": one, "parent": 0},
            {"request": one, "parent": 0},
            {"wanted": 2, "request": one, "parent": 1, "running": [0]},
            {"request": one, "parent": 1},
            {"request": one, "parent": 1},
            # Parts of devices, and whole ones.
            {"share": 400, "devices": 1}, {"whole": 1, "devices": 1},
            # Roles 18 and on: pods with claims.
            *({"kind": "bare", "wanted": 3} for _ in range(CLAIMING)),
        ],
        composites=[{"minimum": 2, "rules": [("block", "required")]}, {"minimum": 2}],
    )  # fmt: skip
    return claims_of_every_kind(instance, len(instance.roles) - CLAIMING)


CLAIMING = 6


def claims_of_every_kind(instance: Instance, first: int) -> Instance:
    """Rules, ALL, adminAccess, ranks, counters, pots and a limit; roles ``first`` and on."""
    card = {"card": True, "root": "r0"}
    devices: list[dict[str, Any]] = [
        *({"node": n, **card, "draws": {"c": 2}} for n in (0, 0, 0, 1)),
        *({"node": 0, "card": True, "root": root} for root in ("r1", "r1", ["r0", "r1"])),
        *({"node": n, "part": True, "multi": True, "pots": {"memory": 5}, "draws": {"c": 2}}
          for n in (0, 1)),
        {"zone": [0, 1, 2], "fabric": True},
        {"zone": [2, 3], "fabric": True},
        {"node": 2, "fabric": True},
    ]  # fmt: skip
    every, many = ({"word": "card", "count": n, "name": str(n)} for n in ("all", 2))
    part = {"word": "part", "uses": {"memory": 2}}
    specs: list[dict[str, Any]] = [
        {"requests": [("a", every, many), ("b", "card")], "match": [("root", ["a/2", "b"])]},
        {"requests": [("a", many | {"name": ""})], "distinct": ["root"]},
        {"requests": [("a", {"word": "card", "admin": True}), ("b", part)]},
        {"requests": [("a", part | {"count": 2, "name": "x"}, part | {"count": 33, "name": "y"})]},
        {"requests": [("a", {"word": "fabric", "barred": [3]})]},
        {"requests": [("a", {"word": "fabric", "count": "all"})]},
    ]
    own = {first + s: [s] for s in range(4)}
    shared: list[dict[str, Any]] = [
        {"roles": [first + 4], "spec": 4, "limit": 2},
        {"roles": [first + 5], "spec": 5},
        {"roles": [first + 3], "nodes": [0, 1]},
    ]
    return with_devices(instance, devices, specs, own, shared, counters={"c": 5})


def making_room() -> Instance:
    """A full cluster: units of every kind, budgets, holdings, and room that is kept."""
    one, old = {"gpu": 1}, {"roles": [], "minimum": 1}
    instance = make_instance(
        nodes=[{"gpu": (0, 0, 0, 1, 1, 99)[n], "rack": f"r{n // 2}"} for n in range(6)],
        groups=[
            {"minimum": 2, "running": [0, 1, 2], "wanted": 1, "request": one},
            {"roles": [], "minimum": 2, "running": [0, 0, 0, 2, 2, 2],
             "rules": [("rack", "required", 2)]},
            *(old | {"running": [n, n + 1], "parent": 0} for n in (0, 2, 3)),
            *({"minimum": 2, "wanted": 2, "request": {"gpu": 2}, "priority": 5,
               "rules": [("rack", "required")]} for _ in range(2)),
            {"minimum": 2, "wanted": 2, "priority": 5, "rules": [("rack", "required")]},
            *({"kind": "bare", "wanted": 2, "request": one, "priority": 5} for _ in range(4)),
        ],
        composites=[{"minimum": 2}],
    )  # fmt: skip
    first = len(instance.roles) - 4
    instance = with_devices(
        instance,
        [{"node": 0, "card": True, "taken": True}],
        [{"requests": [("a", "card")]}],
        {first: [0]},
        [{"roles": [first + 1], "nodes": [0]}],
    )
    members = [
        (g, n)
        for g, row in enumerate([[0, 1, 2], [0, 0, 0, 2, 2, 2], [0, 1], [2, 3], [3, 4]])
        for n in row
    ]
    pods = [{"node": n, "group": g, "request": one} for g, n in members]
    return with_running(
        instance, pods,
        [{"pods": [0, 1, 2]}, {"pods": [0, 1, 2], "hard": True, "allowed": 1}],
        [{"users": [0, 1], "devices": [0], "shared": 0}],
        never=[len(instance.groups) - 2, len(instance.groups) - 1],
        reserved=[{"node": n, "priority": 5, "request": one} for n in (0, 4)],
    )  # fmt: skip


def racks() -> Instance:
    """Gangs that meet in racks, one of them with more than one size."""
    bound = {"request": {"gpu": 1}, "rules": [("rack", "required")]}
    return make_instance(
        nodes=[{"gpu": 2, "rack": f"r{n // 2}"} for n in range(4)],
        groups=[{"minimum": 2, "wanted": 3, **bound}, {"minimum": 2, "wanted": 2, **bound}],
    )


def slices_and_roles() -> Instance:
    """Roles that vary, slices whose size varies, places of both kinds."""
    rack = [{"rack": f"r{i}"} for i in range(3)]
    one = {"gpu": 1}
    varied = {"minimum": 4, "roles": [{"wanted": 3, "minimum": 1, "request": one} for _ in "ab"]}
    return make_instance(
        nodes=[{"gpu": 2, **rack[i // 2]} for i in range(6)],
        groups=[
            {**varied, "rules": [("rack", "required")]},
            {**varied, "rules": [("rack", "required", 2)]},
            {"minimum": 2, "wanted": 4, "request": one, "rules": [("rack", "required", 2)]},
        ],
    )


def rivals(gangs: int) -> Instance:
    """Gangs bound to one of three racks, full of units of each kind that floors and budgets guard.

    With fewer gangs than racks, who falls in a rack falls for one that is there.
    """
    one, old = {"gpu": 1}, {"roles": [], "minimum": 1}
    running = [[0, 1, 2, 3], [2, 4], [0, 5], [1]]
    instance = make_instance(
        nodes=[{"gpu": 0, "rack": f"r{n // 2}"} for n in range(6)],
        groups=[
            *(old | {"running": nodes} for nodes in running[:3]),
            # One that may lose its pod, or gain the other that it lacks; beside few gangs it waits
            # for nobody, so that every pod that waits is bound to a rack.
            {"minimum": 2, "running": running[3], **({"wanted": 2, "request": one} if gangs > 1
             else {"roles": []})},
            *({"minimum": 2, "wanted": 2, "request": one, "priority": 5,
               "rules": [("rack", "required")]} for _ in range(gangs)),
        ],
    )  # fmt: skip
    pods = [
        {"node": n, "group": g, "request": one, **({"unit": f"u{g}"} if g in (1, 2) else {})}
        for g, nodes in enumerate(running)
        for n in nodes
    ]
    guards: list[dict[str, Any]] = [
        {"pods": [0, 1, 2]},
        {"pods": [0, 1, 4], "hard": True, "allowed": 1},
    ]
    return with_running(instance, pods, guards)


OF_FAMILIES = ("counts", "assignment")
"""Formulations that are written family by family."""


def blocks_with_rows(kind: str) -> Iterator[Milp]:
    if kind not in OF_FAMILIES:
        some = [slices_and_roles(), *(rivals(gangs) for gangs in (1, 4))]
        for instance in some if kind == "patterns" else [racks()]:
            yield formulation(kind).write(instance).milp
        return
    for on in SWITCHED:
        yield formulation(kind).write(everything(), on).milp
    yield formulation(kind).write(making_room()).milp


@pytest.mark.parametrize("kind", OF_FAMILIES)
def test_every_family_has_a_block_of_equations(kind: str) -> None:
    families = [block.family for block in blocks_of(kind)]
    assert set(FAMILIES) <= set(families)
    labels = [block.label for block in blocks_of(kind)]
    assert set(FAMILIES) <= set(labels)
    assert len(labels) == len(set(labels))


@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_of_the_docstrings_are_the_rows_that_the_code_writes(kind: str) -> None:
    said = {row for block in blocks_of(kind) for row in block.rows}
    written = {
        name
        for milp in blocks_with_rows(kind)
        for name, (start, end) in milp.row_blocks.items()
        if end > start
    }
    assert said == written


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_is_stated_by_its_own_family_alone(kind: str) -> None:
    for block in blocks_of(kind):
        assert {row.split(".")[0] for row in block.rows} <= {block.family}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_typeset_names_every_row(kind: str) -> None:
    text = typeset(blocks_of(kind), kind)
    for block in blocks_of(kind):
        assert f"<{kind}:{block.label}>" in text
        assert all(f'"{row}"' in text for row in block.rows)
        assert len(block.equations) == sum(
            line.startswith("  ($") for line in typeset((block,)).splitlines()
        )


@pytest.mark.parametrize("kind", KINDS)
def test_the_paper_includes_the_blocks(kind: str) -> None:
    assert f'#include "generated/{kind}.typ"' in (PAPER / "gangplan.typ").read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_no_formula_is_left_as_text(kind: str) -> None:
    """Neither a relation in a note, nor a sum without an index, nor a single backtick."""
    text = typeset(blocks_of(kind))
    assert re.findall(r'.*(?:\\[<>`]|"sum").*', text) == []


def test_notes_and_names_are_told_from_the_formula() -> None:
    block = parse("a.rule", _DOCSTRING)
    assert block is not None
    assert (block.title, block.label, block.rows) == ("A rule", "rule", ("gang.one", "gang.two"))
    first, second, third = block.equations
    assert (first.maths, first.note, first.row) == ("x in {0, 1}", "for each k", "")
    assert (second.maths, second.note) == ("sum_k x[k] <= 1", "where it is long, and longer")
    assert (third.maths, third.row) == ("x[k] = 0", "gang.two")
    assert block.parts[0] == "Said before."
    assert block.parts[2] == "Said after."


_DOCSTRING = """A rule (paper, eq. rule).

Said before.

    x in {0, 1}        for each k
    sum_k x[k]  <=  1  where it is long,
                       and longer          (gang.one)
    x[k]  =  0         (gang.two)

Said after.
"""


def test_a_docstring_without_an_equation_is_no_block() -> None:
    assert parse("a.rule", "Costs of the tiers.\n\nNothing is shown.\n") is None


@pytest.mark.parametrize("title", ["A rule (paper, eq. rule): it rules.", "A (paper, eq. other)."])
def test_a_label_that_is_not_the_name_of_the_module_is_refused(title: str) -> None:
    with pytest.raises(InputError, match=r"ends in \(paper, eq. rule\)"):
        parse("a.rule", title)


def test_a_formulation_without_a_package_is_refused() -> None:
    with pytest.raises(InputError, match="no package"):
        blocks_of("nowhere")
