"""elastic: pods beyond the minimum come on top of a met minimum, and in whole slices.

The elastic pods are those that ``gangplan.models.marks`` names, or the marks of a plan file.
"""

import numpy as np
import numpy.typing as npt

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.marks import ELASTIC, MINIMUM, Marks, marks
from gangplan.models.plan import Plan
from gangplan.models.verify.members import per_group, placed_by_role
from gangplan.models.verify.violation import Violation

NAME = "elastic"


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Check the marks that follow from the plan."""
    return check_marks(instance, plan, marks(instance, plan))


def check_marks(instance: Instance, plan: Plan, marked: Marks) -> list[Violation]:
    """Check the given marks (P,) of a plan.

    Placed pods are marked and only they; in every gang that meets its minima and has an elastic
    pod, the pods marked minimum meet them without it, and are no more than that takes; elastic pods
    fill slices. A gang that misses its minima is the family gang's business.
    """
    found = [
        Violation(
            NAME,
            instance.names.pods[p],
            int(marked[p] != ""),
            int(plan.node[p] >= 0),
            f"pod {instance.names.pods[p]}: marked {str(marked[p])!r}, "
            f"{'placed' if plan.node[p] >= 0 else 'not placed'}",
        )
        for p in np.flatnonzero((marked != "") != (plan.node >= 0)).tolist()
    ]
    minimum = _count(instance, marked == MINIMUM)
    elastic = per_group(instance, _count(instance, marked == ELASTIC))
    sound = np.where(_meets_minima(instance, plan), elastic, 0)
    return found + _minima(instance, minimum, sound) + _slices(instance, plan, elastic)


def _count(instance: Instance, which: npt.NDArray[np.bool_]) -> Ints:
    """(K,) pods of each role among the chosen ones."""
    return np.bincount(instance.pod_role[which], minlength=len(instance.roles)).astype(np.int64)


def _meets_minima(instance: Instance, plan: Plan) -> Flags:
    """(G,) running and new members meet the minimum, and every role's own."""
    roles, groups = instance.roles, instance.groups
    new = placed_by_role(instance, plan)
    met: Flags = groups.running + per_group(instance, new) >= groups.minimum
    met[roles.group[roles.running + new < roles.minimum]] = False
    met[groups.kind != GANG] = True
    return met


def _minima(instance: Instance, minimum: Ints, elastic: Ints) -> list[Violation]:
    """In a gang with elastic pods, the minimum ones are exactly what the gang lacked."""
    roles, groups, names = instance.roles, instance.groups, instance.names
    found = []
    lacked = np.maximum(roles.minimum - roles.running, 0)
    need = np.maximum(groups.minimum - groups.running, per_group(instance, lacked))
    need = np.where(groups.kind == GANG, np.maximum(need, 0), 0)
    have = per_group(instance, minimum)
    for g in np.flatnonzero((elastic > 0) & (groups.kind != GANG)).tolist():
        sentence = f"group {names.groups[g]}: {int(elastic[g])} elastic pods, but it is no gang"
        found.append(Violation(NAME, names.groups[g], int(elastic[g]), 0, sentence))
    gang = (elastic > 0) & (groups.kind == GANG)
    for g in np.flatnonzero(gang & (have != need)).tolist():
        sentence = (
            f"group {names.groups[g]}: {int(elastic[g])} elastic pods beside {int(have[g])} pods "
            f"for its minimum, which lacks {int(need[g])}"
        )
        found.append(Violation(NAME, names.groups[g], int(have[g]), int(need[g]), sentence))
    for k in np.flatnonzero(gang[roles.group] & (minimum < lacked)).tolist():
        group = names.groups[int(roles.group[k])]
        sentence = (
            f"group {group}, role {names.roles[k] or k}: {int(minimum[k])} pods marked minimum, "
            f"its own minimum lacks {int(lacked[k])}"
        )
        found.append(Violation(NAME, group, int(minimum[k]), int(lacked[k]), sentence))
    return found


def _slices(instance: Instance, plan: Plan, elastic: Ints) -> list[Violation]:
    """Check that a sliced group with elastic pods ends with whole slices, running members included.

    All domains together: which domain holds how many is topology's question.
    """
    rules, names = instance.rules, instance.names
    new = per_group(instance, placed_by_role(instance, plan))
    member = np.zeros(len(rules), dtype=np.int64)
    np.add.at(member, rules.member_rule, rules.member_count)
    found = []
    for t in np.flatnonzero(rules.slice > 0).tolist():
        g, k = int(rules.owner[t]), int(rules.slice[t])
        total = int(member[t] + new[g])
        if elastic[g] > 0 and total % k:
            sentence = (
                f"group {names.groups[g]}: {total} pods with its {int(elastic[g])} elastic ones "
                f"are not whole slices of {k}"
            )
            found.append(Violation(NAME, names.groups[g], total, total - total % k, sentence))
    return found
