"""Trees of composite pod groups: order, and what is wrong with a tree (KEP-6012).

A tree whose parent is missing, that is a cycle, deeper than four levels (composites and leaf
groups), of several Workloads or of mixed priorities waits as a whole and says why.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from gangplan.datasets.kubernetes.assemble.membership import Unit
from gangplan.datasets.kubernetes.assemble.priorities import Priorities
from gangplan.datasets.kubernetes.order import natural
from gangplan.datasets.kubernetes.records import DEEPEST, CompositeRecord


@dataclass(slots=True)
class Branch:
    """A composite in the making; a parent's number is below its children's.

    Attributes
    ----------
    parent : number of the branch above it; -1 for a root, and where the parent cannot be used.
    root : number of the root of its tree.
    depth : 1 for a root.
    held : reasons why nothing below it may be placed.
    """

    name: str
    record: CompositeRecord
    parent: int
    root: int
    depth: int
    priority: int
    held: list[str] = field(default_factory=list)


def plant(
    records: Sequence[CompositeRecord], units: Sequence[Unit], priorities: Priorities
) -> list[Branch]:
    """Order the composites, hang the units below them, and hold trees that are wrong."""
    branches = _ordered(records, priorities)
    number = {(branch.record.namespace, branch.record.name): h for h, branch in enumerate(branches)}
    for unit in units:
        above = unit.record.parent if unit.record is not None else ""
        if not above:
            continue
        unit.parent = number.get((unit.namespace, above), -1)
        if unit.parent < 0:
            unit.held.append(f"CompositePodGroup {unit.namespace}/{above} does not exist")
    _check_trees(branches, units)
    _check_children(branches, units)
    return branches


def spread(branches: Sequence[Branch], units: Sequence[Unit]) -> None:
    """Hold everything below a held composite."""
    for branch in branches:
        if branch.parent >= 0 and branches[branch.parent].held and not branch.held:
            branch.held.append(_below(branches[branch.parent]))
    for unit in units:
        if unit.parent >= 0 and branches[unit.parent].held:
            unit.held.append(_below(branches[unit.parent]))


def _below(parent: Branch) -> str:
    text = parent.held[0]
    # The first cause is told once, however deep the tree.
    return (
        text
        if text.startswith("CompositePodGroup ")
        else f"CompositePodGroup {parent.name}: {text}"
    )


def _ordered(records: Sequence[CompositeRecord], priorities: Priorities) -> list[Branch]:
    """Parents before children, by depth and name; a cycle's composites become held roots."""
    of = {(record.namespace, record.name): record for record in records}
    above: dict[tuple[str, str], tuple[str, str] | None] = {}
    held: dict[tuple[str, str], str] = {}
    for key, record in of.items():
        parent = (record.namespace, record.parent)
        above[key] = parent if record.parent and parent in of else None
        if record.parent and parent not in of:
            held[key] = f"its parent CompositePodGroup {'/'.join(parent)} does not exist"
    for key, ring in _cycles(above).items():
        above[key] = None
        held[key] = f"a cycle of parents: {ring}"
    depth: dict[tuple[str, str], int] = {}
    for key in of:
        path = [key]
        while path[-1] not in depth and (parent_key := above[path[-1]]) is not None:
            path.append(parent_key)
        base = depth.get(path[-1], 1)
        for step, passed in enumerate(reversed(path)):
            depth[passed] = base + step
    keys = sorted(of, key=lambda key: (depth[key], natural(key[0]), natural(key[1])))
    number = {key: h for h, key in enumerate(keys)}
    branches: list[Branch] = []
    for h, key in enumerate(keys):
        parent_of = above[key]
        parent_number = -1 if parent_of is None else number[parent_of]
        root = h if parent_number < 0 else branches[parent_number].root
        priority = priorities.of_composite(of[key])
        branch = Branch("/".join(key), of[key], parent_number, root, depth[key], priority)
        if key in held:
            branch.held.append(held[key])
        branches.append(branch)
    return branches


def _cycles(
    above: dict[tuple[str, str], tuple[str, str] | None],
) -> dict[tuple[str, str], str]:
    """Every composite on a cycle, with the cycle in words."""
    done: set[tuple[str, str]] = set()
    found: dict[tuple[str, str], str] = {}
    for start in above:
        path: list[tuple[str, str]] = []
        seen: set[tuple[str, str]] = set()
        key: tuple[str, str] | None = start
        while key is not None and key not in done and key not in seen:
            seen.add(key)
            path.append(key)
            key = above[key]
        if key is not None and key in seen:
            ring = path[path.index(key) :]
            first = ring.index(min(ring))
            ring = ring[first:] + ring[:first]
            words = " -> ".join("/".join(one) for one in (*ring, ring[0]))
            found.update(dict.fromkeys(ring, words))
        done |= seen
    return found


def _check_trees(branches: list[Branch], units: Sequence[Unit]) -> None:
    """Depth, Workloads and priorities of each tree; the root is held."""
    depth: dict[int, int] = defaultdict(int)
    workloads: dict[int, set[str]] = defaultdict(set)
    priorities: dict[int, set[int]] = defaultdict(set)
    for branch in branches:
        depth[branch.root] = max(depth[branch.root], branch.depth)
        workloads[branch.root].add(branch.record.workload)
        priorities[branch.root].add(branch.priority)
    for unit in units:
        if unit.parent >= 0 and unit.record is not None:
            root = branches[unit.parent].root
            depth[root] = max(depth[root], branches[unit.parent].depth + 1)
            workloads[root].add(unit.record.workload)
            priorities[root].add(unit.priority)
    for root, levels in depth.items():
        held = branches[root].held
        if levels > DEEPEST:
            held.append(f"the tree is {levels} levels deep, {DEEPEST} are allowed")
        names = sorted(workloads[root] - {""}, key=natural)
        if len(names) > 1:
            held.append(f"the tree is of several Workloads: {', '.join(names)}")
        if len(priorities[root]) > 1:
            numbers = ", ".join(str(number) for number in sorted(priorities[root]))
            held.append(f"the tree has mixed priorities: {numbers}")


def _check_children(branches: list[Branch], units: Sequence[Unit]) -> None:
    children: dict[int, int] = defaultdict(int)
    for above in [branch.parent for branch in branches] + [unit.parent for unit in units]:
        children[above] += 1
    for h, branch in enumerate(branches):
        if not branch.held and children[h] < branch.record.minimum:
            branch.held.append(f"needs {branch.record.minimum} groups, has {children[h]}")
