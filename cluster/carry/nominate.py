"""``status.nominatedNodeName``: whose room it is that victims leave (KEP-5278).

Changing it also gives a pod a new resource version, so that a Binding which is still on its way
somewhere, and names the old one, comes to nothing.
"""

from collections.abc import Iterable

from gangplan.cluster import faultpoints
from gangplan.cluster.carry import look
from gangplan.cluster.carry.patience import each
from gangplan.cluster.client import Object
from gangplan.cluster.errors import Conflict, NotFound
from gangplan.cluster.flight import Flight, Placing
from gangplan.cluster.kinds import POD
from gangplan.cluster.site import Site
from gangplan.cluster.world import uid_of


def nominate(site: Site, flight: Flight) -> None:
    """Nominate the pods that come to nodes which victims leave.

    Raises
    ------
    ClusterError : a pod's status cannot be written.
    """
    left = {falling.node for falling in flight.fallings}
    coming = [placing for placing in flight.placings if placing.node in left]
    pods = look.pods_of(site, (placing.pod for placing in coming))
    each(site, coming, lambda placing: _write(site, placing, pods.get(placing.pod), placing.node))


def withdraw(site: Site, placings: Iterable[Placing], pods: dict[str, Object]) -> None:
    """Take nominations back from pods that have no node.

    Raises
    ------
    ClusterError : a pod's status cannot be written.
    """
    each(site, placings, lambda placing: _write(site, placing, pods.get(placing.pod), ""))


def outdate(site: Site, placing: Placing, pod: Object) -> None:
    """Make sure that no Binding that was sent before can still come about.

    Raises
    ------
    ClusterError : the pod's status cannot be written.
    """
    now = (pod.get("status") or {}).get("nominatedNodeName")
    _write(site, placing, pod, "" if now else placing.node)


def _write(site: Site, placing: Placing, pod: Object | None, node: str) -> None:
    if pod is None or uid_of(pod) != placing.uid or look.node_of(pod) or look.leaving(pod):
        return
    if ((pod.get("status") or {}).get("nominatedNodeName") or "") == node:
        return
    body = {"metadata": {"uid": placing.uid}, "status": {"nominatedNodeName": node or None}}
    faultpoints.point("nomination.before")
    try:
        site.client.patch(POD.path_of(placing.pod, "status"), body)
    except (NotFound, Conflict):
        # Gone, or made again: whoever binds it looks for himself.
        return
    faultpoints.point("nomination.after")
