"""Claims that were made for a pod or PodGroup, whether or not its status says so already.

The controller writes the name of a claim into the status after it has made it; what it made it
knows again by the claim's controller and annotation (findPodResourceClaim).
"""

from collections import defaultdict
from collections.abc import Iterable

from gangplan.datasets.kubernetes.devicerecords import ClaimRecord, Reference
from gangplan.datasets.kubernetes.order import natural

POD, POD_GROUP = "pod", "podgroup"


class Made:
    """Finds the claim that was made for an entry of resourceClaims."""

    def __init__(self, claims: Iterable[ClaimRecord]) -> None:
        self._of: defaultdict[tuple[str, str], list[ClaimRecord]] = defaultdict(list)
        for one in sorted(claims, key=lambda claim: natural(claim.name)):
            if one.made_for and one.controller is not None:
                self._of[one.namespace, one.made_for].append(one)

    def of(
        self, namespace: str, entry: str, kind: str, name: str, uid: str = ""
    ) -> ClaimRecord | None:
        """Give the claim of an entry; None where none was made."""
        for claim in self._of.get((namespace, entry), ()):
            if claim.controller is not None and owns(claim.controller, kind, name, uid):
                return claim
        return None


def owns(owner: Reference, kind: str, name: str, uid: str) -> bool:
    """Whether a controller is this object; a uid that is not known is not compared."""
    same = owner.resource.lower() in (kind, f"{kind}s") and owner.name == name
    return same and (not uid or not owner.uid or owner.uid == uid)
