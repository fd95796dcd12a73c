"""gang: a gang gets no new pod, or enough for its minimum and for each role's own minimum.

Running members count. Basic and bare groups have no minimum: each of their pods is a gang of one.
"""

import numpy as np

from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.members import per_group, placed_by_role
from gangplan.models.verify.violation import Violation

NAME = "gang"


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Compare running plus new members with the minima of every gang that places a pod."""
    by_role = placed_by_role(instance, plan)
    new = per_group(instance, by_role)
    groups, roles, names = instance.groups, instance.roles, instance.names
    placing = (new > 0) & (groups.kind == GANG)
    found = []
    for g in np.flatnonzero(placing & (groups.running + new < groups.minimum)).tolist():
        have, need = int(groups.running[g] + new[g]), int(groups.minimum[g])
        sentence = (
            f"group {names.groups[g]}: {have} pods ({int(groups.running[g])} running, "
            f"{int(new[g])} new) of the {need} it needs at least"
        )
        found.append(Violation(NAME, names.groups[g], have, need, sentence))
    short = placing[roles.group] & (roles.running + by_role < roles.minimum)
    for k in np.flatnonzero(short).tolist():
        have, need = int(roles.running[k] + by_role[k]), int(roles.minimum[k])
        group = names.groups[int(roles.group[k])]
        sentence = (
            f"group {group}, role {names.roles[k] or k}: {have} pods ({int(roles.running[k])} "
            f"running, {int(by_role[k])} new) of the {need} the role needs at least"
        )
        found.append(Violation(NAME, group, have, need, sentence))
    return found
