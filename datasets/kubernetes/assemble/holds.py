"""Why a unit may place nothing now: too few members, and hard rules that are not honoured."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from gangplan.datasets.kubernetes.assemble.devices.users import Users
from gangplan.datasets.kubernetes.assemble.membership import Unit
from gangplan.datasets.kubernetes.assemble.trees import Branch
from gangplan.datasets.kubernetes.order import full_name, natural
from gangplan.datasets.kubernetes.records import PodRecord

_NAMED = 5


def hold_short(unit: Unit) -> None:
    """Hold a gang whose minimum is above the members that are there."""
    there = len(unit.pending) + len(unit.running)
    if there >= unit.minimum:
        return
    reason = (
        f"needs {counted(unit.minimum, 'member')}, has {there}"
        f" ({len(unit.pending)} waiting, {len(unit.running)} running)"
    )
    if unit.gated:
        reason += f"; with scheduling gates, not counted: {named(unit.gated)}"
    if unit.leaving:
        reason += f"; terminating, not counted: {named(unit.leaving)}"
    if unit.foreign:
        reason += f"; of other schedulers, not counted: {named(unit.foreign)}"
    unit.held.append(reason)


def hold_claimless(unit: Unit, users: Users) -> None:
    """Hold a unit whose pods have claims that no allocation can serve, whatever is free."""
    uses = [users.of(pod, unit.record) for pod in unit.pending]
    unit.unsupported += sorted({path for use in uses for path in use.unsupported})
    problems = {problem for use in uses for problem in use.problems}
    if problems:
        unit.held.append(some(list(problems)))


def hold_starved(branches: Sequence[Branch], units: Sequence[Unit]) -> None:
    """Hold composites whose minimum is above the children that stand or may be admitted."""
    able = [0] * len(branches)
    standing = [0] * len(branches)
    held: list[list[str]] = [[] for _ in branches]

    def count(parent: int, name: str, waits: bool, stands: bool) -> None:
        if parent >= 0:
            standing[parent] += stands
            able[parent] += stands or not waits
            if waits and not stands:
                held[parent].append(name)

    for unit in units:
        count(unit.parent, unit.name, bool(unit.held), len(unit.running) >= unit.minimum)
    for h in range(len(branches) - 1, -1, -1):  # a child's number is above its parent's
        branch, least = branches[h], branches[h].record.minimum
        if not branch.held and able[h] < least:
            branch.held.append(
                f"needs {counted(least, 'group')}, {able[h]} can be admitted; held: {some(held[h])}"
            )
        count(branch.parent, branch.name, bool(branch.held), standing[h] >= least)


class Unsupported:
    """Holds what has a hard rule that is not honoured, or tells of it where that is overridden.

    Parameters
    ----------
    ignore : place such groups as if the rule were not there.
    """

    def __init__(self, ignore: bool) -> None:
        self._ignore = ignore
        self._where: dict[str, list[str]] = defaultdict(list)

    def hold(self, unit: Unit) -> None:
        """Hold a unit by its own fields, its PodGroup's and its waiting pods'."""
        if unit.pending:
            own = {path for pod in unit.pending for path in pod.unsupported}
            self._apply({*unit.unsupported, *own}, unit.name, unit.held)

    def hold_branch(self, branch: Branch) -> None:
        """Hold a composite."""
        self._apply(branch.record.unsupported, branch.name, branch.held)

    def notes(self) -> list[str]:
        """One sentence for each field that was ignored."""
        return [
            f"unsupported {path} is ignored in {some(names)}" for path, names in self._where.items()
        ]

    def _apply(self, paths: Iterable[str], name: str, held: list[str]) -> None:
        paths = sorted(set(paths))
        if self._ignore:
            for path in paths:
                self._where[path].append(name)
        elif paths:
            held.append(f"unsupported {', '.join(paths)}")


def counted(count: int, noun: str) -> str:
    """Say how many: ``1 pod``, ``2 pods``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def named(pods: Sequence[PodRecord]) -> str:
    """Name a few pods."""
    return some([full_name(pod) for pod in pods])


def some(names: Sequence[str]) -> str:
    """Name a few things, in natural order."""
    names = sorted(names, key=natural)
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
