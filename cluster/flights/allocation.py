"""``status.allocation`` of a ResourceClaim, from the devices that a plan gives it.

As kube-scheduler writes it (k8s.io/dynamic-resource-allocation/structured, KEP-4381): results with
what the driver needs to know of the request and the device, the configuration of the classes and
of the claim, and which nodes reach all of the devices. ``allocationTimestamp`` is left to whoever
writes it: binding conditions are waited for from then on.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from uuid import uuid4

from gangplan.cluster.errors import Changed
from gangplan.cluster.inventory import Device, inventory
from gangplan.cluster.world import Object, World, name_of
from gangplan.datasets.kubernetes.assemble.devices.capacity import qualified, share
from gangplan.datasets.kubernetes.devicerecords import Capacity, Policy
from gangplan.datasets.kubernetes.text.quantity import exact

Row = Mapping[str, Any]
"""``request`` (``name`` or ``name/sub``), ``driver``, ``pool``, ``device``, ``consumed``."""

_BINARY = ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki")
_DECIMAL = (("", 1), ("m", 10**3), ("u", 10**6), ("n", 10**9))


def allocation_of(world: World, claim: Object, rows: Sequence[Row], node: str) -> Object:
    """Make the allocation of a claim for users on a node.

    Parameters
    ----------
    claim : the ResourceClaim. rows : its devices, as a plan file has them.
    node : where its users run; any of them where the devices reach several.

    Returns
    -------
    dict : ``status.allocation`` of resource.k8s.io/v1, with a new ``shareID`` for each share.

    Raises
    ------
    Changed : a request, a device or a class is not there any more, or a request is not served.
    """
    made = _Making(world, claim, node)
    asked = [made.asked(row) for row in rows]
    asked.sort(key=lambda one: one.number)
    made.complete(asked)
    devices: Object = {"results": [made.result(one) for one in asked]}
    config = list(made.config(asked))
    if config:
        devices["config"] = config
    allocation: Object = {"devices": devices}
    selector = made.reach([one.device for one in asked])
    if selector is not None:
        allocation["nodeSelector"] = selector
    return allocation


@dataclass(frozen=True, slots=True)
class _Asked:
    """A row with the request that it serves (``spec``: exactly, or the alternative chosen)."""

    row: Row
    number: int
    spec: Object
    device: Device


@dataclass(frozen=True, slots=True)
class _Making:
    world: World
    claim: Object
    node: str

    @property
    def requests(self) -> list[Object]:
        found: list[Object] = self.claim["spec"]["devices"].get("requests") or []
        return found

    def changed(self, sentence: str) -> Changed:
        return Changed((f"claim {name_of(self.claim)}: {sentence}",))

    def asked(self, row: Row) -> _Asked:
        main, _, sub = row["request"].partition("/")
        for number, request in enumerate(self.requests):
            if request["name"] != main:
                continue
            choices = request.get("firstAvailable") or [{**request["exactly"], "name": ""}]
            for choice in choices:
                if choice["name"] == sub:
                    return _Asked(row, number, choice, self.device(row))
        raise self.changed(f"it has no request {row['request']}")

    def device(self, row: Row) -> Device:
        key = (row["driver"], row["pool"], row["device"])
        found = self.world.once(inventory).devices.get(key)
        if found is None:
            raise self.changed(f"device {'/'.join(key)} is not there any more")
        return found

    def complete(self, asked: Sequence[_Asked]) -> None:
        """See to it that each request is served, by one of its alternatives."""
        for number, request in enumerate(self.requests):
            served = {one.row["request"] for one in asked if one.number == number}
            if len(served) != 1:
                said = "gets no device" if not served else "is served by several alternatives"
                raise self.changed(f"request {request['name']} {said}")

    def result(self, one: _Asked) -> Object:
        row, entry = one.row, one.device.entry
        result: Object = {key: row[key] for key in ("request", "driver", "pool", "device")}
        if one.spec.get("adminAccess"):
            result["adminAccess"] = True
        if one.spec.get("tolerations"):
            result["tolerations"] = one.spec["tolerations"]
        for key in ("bindingConditions", "bindingFailureConditions"):
            if entry.get(key):
                result[key] = entry[key]
        if one.device.slice.get("skipNodeOperations"):
            result["skipNodeOperations"] = one.device.slice["skipNodeOperations"]
        if one.device.shared:
            result["shareID"] = str(uuid4())
            taken = self.consumed(one)
            if taken:
                result["consumedCapacity"] = taken
        return result

    def consumed(self, one: _Asked) -> dict[str, str]:
        """Give what the share takes of each capacity of the device, as quantities."""
        driver = one.row["driver"]
        wanted = (one.spec.get("capacity") or {}).get("requests") or {}
        wanted = {qualified(name, driver): text for name, text in wanted.items()}
        planned = {
            qualified(name, driver): exact(amount)
            for name, amount in (one.row.get("consumed") or {}).items()
        }
        found = {}
        for name, capacity in (one.device.entry.get("capacity") or {}).items():
            full = qualified(name, driver)
            amount = share(_capacity(capacity), _exact(wanted.get(full)))
            if amount is None or planned.get(full, amount) != amount:
                raise self.changed(f"what it takes of {name} of {one.row['device']} has changed")
            found[name] = _text(amount, [wanted.get(full), *_texts(capacity)])
        return found

    def config(self, asked: Sequence[_Asked]) -> Iterator[Object]:
        """Yield the configuration: of the classes, then of the claim."""
        chosen = {one.number: (one.row["request"], one.spec) for one in asked}
        by_class: dict[str, list[str]] = {}
        for number in range(len(self.requests)):
            request, spec = chosen[number]
            by_class.setdefault(spec["deviceClassName"], []).append(request)
        names = [request for request, _ in chosen.values()]
        for name, served in by_class.items():
            found = self.world.find("DeviceClass", name)
            if found is None:
                raise self.changed(f"DeviceClass {name} is not there any more")
            for entry in (found.get("spec") or {}).get("config") or ():
                yield _configuration("FromClass", entry, served, names)
        for entry in self.claim["spec"]["devices"].get("config") or ():
            served = entry.get("requests") or []
            if not served or any(_covers(served, name) for name in names):
                yield _configuration("FromClaim", entry, served, names)

    def reach(self, devices: Sequence[Device]) -> Object | None:
        """Give the nodes that reach all devices; None: every node does."""
        fields: list[Object] = []
        labels: list[Object] = []
        for device in devices:
            if device.node or device.entry.get("bindsToNode"):
                where = self.node or device.node
                only = {"key": "metadata.name", "operator": "In", "values": [where]}
                return {"nodeSelectorTerms": [{"matchFields": [only]}]}
            for term in device.selector.get("nodeSelectorTerms") or ():
                _add(fields, term.get("matchFields"))
                _add(labels, term.get("matchExpressions"))
        term = {"matchExpressions": labels, "matchFields": fields}
        term = {key: found for key, found in term.items() if found}
        return {"nodeSelectorTerms": [term]} if term else None


def _configuration(
    source: str, entry: Object, served: Sequence[str], names: Sequence[str]
) -> Object:
    found = {"source": source, **{key: entry[key] for key in entry if key != "requests"}}
    if served and not all(_covers(served, name) for name in names):
        found["requests"] = list(served)
    return found


def _covers(served: Sequence[str], request: str) -> bool:
    return request in served or request.partition("/")[0] in served


def _add(found: list[Object], more: Sequence[Object] | None) -> None:
    """Add requirements of a node selector that are not there yet."""
    known = {_requirement(one) for one in found}
    found += [one for one in more or () if _requirement(one) not in known]


def _requirement(one: Object) -> tuple[str, str, frozenset[str]]:
    return one["key"], one["operator"], frozenset(one.get("values") or ())


def _capacity(entry: Object) -> Capacity:
    policy = entry.get("requestPolicy")
    if policy is None:
        return Capacity(exact(entry["value"]))
    ranged = policy.get("validRange") or {}
    return Capacity(
        exact(entry["value"]),
        Policy(
            default=_exact(policy.get("default")),
            valid=tuple(exact(value) for value in policy.get("validValues") or ()),
            least=_exact(ranged.get("min")),
            most=_exact(ranged.get("max")),
            step=_exact(ranged.get("step")),
        ),
    )


def _exact(text: object) -> Fraction | None:
    return None if text is None else exact(text)


def _texts(entry: Object) -> list[str]:
    policy = entry.get("requestPolicy") or {}
    ranged = policy.get("validRange") or {}
    found = [policy.get("default"), *(policy.get("validValues") or ())]
    return [text for text in (*found, *ranged.values(), entry["value"]) if text is not None]


def _text(amount: Fraction, written: Sequence[str | None]) -> str:
    """Write an amount as a quantity: as one of the texts where that is what it is."""
    for text in written:
        if text is not None and exact(text) == amount:
            return str(text)
    if any(text is not None and text.endswith("i") for text in written):
        for power, suffix in zip(range(60, 0, -10), _BINARY, strict=True):
            if (amount / 2**power).denominator == 1:
                return f"{amount / 2**power}{suffix}"
    for suffix, parts in _DECIMAL:
        if (amount * parts).denominator == 1:
            return f"{amount * parts}{suffix}"
    raise ValueError(f"{amount} is finer than any quantity")
