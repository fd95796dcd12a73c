"""Roles of a unit: its waiting pods, equal ones together."""

from collections.abc import Hashable
from dataclasses import dataclass

from gangplan.datasets.kubernetes.assemble.devices.use import NOTHING, Use
from gangplan.datasets.kubernetes.assemble.devices.users import Users
from gangplan.datasets.kubernetes.assemble.membership import Unit, role_of
from gangplan.datasets.kubernetes.objects.annotations import ROLE_MINIMUM
from gangplan.datasets.kubernetes.objects.annotationtext import path
from gangplan.datasets.kubernetes.records import PodRecord
from gangplan.datasets.kubernetes.text.fields import Faults


@dataclass(slots=True)
class Role:
    """Pods of one group that are equal to the planner.

    Attributes
    ----------
    name : label ``gangplan.io/role``; empty without one.
    pods : at least one, in natural order of their names.
    minimum, running : a minimum of the role's own and the running members it counts; 0 without.
    use : the claims that each of them has.
    """

    name: str
    pods: list[PodRecord]
    minimum: int = 0
    running: int = 0
    use: Use = NOTHING


def roles_of(unit: Unit, users: Users, faults: Faults) -> list[Role]:
    """Divide a unit's waiting pods into roles; adds to ``unit.held`` where a minimum cannot be met.

    Pods with equal (request, eligibility, role label, claims) are one role.
    """
    roles: dict[Hashable, Role] = {}
    for pod in unit.pending:
        name = role_of(pod)
        use = users.of(pod, unit.record)
        key = (name, pod.eligibility, tuple(sorted(pod.request.items())), use.own, use.shared)
        roles.setdefault(key, Role(name, [], use=use)).pods.append(pod)
    found = list(roles.values())
    if unit.record is not None:
        for name, minimum in unit.record.role_minimum.items():
            _with_minimum(unit, found, name, minimum, faults)
    return found


def _with_minimum(unit: Unit, roles: list[Role], name: str, minimum: int, faults: Faults) -> None:
    record = unit.record
    assert record is not None
    item = f"PodGroup {unit.name}"
    if not record.gang:
        faults.add(record.source, item, path(ROLE_MINIMUM), "only a gang has minima of roles")
        return
    mine = [role for role in roles if role.name == name]
    running = sum(role_of(pod) == name for pod in unit.running)
    others = any(role_of(pod) == name for pod in (*unit.gated, *unit.leaving))
    there = unit.pending or unit.running or unit.gated
    if there and not (mine or running or others):
        known = ", ".join(sorted({role_of(pod) for pod in (*unit.pending, *unit.running)} - {""}))
        message = f"no pod has the role {name}; roles: {known or 'none'}"
        faults.add(record.source, item, path(ROLE_MINIMUM), message)
        return
    wanted = sum(len(role.pods) for role in mine)
    if wanted + running < minimum:
        unit.held.append(
            f"role {name} needs {minimum} pods, has {wanted + running}"
            f" ({wanted} waiting, {running} running)"
        )
    elif running < minimum and len(mine) > 1:
        unit.held.append(f"role {name} has a minimum, but its pods differ in spec")
    elif len(mine) == 1:
        mine[0].minimum, mine[0].running = minimum, running
