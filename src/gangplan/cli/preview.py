"""What evictions buy: the plan beside one in which nobody is evicted."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.console import Console

from gangplan.cli.tables import show_table
from gangplan.datasets.group_entries import group_entries
from gangplan.models.instance import Instance
from gangplan.models.restrict import as_planned
from gangplan.models.result import Result
from gangplan.models.status import EVICTED
from gangplan.models.tiers import value
from gangplan.models.verify.results import objective_of

HEAD = ("with", "without")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two plans, as a table and as JSON show it.

    Attributes
    ----------
    tiers : name -> value and whether it is proven, of the plan with evictions.
    groups : name -> status, new pods, pods evicted.
    """

    tiers: dict[str, tuple[int, bool]]
    groups: dict[str, tuple[str, int, int]]


def sides(instance: Instance, result: Result, without: Result) -> tuple[Side, Side]:
    """Put both plans into the words of the first one's objective."""
    tiers = objective_of(instance, result.planner)
    found = []
    for one in (result, without):
        proven = {report.name: report.proven for report in one.tiers}
        # What is lost is no tier where nobody can be evicted: it is 0, and that is sure.
        values = {
            tier.name: (value(instance, one.plan, tier), proven.get(tier.name, True))
            for tier in tiers
        }
        found.append(Side(values, _groups(instance, one)))
    return found[0], found[1]


def _groups(instance: Instance, result: Result) -> dict[str, tuple[str, int, int]]:
    running = instance.running
    lost = running.pod_group[running.falling(result.plan.evicted)]
    fallen = np.bincount(lost[lost >= 0], minlength=len(instance.groups)).tolist()
    evicted = dict(zip(instance.names.groups, fallen, strict=True))
    groups = {}
    for entry in group_entries(instance, result):
        name, pods = str(entry["group"]), entry["pods"]
        n = len(pods) if isinstance(pods, list) else 0
        groups[name] = (str(entry["status"]), n, evicted.get(name, 0))
    return groups


def preview_entry(instance: Instance, result: Result, without: Result) -> dict[str, object]:
    """Return what ``--json`` says under ``preview``."""
    left, right = sides(instance, result, without)

    def group(one: tuple[str, int, int]) -> dict[str, object]:
        return dict(zip(("status", "pods", "evicted"), one, strict=True))

    return {
        "tiers": [
            {
                "name": name,
                **{
                    word: {"value": side.tiers[name][0], "proven": side.tiers[name][1]}
                    for word, side in zip(HEAD, (left, right), strict=True)
                },
            }
            for name in left.tiers
        ],
        "groups": [
            {"group": name, "with": group(left.groups[name]), "without": group(right.groups[name])}
            for name in _differing(left, right)
        ],
        "warnings": list(without.warnings),
    }


def show_preview(
    out: Console, instance: Instance, result: Result, without: Result, rows: int
) -> None:
    """Print both side by side: values of tiers, then the groups that fare differently."""
    left, right = sides(instance, result, without)
    out.print("\nWith evictions, and without:")
    tiers = [
        (name, _value(left.tiers[name]), _value(right.tiers[name]), _better(name, left, right))
        for name in list(left.tiers)[:rows]
    ]
    show_table(out, ("tier", *HEAD, ""), tiers, numbers=HEAD)
    differing = _differing(left, right)
    table = [
        (name, _fares(left.groups[name]), _fares(right.groups[name])) for name in differing[:rows]
    ]
    if table:
        out.print()
        show_table(out, ("group", *HEAD), table)
    if len(differing) > rows:
        out.print(f"... and {len(differing) - rows} groups more")
    if not differing:
        out.print("no group fares differently")


def _differing(left: Side, right: Side) -> list[str]:
    return [name for name in left.groups if left.groups[name] != right.groups[name]]


def _value(one: tuple[int, bool]) -> str:
    return f"{one[0]}{'' if one[1] else ' (open)'}"


def _better(name: str, left: Side, right: Side) -> str:
    return "" if left.tiers[name][0] == right.tiers[name][0] else "differs"


def _fares(one: tuple[str, int, int]) -> str:
    status, pods, evicted = one
    gone = "" if status == EVICTED else " evicted"
    parts = [f"{pods} new"] * (pods > 0) + [f"{evicted}{gone}"] * (evicted > 0)
    return f"{status} ({', '.join(parts)})" if parts else status


Again = Callable[[], Result]
"""Plans once more, nobody evicted."""


def without_evictions(instance: Instance, result: Result, again: Again) -> Result:
    """Return the plan without evictions; the same where nobody can be evicted anyway."""
    return again() if len(as_planned(instance, result.planner).running) else result
