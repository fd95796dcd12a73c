"""Whatever is broken in a manifest: an instance, or an InputError; never anything else."""

import random
from copy import deepcopy
from typing import Any

import pytest

from gangplan.models.errors import InputError
from tests.datasets.kubernetes.cluster import objects
from tests.datasets.kubernetes.objects import instance

JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    3,
    2**31,
    2**70,
    "",
    "x",
    "a/b",
    "-5",
    "1e400",
    "9" * 5000,
    "\ud800",
    "2026-13-01T00:00:00Z",
    [],
    [None],
    [{}],
    ["x"],
    {},
    {"x": "y"},
    {"": None},
    {"name": "t"},
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything inside a tree of mappings and lists."""
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += places(inner, (*path, index))
    return found


def mutate(tree: list[Any], rng: random.Random) -> None:
    # Kind and version decide who reads an object; broken ones have tests of their own.
    *above, last = rng.choice([p for p in places(tree) if len(p) > 2])
    holder: Any = tree
    for key in above:
        holder = holder[key]
    other = rng.choice([p for p in places(tree) if len(p) > 1])
    action = rng.randrange(5)
    if action == 0:
        del holder[last]
    elif action == 1:
        value: Any = tree
        for key in other:
            value = value[key]
        holder[last] = deepcopy(value)
    elif action == 2 and isinstance(holder, dict):
        holder[f"{last}x"] = holder.pop(last)
    elif action == 3 and isinstance(holder, list):
        holder.append(holder[last])
    else:
        holder[last] = rng.choice(JUNK)


@pytest.mark.parametrize("seed", range(12))
def test_only_input_errors_come_out(seed: int) -> None:
    rng = random.Random(seed)
    fine = 0
    for _ in range(60):
        tree = objects()
        for _ in range(rng.choice((1, 1, 2, 4))):
            mutate(tree, rng)
        try:
            instance(*tree, kubernetes=rng.choice(("1.36", "1.37")))
            fine += 1
        except InputError as error:
            lines = [str(fault) for fault in error.faults]
            if not all(line.isprintable() for line in lines):
                pytest.fail(f"a fault that breaks its line: {lines}")
    assert 0 < fine < 60
