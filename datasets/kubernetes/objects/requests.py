"""What a pod asks of its node: the effective request of kube-scheduler.

With C the sum over containers, and the init containers walked in order (S = sidecars so far)::

    restartPolicy Always:  C += r,  S += r,  I = max(I, S)
    any other:             I = max(I, r + S)

the request is max(C, I) for each resource; pod-level ``spec.resources`` replaces it for the
resources it names, ``spec.overhead`` is added, and each pod takes one of ``pods``. Limits stand in
for missing requests as API defaulting does (k8s.io/component-helpers/resource,
pkg/apis/core/v1/defaults.go; KEP-753, KEP-1287, KEP-2837).
"""

from gangplan.datasets.kubernetes.text.fields import MAX_INT, Fields

Amounts = dict[str, int]

POD_LEVEL_PREFIX = "hugepages-"
POD_LEVEL = ("cpu", "memory")
_RESOURCES = frozenset({"claims", "limits", "requests"})


def effective_request(
    spec: Fields, containers: list[Fields], initial: list[Fields], status: Fields | None
) -> Amounts:
    """Give the effective request of a pod; zeros are left out.

    Parameters
    ----------
    spec : the pod's spec.
    containers, initial : its ``containers`` and ``initContainers``.
    status : of a pod that is bound and not finished: what the kubelet has allocated counts too
        (in-place resize); None for any other.
    """
    resize = None if status is None else _Resize(status)
    total: Amounts = {}
    for container in containers:
        _add(total, _container(container, resize))
    if initial:
        highest, sidecars = _init_containers(initial, resize)
        _add(total, sidecars)
        _raise(total, highest)
    _pod_level(spec, total, resize)
    _add(total, spec.quantities("overhead", round_up=True))
    if status is not None:
        _claims(status, total)
    total["pods"] = 1
    for name, amount in total.items():
        if amount > MAX_INT:
            spec.fault("", f"the pod asks for more than 2^63 - 1 of {name}")
    return {name: amount for name, amount in total.items() if amount}


def container_requests(fields: Fields) -> Amounts:
    """Read a container's ``resources``: its requests, and limits where a request is missing."""
    resources = fields.mapping("resources")
    if resources is None:
        return {}
    resources.only(_RESOURCES)
    requests = resources.quantities("requests", round_up=True)
    limits = resources.quantities("limits", round_up=True)
    return {**limits, **requests}


class _Resize:
    """What the kubelet says it has allocated, container by container (KEP-1287)."""

    def __init__(self, status: Fields) -> None:
        self.status = status
        self._statuses = {
            entry.text("name"): entry
            for key in ("containerStatuses", "initContainerStatuses")
            for entry in status.items(key)
        }
        conditions = status.obj.get("conditions")
        self.infeasible = isinstance(conditions, list) and any(
            isinstance(entry, dict)
            and entry.get("type") == "PodResizePending"
            and entry.get("reason") == "Infeasible"
            for entry in conditions
        )

    def settle(self, container: Fields, wanted: Amounts) -> Amounts:
        """Do `settle_with` for the status of a container, if there is one."""
        status = self._statuses.get(container.text("name"))
        if status is None:
            return wanted
        spec, there = container.obj.get("resources"), status.obj
        actual = there.get("resources", spec)
        if spec == actual and isinstance(spec, dict):  # the common case: nothing was resized
            asked = spec.get("requests")
            if asked == there.get("allocatedResources", asked):
                return wanted
        return self.settle_with(status, wanted)

    def settle_with(self, status: Fields, wanted: Amounts) -> Amounts:
        """Give the maximum of wanted, allocated and actual; without wanted if it is infeasible.

        ``status`` holds ``allocatedResources`` and ``resources``, of a container or of the pod.
        """
        found = status.quantities("allocatedResources", round_up=True)
        if status.has("resources"):
            _raise(found, status.section("resources").quantities("requests", round_up=True))
        if not found:
            return wanted
        if not self.infeasible:
            _raise(found, wanted)
        return found


def _container(fields: Fields, resize: _Resize | None) -> Amounts:
    wanted = container_requests(fields)
    return wanted if resize is None else resize.settle(fields, wanted)


def _init_containers(initial: list[Fields], resize: _Resize | None) -> tuple[Amounts, Amounts]:
    """Give the highest request while the init containers run, and the sum of the sidecars."""
    highest: Amounts = {}
    sidecars: Amounts = {}
    for container in initial:
        if container.text("restartPolicy") == "Always":
            _add(sidecars, _container(container, resize))
            _raise(highest, sidecars)
        else:
            together = container_requests(container)
            _add(together, sidecars)
            _raise(highest, together)
    return highest, sidecars


def _pod_level(spec: Fields, total: Amounts, resize: _Resize | None) -> None:
    resources = spec.mapping("resources")
    if resources is None:
        return
    resources.only(_RESOURCES)
    requests = resources.quantities("requests", round_up=True)
    limits = resources.quantities("limits", round_up=True)
    for key, amounts in (("requests", requests), ("limits", limits)):
        for name in amounts:
            if name not in POD_LEVEL and not name.startswith(POD_LEVEL_PREFIX):
                resources.section(key).fault(name, "only cpu, memory and hugepages for a whole pod")
    # A pod-level limit is a request only where no container asks for that resource.
    own = {**{name: top for name, top in limits.items() if name not in total}, **requests}
    total.update(own if resize is None or not own else resize.settle_with(resize.status, own))


def _claims(status: Fields, total: Amounts) -> None:
    """Add what claimed devices take of the node (gate DRANodeAllocatableResources)."""
    for claim in status.items("nodeAllocatableResourceClaimStatuses"):
        users = len(claim.texts("containers"))
        for key, names in (("mapping", ("quantity",)), ("overhead", ("perPod", "perContainer"))):
            for entry in claim.items(key):
                resource = entry.text("name", required=True)
                milli = resource == "cpu"
                for name in names:
                    amount = entry.quantity(name, milli=milli, round_up=True)
                    _add(total, {resource: amount * (users if name == "perContainer" else 1)})


def _add(total: Amounts, more: Amounts) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _raise(total: Amounts, other: Amounts) -> None:
    for name, amount in other.items():
        if amount > total.get(name, 0):
            total[name] = amount
