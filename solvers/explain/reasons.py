"""One sentence a waiting group: why it waits, and how that is known.

Held groups say what they wait for; a shortage by counting is a proof by itself; a group that loses
pods gains none; that there is no room left beside what is admitted is proven exactly when the tiers
that count the group are.
"""

import time
from dataclasses import dataclass
from math import inf

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import BARE, GANG
from gangplan.models.counting import cannot_be_placed
from gangplan.models.gone import LOSES
from gangplan.models.instance import Instance
from gangplan.models.needs import needs_of
from gangplan.models.plan import Plan
from gangplan.models.result import TierReport
from gangplan.models.shortage import Shortage
from gangplan.models.slots import Slots, slots_of
from gangplan.models.victims import losing_roots, victims_of
from gangplan.solvers.explain.short import evicts_nobody, in_full
from gangplan.solvers.explain.trees import Trees, trees_of

WEIGHTED = "weighted-gpus"

NOT_PROVEN = "no room was found beside what is admitted (not proven)"

NOT_COUNTED = "no room was found by the time limit (whether there can be any was not counted)"


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What is looked at for every group: placed, wanted (G,) pods, and the reports of the plan.

    ``loses``: (G,) its root loses pods. ``counted``: what counting says of groups. ``until``: of
    ``time.monotonic()``, when counting ends.
    """

    slots: Slots
    trees: Trees
    placed: Ints
    wanted: Ints
    reports: tuple[TierReport, ...]
    loses: Flags
    counted: dict[int, Shortage | None]
    until: float


def reasons(
    instance: Instance,
    plan: Plan,
    reports: tuple[TierReport, ...] = (),
    counted: dict[int, Shortage | None] | None = None,
    seconds: float = inf,
) -> dict[int, str]:
    """Group number -> sentence, for every group that still waits for pods of its minimum.

    Parameters
    ----------
    reports : of the plan's tiers; without them nothing is called proven but counting.
    counted : what counting said of groups of this instance when asked for another plan of it, the
        most work of all; what it says now is added.
    seconds : for counting; of groups that it has not come to by then nothing is known.
    """
    until = time.monotonic() + seconds
    needs, slots = needs_of(instance), slots_of(instance)
    placed, wanted = plan.placed_per_group(instance), instance.per_group(instance.roles.wanted)
    gang = instance.groups.kind == GANG
    waits = np.where(gang, ~needs.stands & (placed == 0), placed < wanted)
    waits |= instance.groups.held
    if not waits.any():
        return {}
    loses = losing_roots(instance, plan.evicted)[victims_of(instance).root]
    trees = trees_of(instance, needs, slots, placed)
    counted = {} if counted is None else counted
    known = _Known(slots, trees, placed, wanted, reports, loses, counted, until)
    return {int(g): _why(instance, int(g), known) for g in np.flatnonzero(waits)}


def _why(instance: Instance, g: int, known: _Known) -> str:
    if instance.groups.held[g]:
        return instance.names.held[g]
    for h in instance.ancestors(g):
        if instance.composites.held[h]:
            return f"{instance.names.composites[h]}: {instance.names.held_composites[h]}"
    needs = known.trees.needs
    if g not in known.counted:
        if time.monotonic() > known.until:
            return NOT_COUNTED
        known.counted[g] = cannot_be_placed(instance, g, needs, known.slots)
    short = known.counted[g]
    if short is not None:
        return in_full(instance, g, short, needs)
    if known.loses[g]:
        return LOSES
    return _beside_others(instance, g, known) + evicts_nobody(instance, g)


def _beside_others(instance: Instance, g: int, known: _Known) -> str:
    """Explain a group that could be placed if it were alone."""
    needs = known.trees.needs
    if instance.groups.parent[g] >= 0:
        return _below_a_tree(instance, g, known)
    own = instance.roles.devices[instance.roles.group == g]
    gang = instance.groups.kind[g] == GANG
    pays = int(needs.group_devices[g] if gang else own.min(initial=0))
    what = "starts it" if gang or not known.placed[g] else "places another pod of it"
    why = _no_room(int(instance.groups.priority[g]), pays, what, known.reports)
    if gang or not known.placed[g]:
        return why
    pods = "equal pods" if instance.groups.kind[g] == BARE else "pods"
    return f"{known.placed[g]} of {known.wanted[g]} {pods} are placed; {why}"


def _below_a_tree(instance: Instance, g: int, known: _Known) -> str:
    """Explain a child that a started composite does not need, or whose tree waits as a whole."""
    trees = known.trees
    parent = trees.parent_that_started(g)
    if parent >= 0:
        priority = int(instance.groups.priority[g])
        return f"{trees.further(parent)}: {_no_elastic_room(priority, known.reports)}"
    root = trees.root(g)
    short = trees.too_few(root)
    if short:
        return f"{trees.asks(root)} and {short}"
    pays = int(trees.needs.composite_devices[root])
    priority = int(instance.composites.priority[root])
    return f"{trees.asks(root)}; {_no_room(priority, pays, 'starts it', known.reports)}"


def _no_room(priority: int, pays: int, what: str, reports: tuple[TierReport, ...]) -> str:
    """Say what the tiers prove about something that they would pay for.

    More of everything that is admitted plus this would be a better plan; where the tiers down to
    its priority are proven there is none, so whatever starts it leaves something else out.
    """
    names = [r.name.startswith("admitted") and r.name.endswith(f"({priority})") for r in reports]
    names = [
        mine or (pays > 0 and r.name == WEIGHTED) for mine, r in zip(names, reports, strict=True)
    ]
    last = max((i for i, mine in enumerate(names) if mine), default=-1)
    if last < 0 or not reports[last].proven:
        return NOT_PROVEN
    proof = reports[last].proof
    if reports[last].name == WEIGHTED:
        return f"no room beside what is admitted: no plan is worth more (proven: {proof})"
    if not any(r.value for r in reports[: last + 1]):
        return f"no plan {what} (proven: {proof})"
    lost = any(r.name.startswith("lost") for r in reports[: last + 1])
    more = ", or more running work of such a priority is given up" if lost else ""
    return (
        f"no room beside what is admitted: no plan {what} unless another group or pod of "
        f"priority {priority} or above waits instead{more} (proven: {proof})"
    )


def _no_elastic_room(priority: int, reports: tuple[TierReport, ...]) -> str:
    """Say what the tier of pods beyond the minima proves."""
    for report in reports:
        if report.name == f"elastic({priority})" and report.proven:
            return (
                "no plan that admits as much places more pods beyond the minima at priority "
                f"{priority} and above (proven: {report.proof})"
            )
    return NOT_PROVEN
