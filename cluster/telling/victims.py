"""A victim is told so before it is evicted, and who it is for."""

from gangplan.cluster.flight import Falling, Flight
from gangplan.cluster.kinds import POD
from gangplan.cluster.site import Site
from gangplan.cluster.telling.admitted import pod_reference
from gangplan.cluster.telling.conditions import PREEMPTED, Condition, write
from gangplan.cluster.telling.events import event

_TYPE = "DisruptionTarget"


def victim(site: Site, falling: Falling, flight: Flight) -> None:
    """Give a victim the condition ``DisruptionTarget``, and its group where it falls as a whole.

    The reason is ``PreemptionByScheduler``, as kube-scheduler writes it: a Job whose
    podFailurePolicy ignores DisruptionTarget does not count the pod as failed.

    Raises
    ------
    ClusterError : the server refuses, or does not answer.
    """
    said = f"{site.scheduler}: preempting to accommodate a higher priority group, {flight.name}"
    condition = Condition(_TYPE, "True", PREEMPTED, said)
    if falling.whole and "PodGroup" in site.served:
        write(site, site.served["PodGroup"], falling.whole, condition)
    if write(site, POD, falling.pod, condition, uid=falling.uid):
        note = f"Preempted by {flight.name} on node {falling.node}"
        event(site, pod_reference(falling.pod, falling.uid), "Preempted", note)
