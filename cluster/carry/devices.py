"""Whether the claims of a pod are still the ones that its flight was made for."""

from collections.abc import Mapping
from typing import Any

from gangplan.cluster.errors import NotFound
from gangplan.cluster.flight import Flight
from gangplan.cluster.site import Site
from gangplan.cluster.uses import allocation_in


def without_devices(site: Site, flight: Flight, pod: Mapping[str, Any]) -> str:
    """Name a claim made for a pod that has no devices and gets none from this flight; else empty.

    The claim controller makes another one where its cache has not heard of the first, as after the
    end of an API server, and writes its name into the pod's status.

    Raises
    ------
    ClusterError : the server does not answer, or refuses.
    """
    statuses = (pod.get("status") or {}).get("resourceClaimStatuses") or ()
    if not statuses or "ResourceClaim" not in site.served:
        return ""
    ours = {one.claim for one in flight.allocatings}
    names = (entry.get("resourceClaimName") for entry in statuses)
    for name in (f"{pod['metadata']['namespace']}/{name}" for name in names if name):
        if name in ours:
            continue
        try:
            claim = site.client.get(site.served["ResourceClaim"].path_of(name))
        except NotFound:
            return name
        if allocation_in(claim) is None:
            return name
    return ""
