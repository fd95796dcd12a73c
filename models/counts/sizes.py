"""How many new pods a group and its roles may get (paper, eq. sizes).

For a gang that does not stand, with need q_g, wanted pods W_k and role needs q_k:

    least_k  =  max(q_k, q_g - sum_{j != k} W_j, 0)
    most_k   =  min(W_k, most_g - sum_{j != k} least_j)

with least_g = q_g, and most_g = all its wanted pods (q_g where elastic is off). These are the
tightest bounds that the minima alone imply for an admitted gang. A role whose bounds meet is
*exact*: admission decides its size, and its rows become equalities.
"""

from dataclasses import dataclass

import numpy as np

from gangplan.models.arrays import Flags, Ints
from gangplan.models.columns import GANG
from gangplan.models.instance import Instance
from gangplan.models.needs import Needs


@dataclass(frozen=True, slots=True, eq=False)
class Sizes:
    """Bounds on new pods.

    Attributes
    ----------
    least, most : (K,) new pods of role k once its group is admitted; least is 0 for the roles of
        groups that stand or have no minimum.
    group_least, group_most : (G,) likewise for the group.
    tree_least : (H,) new pods below composite h once it is admitted; 0 where it stands.
    decided : (G,) a yes/no column says whether the group gets pods: a gang that does not stand.
    tree_decided : (H,) likewise for composites.
    """

    least: Ints
    most: Ints
    group_least: Ints
    group_most: Ints
    tree_least: Ints
    decided: Flags
    tree_decided: Flags

    @property
    def owner_least(self) -> Ints:
        """(G + H,) least new pods of a rule's owner once it places any."""
        return np.concatenate([self.group_least, self.tree_least])


def sizes_of(
    instance: Instance,
    needs: Needs,
    *,
    minima: bool = True,
    children: bool = True,
    elastic: bool = True,
) -> Sizes:
    """Compute the bounds.

    Parameters
    ----------
    minima : False: a gang may be partial (one pod is enough). The gang family is off.
    children : False: one admitted child is enough for a composite. The hierarchy family is off.
    elastic : False: a gang gets exactly its need, a standing one nothing.
    """
    roles, group = instance.roles, instance.roles.group
    held, tree_held = instance.blocked
    gang = instance.groups.kind == GANG
    decided = gang & ~needs.stands & ~held
    wanted = np.where(held[group], 0, roles.wanted)
    total = instance.per_group(wanted)
    need = np.where(decided, needs.group if minima else 1, 0)
    most = total if elastic else np.where(gang, np.minimum(needs.group, total), total)
    own = needs.role if minima else np.zeros_like(needs.role)
    least = np.maximum(own, need[group] - (total[group] - wanted))
    least = np.where(decided[group], np.maximum(least, 0), 0)
    least_sum = instance.per_group(least)
    role_most = np.minimum(wanted, most[group] - (least_sum[group] - least))
    tree_decided = ~needs.composite_stands & ~tree_held
    pods = needs.composite_pods if minima and children else 1
    return Sizes(
        least=least,
        most=np.maximum(role_most, 0),
        group_least=need,
        group_most=most,
        tree_least=np.where(tree_decided, pods, 0),
        decided=decided,
        tree_decided=tree_decided,
    )
