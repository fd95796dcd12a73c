"""Who is evicted, for whom, and what is lost with them."""

import numpy as np
from rich.console import Console

from gangplan.cli.hostlist import hostlist
from gangplan.cli.tables import show_table
from gangplan.datasets.eviction_entries import Entry, eviction_entries
from gangplan.models.arrays import Ints
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.running import UNKNOWN

HEAD = ("evicted", "falls as", "priority", "pods", "GPUs", "ran", "for")


def show_victims(out: Console, instance: Instance, plan: Plan, rows: int) -> int:
    """Print the units that fall, up to ``rows`` of them, and what is lost; return how many."""
    units = plan.evicted
    if not len(units):
        return 0
    entries = eviction_entries(instance, plan)
    order = np.lexsort((np.arange(len(units)), -instance.running.priority[units])).tolist()
    table = [_row(instance, int(units[i]), entries[i]) for i in order[:rows]]
    show_table(out, HEAD, table, numbers=("priority", "pods", "GPUs", "ran"))
    if len(units) > rows:
        more = len(units) - rows
        said = f"... and {more} eviction{'s' * (more > 1)} more (-o FILE writes them all)"
        out.print(said)
    out.print(lost(instance, plan), soft_wrap=True)
    return len(units)


def lost(instance: Instance, plan: Plan) -> str:
    """Say in one line what is lost: pods, GPUs, GPU-hours where known, budgets touched."""
    running = instance.running
    falls = np.flatnonzero(running.falling(plan.evicted))
    devices, minutes = running.pod_devices[falls], running.pod_minutes[falls]
    told = [f"{len(falls)} pod{'s' * (len(falls) != 1)}", f"{_gpus(instance, devices)} GPUs"]
    known = minutes != UNKNOWN
    if known.any():
        spent = sum(
            d * m for d, m in zip(devices[known].tolist(), minutes[known].tolist(), strict=True)
        )
        hours = f"{spent / instance.device_unit / 60:.1f} GPU-hours"
        some = f" (of the {int(known.sum())} with a known start)" * (not known.all())
        told.append(hours + some)
    touched = budgets(instance, plan)
    rest = f"; PDBs touched: {', '.join(touched)}" if touched else ""
    return f"lost: {', '.join(told)}{rest}"


def budgets(instance: Instance, plan: Plan) -> list[str]:
    """PodDisruptionBudgets with victims, with what they allow."""
    running = instance.running
    falls = running.falling(plan.evicted)
    hit = running.match_budget[falls[running.match_pod]]
    victims = np.bincount(hit, minlength=len(running.budget_allowed)).tolist()
    return [
        f"{name} ({n} of {int(running.budget_allowed[b])} allowed)"
        for b, (name, n) in enumerate(zip(instance.names.budgets, victims, strict=True))
        if n
    ]


def _row(instance: Instance, unit: int, entry: Entry) -> tuple[str, ...]:
    pods = instance.running.pods_of(unit)
    mine = slice(pods.start, pods.stop)
    names = entry["for"]
    assert isinstance(names, list)
    return (
        str(entry["unit"]),
        str(entry["kind"]),
        str(entry["priority"]),
        str(len(pods)),
        _gpus(instance, instance.running.pod_devices[mine]),
        _ran(int(instance.running.pod_minutes[mine].max())),
        hostlist(names),
    )


def _gpus(instance: Instance, devices: Ints) -> str:
    return f"{sum(devices.tolist()) / instance.device_unit:g}"


def _ran(minutes: int) -> str:
    """How long, of several pods the longest."""
    if minutes == UNKNOWN:
        return "?"
    hours, days = minutes // 60, minutes // (24 * 60)
    if days:
        return f"{days}d{hours % 24}h"
    return f"{hours}h{minutes % 60}m" if hours else f"{minutes}m"
