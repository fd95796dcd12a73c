"""capacity: on every node and of every resource, the new pods ask no more than is free."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gangplan.models.instance import Instance
from gangplan.models.plan import Plan
from gangplan.models.verify.violation import Violation

NAME = "capacity"


def check(instance: Instance, plan: Plan) -> list[Violation]:
    """Sum requests per node and resource and compare with the free room."""
    names = instance.names
    asked = _asked(instance, plan)
    return [
        Violation(
            NAME,
            names.nodes[n],
            int(asked[n, r]),
            int(instance.nodes.free[n, r]),
            f"node {names.nodes[n]}: {names.resources[r]} {int(asked[n, r])} asked, "
            f"{int(instance.nodes.free[n, r])} free",
        )
        for n, r in np.argwhere(asked > instance.nodes.free).tolist()
    ]


def _asked(instance: Instance, plan: Plan) -> npt.NDArray[Any]:
    """(N, R) sums, in Python integers where int64 could wrap around."""
    pod = np.flatnonzero(plan.node >= 0)
    request = instance.roles.request[instance.pod_role[pod]]
    wraps = request.size and int(request.max()) * len(pod) >= 2**63
    asked = np.zeros(instance.nodes.free.shape, dtype=object if wraps else np.int64)
    np.add.at(asked, plan.node[pod], request.astype(asked.dtype))
    return asked
