"""Extended resources that a DeviceClass stands for (KEP-5004, resource.k8s.io).

On a node that offers the resource itself a pod takes of its room; on any other node the scheduler
would make a claim for devices, which is not honoured yet.
"""

from collections.abc import Iterable, Mapping, Sequence

from gangplan.datasets.kubernetes.assemble.membership import Unit
from gangplan.datasets.kubernetes.records import NodeRecord


def hold_claims(
    units: Iterable[Unit],
    nodes: Sequence[NodeRecord],
    classes: Mapping[str, str],
    notes: list[str],
) -> None:
    """Give units an unsupported rule where only a DeviceClass has what their pods ask for.

    Parameters
    ----------
    classes : extended resource -> name of its DeviceClass.
    notes : told where some nodes offer the resource themselves: only those are used.
    """
    if not classes:
        return
    offered = {name for name in classes if any(node.allocatable.get(name) for node in nodes)}
    asked: set[str] = set()
    for unit in units:
        wanted = {name for pod in unit.pending for name in pod.request if name in classes}
        asked |= wanted
        unit.unsupported += [
            f"spec.containers[].resources.requests[{name}] (DeviceClass {classes[name]})"
            for name in sorted(wanted - offered)
        ]
    for name in sorted(asked & offered):
        if not all(node.allocatable.get(name) for node in nodes):
            notes.append(
                f"DeviceClass {classes[name]} gives {name} too: only nodes that offer it in"
                " status.allocatable are used"
            )
