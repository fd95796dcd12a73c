"""status.allocation of a ResourceClaim -> `AllocationRecord`."""

from gangplan.datasets.kubernetes.devicerecords import AllocationRecord, ResultRecord
from gangplan.datasets.kubernetes.objects.amounts import amounts
from gangplan.datasets.kubernetes.objects.claimspecs import check_references
from gangplan.datasets.kubernetes.objects.deviceconfig import check_config
from gangplan.datasets.kubernetes.objects.devicetaints import device_tolerations
from gangplan.datasets.kubernetes.objects.selectors import node_terms
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import driver, label, pool

MOST_RESULTS = 32
_MOST_CONFIG = 64


def allocation(status: Fields, names: frozenset[str]) -> AllocationRecord | None:
    """Read ``allocation``; None without one.

    Parameters
    ----------
    names : the claim's requests and subrequests.
    """
    fields = status.mapping("allocation")
    if fields is None:
        return None
    fields.only(deviceschema.ALLOCATION)
    fields.timestamp("allocationTimestamp")
    devices = fields.section("devices")
    devices.only(deviceschema.RESULTS)
    entries = devices.items("results")
    if len(entries) > MOST_RESULTS:
        devices.fault("results", f"at most {MOST_RESULTS} expected, got {len(entries)}")
    results = tuple(_result(entry, names) for entry in entries)
    check_config(
        devices,
        deviceschema.RESULT_CONFIG,
        _MOST_CONFIG,
        lambda entry: check_references(entry, names),
    )
    selector = fields.mapping("nodeSelector")
    return AllocationRecord(results, None if selector is None else node_terms(selector))


def _result(entry: Fields, names: frozenset[str]) -> ResultRecord:
    entry.only(deviceschema.RESULT)
    request = entry.text("request", required=True)
    if request and request not in names:
        entry.fault("request", f"no request {request[:130]!r} in the claim")
    for key in ("bindingConditions", "bindingFailureConditions", "skipNodeOperations"):
        entry.texts(key)
    entry.text("shareID")
    device_tolerations(entry)
    driven_by = driver(entry)
    return ResultRecord(
        request=request,
        driver=driven_by,
        pool=pool(entry, "pool"),
        device=label(entry, "device", required=True),
        admin=entry.boolean("adminAccess"),
        consumed=amounts(entry.mapping("consumedCapacity"), driven_by or "unknown"),
    )
