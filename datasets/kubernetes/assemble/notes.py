"""What a user should know of the reading, besides what is held: one sentence each."""

from collections.abc import Iterator, Sequence

from gangplan.datasets.kubernetes.assemble.holds import counted, named, some
from gangplan.datasets.kubernetes.assemble.levels import Levels
from gangplan.datasets.kubernetes.assemble.membership import Membership, Unit
from gangplan.datasets.kubernetes.records import NodeRecord


def of_building(
    nodes: Sequence[NodeRecord], members: Membership, levels: Levels, declared: Sequence[str]
) -> list[str]:
    """Tell of empty snapshots, and of pods and nodes that a plan does not use."""
    found = []
    if not nodes:
        found.append("no node in the sources: nothing can be placed")
    if not any(unit.pending for unit in members.units):
        found.append("no pod waits: nothing is to be placed")
    if members.gated:
        count = counted(len(members.gated), "pod")
        found.append(f"{count} with scheduling gates, not placed: {named(members.gated)}")
    there = {node.name for node in nodes}
    lost = [pod for pod in members.holding if pod.node not in there]
    if lost:
        found.append(
            f"{counted(len(lost), 'pod')} bound to nodes not in the sources: {named(lost)}"
        )
    down = [node.name for node in nodes if not node.ready]
    if down:
        found.append(
            f"{counted(len(down), 'node')} not ready, no pod is placed there: {some(down)}"
        )
    for unit in members.units:
        found += _at_odds(unit)
        found += _unshared(unit)
    if nodes:
        found += [
            f"no node lies in a domain of the declared level {key}"
            for key in declared
            if levels.is_empty(key)
        ]
    return found


def _at_odds(unit: Unit) -> Iterator[str]:
    """Tell of pods that say something else than their PodGroup, which counts."""
    if unit.record is None:
        return
    for what, pods in (
        (f"priority {unit.priority}", unit.other_priority),
        (f"preemptionPolicy {unit.record.preemption_policy}", unit.other_policy),
    ):
        if not pods:
            continue
        text = (
            f"PodGroup {unit.name} has {what}, which stands for its pods;"
            f" {counted(len(pods), 'pod')} with another: {named(pods)}"
        )
        if not unit.record.api_version.endswith("v1alpha2"):
            text += " (kube-scheduler 1.37 refuses such a group)"
        yield text


def _unshared(unit: Unit) -> Iterator[str]:
    """Tell of claims of a PodGroup that none of its pods shares, although some wait.

    A pod shares an entry that it has with the same name and the same claim or template (KEP-5729);
    any other entry is a claim of its own, which is rarely what somebody wanted.
    """
    if unit.record is None or not unit.pending:
        return
    shared = {
        (one.name, one.claim, one.template)
        for pod in (*unit.pending, *unit.running, *unit.gated)
        for one in pod.claims
    }
    for entry in unit.record.claims:
        if (entry.name, entry.claim, entry.template) not in shared:
            yield (
                f"PodGroup {unit.name}: none of its pods shares its claim {entry.name}: a pod does"
                " so by an entry of the same name and the same claim or template"
            )
