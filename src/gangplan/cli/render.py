"""A result as tables: groups, victims, tiers, and the sentence that sums it up."""

import numpy as np
from rich.console import Console

from gangplan.cli.claimed import claimed
from gangplan.cli.tables import console, show_table
from gangplan.cli.victims import show_victims
from gangplan.cli.where import where
from gangplan.models.columns import BARE, GANG
from gangplan.models.gone import LOSES
from gangplan.models.instance import Instance
from gangplan.models.marks import ELASTIC, marks
from gangplan.models.result import SEARCH, Result, TierReport
from gangplan.models.status import ADMITTED, EVICTED, PENDING, statuses
from gangplan.models.victims import losing_roots, victims_of

ROWS = 40
"""Rows of each status printed; the others are counted."""

UNITS = {
    "admitted": "groups or pods",
    "admitted-pods": "pods",
    "admitted-age": "groups x minutes",
    "elastic": "pods",
    "preferred": "domains",
    "fragmentation": "nodes",
    "rank": "later choices",
    "lost-budgets": "pods beyond PDBs",
    "lost-pods": "pods",
}
"""What the value of a tier counts; ``admitted`` counts pods where they start one by one."""


def show_plan(
    instance: Instance, result: Result, seconds: float, *, on_stderr: bool = False
) -> None:
    """Print the tables of a plan."""
    out = console(on_stderr)
    status = _statuses(instance, result)
    if _show_groups(out, instance, result, status):
        out.print()
    if show_victims(out, instance, result.plan, ROWS):
        out.print()
    if _show_tiers(out, instance, result):
        out.print()
    if chosen := _chosen(result):
        out.print(chosen, soft_wrap=True)
    for line in (f"{_counts(instance, result, status)} ({seconds:.1f} s)", verdict(result.tiers)):
        out.print(line, soft_wrap=True)


def _chosen(result: Result) -> str:
    """Say which planner and formulation were chosen, and why; empty where nobody chose."""
    auto = result.planner.get("auto")
    if not isinstance(auto, dict):
        return ""
    return f"planner: {auto['planner']} with {auto['formulation']} ({auto['why']})"


def verdict(tiers: tuple[TierReport, ...]) -> str:
    """Say in one sentence how good the plan is known to be."""
    open_tiers = [tier for tier in tiers if not tier.proven]
    if not open_tiers:
        alone = sum(tier.proof == SEARCH for tier in tiers)
        word = f", {alone} of {len(tiers)} by one solver's word" if alone else ""
        return f"optimal: no better plan exists (every tier is proven{word})"
    first = open_tiers[0]
    known = f"{len(tiers) - len(open_tiers)} of {len(tiers)} tiers are proven"
    if first.bound is None:
        return f"not proven optimal: {known}; {first.name} is {first.value}, without a bound"
    limit = "at most" if first.maximise else "at least"
    return (
        f"not proven optimal: {known}; {first.name} is {first.value}, "
        f"{limit} {first.bound} is possible (gap {100 * (first.gap or 0):.3g} %)"
    )


def _statuses(instance: Instance, result: Result) -> list[str]:
    """(G,) as in the plan file, but a group of single pods some of which wait is ``partly``."""
    placed = result.plan.placed_per_group(instance)
    wanted = np.bincount(
        instance.roles.group, weights=instance.roles.wanted, minlength=len(instance.groups)
    )
    loose = instance.groups.kind != GANG
    partly = loose & (placed > 0) & (placed < wanted)
    return [
        "partly" if part else status
        for status, part in zip(statuses(instance, result.plan), partly.tolist(), strict=True)
    ]


def _show_groups(out: Console, instance: Instance, result: Result, status: list[str]) -> int:
    """Print the groups; return how many there are to show."""
    order = np.lexsort((np.arange(len(status)), -instance.groups.priority)).tolist()
    shown: dict[str, int] = {}
    chosen = []
    pods = _pods(instance, result)
    order = [g for g in order if pods[g][2] or status[g] == PENDING]
    for g in order:
        shown[status[g]] = shown.get(status[g], 0) + 1
        if shown[status[g]] <= ROWS:
            chosen.append(g)
    if chosen:
        rows = [
            (
                _name(instance, g, pods[g][2]),
                str(int(instance.groups.priority[g])),
                status[g],
                f"{pods[g][0]}/{pods[g][2]}",
                str(pods[g][1] or ""),
                _where_or_why(instance, result, g, status[g], pods[g][2] - pods[g][0]),
            )
            for g in chosen
        ]
        head = ("group", "priority", "status", "pods", "elastic", "where, or why it waits")
        show_table(out, head, rows, numbers=("priority", "pods", "elastic"))
    if len(chosen) < len(order):
        out.print(f"... and {len(order) - len(chosen)} groups more (-o FILE writes them all)")
    return len(order)


def _pods(instance: Instance, result: Result) -> list[tuple[int, int, int]]:
    """(G,) new pods, elastic ones among them, and pods that waited."""
    group = instance.roles.group[instance.pod_role]
    n = len(instance.groups)
    elastic = group[marks(instance, result.plan) == ELASTIC]
    columns = (
        result.plan.placed_per_group(instance),
        np.bincount(elastic, minlength=n),
        np.bincount(group, minlength=n),
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _name(instance: Instance, group: int, wanted: int) -> str:
    name = instance.names.groups[group]
    if int(instance.groups.kind[group]) != BARE:
        return name
    return name if wanted == 1 else f"{name} (x{wanted})"


def _where_or_why(
    instance: Instance, result: Result, group: int, status: str, waiting: int
) -> tuple[str, ...]:
    """Say where, and why not all of it; then the devices of its claims, a line a request."""
    place = where(instance, result.plan, group)
    devices = claimed(instance, result.plan, group)
    reason = result.reasons.get(group) or instance.names.held[group]
    if status == PENDING:
        return (reason,)
    if len(result.plan.evicted) and not place:
        # It may gain no pod in the plan in which it loses some.
        reason = _loses(instance, result, group) or reason
    if status != "partly" and not reason and waiting:
        reason = _beyond(result.tiers, int(instance.groups.priority[group]), waiting)
    said = "; ".join(part for part in (place, reason) if part)
    return (said, *devices) if said else tuple(devices)


def _loses(instance: Instance, result: Result, group: int) -> str:
    roots = losing_roots(instance, result.plan.evicted)
    return LOSES if roots[victims_of(instance).root[group]] else ""


def _beyond(tiers: tuple[TierReport, ...], priority: int, waiting: int) -> str:
    """Say how many pods beyond the minimum wait, and whether their tier is proven."""
    said = f"{waiting} more than the minimum {'waits' if waiting == 1 else 'wait'}"
    for tier in tiers:
        if tier.name == f"elastic({priority})":
            return f"{said} ({tier.name} is {'proven' if tier.proven else 'not proven'})"
    return said


def _show_tiers(out: Console, instance: Instance, result: Result) -> int:
    """Print the tiers; return how many there are."""
    rows = [
        (
            tier.name,
            str(tier.value),
            "" if tier.bound is None else str(tier.bound),
            _unit(tier.name, instance.device_unit),
            "proven" if tier.proven else "open",
            _proof(tier),
        )
        for tier in result.tiers[: 2 * ROWS]
    ]
    if rows:
        head = ("tier", "value", "bound", "counts", "", "proof")
        show_table(out, head, rows, numbers=("value", "bound"))
    if len(result.tiers) > len(rows):
        out.print(f"... and {len(result.tiers) - len(rows)} tiers more (-o FILE writes them all)")
    return len(result.tiers)


def _unit(tier: str, device_unit: int) -> str:
    """Return what the value of a tier counts."""
    name = tier.partition("(")[0]
    more = {"admitted-gpus": "", "lost-gpus": "", "weighted-gpus": " x weight"}
    more["lost-hours"] = " x hours"
    if name in more:
        gpus = "GPUs" if device_unit == 1 else f"GPUs/{device_unit}"
        return gpus + more[name]
    return UNITS.get(name, "")


def _proof(tier: TierReport) -> str:
    if tier.bound is None:
        return "no bound"
    return f"{tier.proof}, given the values above" if tier.given else tier.proof


def _counts(instance: Instance, result: Result, status: list[str]) -> str:
    loose = (instance.groups.kind == BARE).tolist()
    parts = []
    for what in (ADMITTED, "partly", "running", EVICTED, PENDING):
        n = sum(s == what and not bare for s, bare in zip(status, loose, strict=True))
        if n:
            parts.append(f"{n} {what}")
    told = f"groups: {', '.join(parts) or 'none'}"
    group = instance.roles.group[instance.pod_role]
    bare = np.array(loose, dtype=bool)[group] if len(group) else np.zeros(0, dtype=bool)
    if bare.any():
        told += (
            f"; single pods: {int((result.plan.node[bare] >= 0).sum())} of {int(bare.sum())} placed"
        )
    placed = int((result.plan.node >= 0).sum())
    return f"{told}\n{placed} of {instance.n_pods} waiting pods get a node"
