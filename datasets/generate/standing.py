"""The running work of a draft, as groups and units of the instance."""

from dataclasses import replace

import numpy as np

from gangplan.datasets.generate.draft import GPU, RESOURCES, UNITS, Draft, Work
from gangplan.datasets.running import Budget, Floor, Pod, Unit, running
from gangplan.models.columns import GANG, Groups
from gangplan.models.instance import Instance
from gangplan.models.running import GROUP, POD


def with_work(instance: Instance, draft: Draft, space: str) -> Instance:
    """Add what runs; its groups stand after the gangs that wait, and no pod of them waits."""
    if not draft.work:
        return instance
    first, standing = len(instance.groups), draft.standing
    number = {id(one): first + i for i, one in enumerate(standing)}
    units: list[Unit] = []
    floors: list[Floor] = []
    budgets: list[Budget] = []
    for i, one in enumerate(draft.work):
        name = f"{space}/run{i:04d}"
        group = number.get(id(one), -1)
        pods = _pods(one, name, group)
        names = tuple(pod.name for pod in pods)
        if one.whole:
            units.append(Unit(name, one.priority, pods, GROUP))
        else:
            units += [Unit(pod.name, one.priority, (pod,), POD) for pod in pods]
        if group >= 0:
            floors.append(Floor(group, one.minimum, len(pods), names))
        if one.guarded:
            budgets.append(Budget(f"{name}-pdb", 1, names))
    made = running(len(RESOURCES), units, floors, budgets)
    names = tuple(f"{space}/run{i:04d}" for i, one in enumerate(draft.work) if not one.alone)
    return replace(
        instance,
        groups=_groups(instance.groups, standing),
        running=made.running,
        names=replace(
            instance.names,
            groups=instance.names.groups + names,
            held=instance.names.held + ("",) * len(names),
            **made.names,
        ),
    )


def _pods(one: Work, name: str, group: int) -> tuple[Pod, ...]:
    request = tuple((np.array(one.each) * UNITS).tolist())
    return tuple(
        Pod(f"{name}-{i}", node, request, one.each[GPU], group, one.minutes)
        for i, node in enumerate(one.nodes)
    )


def _groups(waiting: Groups, standing: tuple[Work, ...]) -> Groups:
    n = len(standing)
    still, sizes = np.zeros(n, dtype=np.int64), [len(one.nodes) for one in standing]
    return Groups(
        priority=np.concatenate([waiting.priority, [one.priority for one in standing]]),
        kind=np.concatenate([waiting.kind, np.full(n, GANG)]),
        minimum=np.concatenate([waiting.minimum, [one.minimum for one in standing]]),
        running=np.concatenate([waiting.running, sizes]),
        held=np.concatenate([waiting.held, np.zeros(n, dtype=np.bool_)]),
        age=np.concatenate([waiting.age, still]),
        parent=np.concatenate([waiting.parent, still - 1]),
    )
