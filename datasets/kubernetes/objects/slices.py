"""ResourceSlice of resource.k8s.io -> `SliceRecord`; its limits are those of the API server."""

from gangplan.datasets.kubernetes.devicerecords import DeviceRecord, SliceRecord
from gangplan.datasets.kubernetes.objects.counters import counter_sets
from gangplan.datasets.kubernetes.objects.devices import device
from gangplan.datasets.kubernetes.objects.reach import OF_SLICE, Reach, reach
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import driver, object_name, pool

MOST_DEVICES = 128
MOST_SPECIAL_DEVICES = 64
"""Devices of a slice where one has taints, draws from counters or has a list attribute."""


def resource_slice(fields: Fields, version: str) -> SliceRecord | None:
    """Read a ResourceSlice; None, and faults, where something is wrong with it."""
    before = len(fields.faults)
    fields.only(deviceschema.OBJECT)
    name = object_name(fields)
    spec = fields.mapping("spec", required=True)
    if spec is None:
        return None
    spec.only(deviceschema.SLICE)
    spec.text("partitionTypeAttribute")  # these two have no bearing on a placement
    spec.texts("skipNodeOperations")
    driven_by = driver(spec)
    pool_name, generation, slices = _pool(spec)
    counters = counter_sets(spec)
    if counters and spec.has("devices"):
        spec.fault("", "only one of devices and sharedCounters may be set")
    # Counters are reached by nobody: the examples of KEP-4815 leave out what the API asks for.
    where = reach(spec, OF_SLICE, required=not counters)
    if counters and where == Reach():
        where = Reach(everywhere=True)
    if where.selector is not None and len(where.selector) != 1:
        spec.fault("nodeSelector.nodeSelectorTerms", "exactly one term expected")
    devices = _devices(spec, driven_by, version, where)
    if len(fields.faults) > before:
        return None
    return SliceRecord(
        name=name,
        driver=driven_by,
        pool=pool_name,
        generation=generation,
        slices=slices,
        devices=devices,
        counters=counters,
        source=fields.source,
        node=where.node,
        selector=where.selector,
        everywhere=where.everywhere,
        each=where.each,
    )


def _pool(spec: Fields) -> tuple[str, int, int]:
    fields = spec.mapping("pool", required=True)
    if fields is None:
        return "", 0, 1
    fields.only(deviceschema.POOL)
    generation = fields.integer("generation", 0, minimum=0)  # Go leaves no 0 out, people do
    slices = fields.integer("resourceSliceCount", 1, required=True, minimum=1)
    return pool(fields, "name"), generation, slices


def _devices(spec: Fields, driven_by: str, version: str, where: Reach) -> tuple[DeviceRecord, ...]:
    entries = spec.items("devices")
    if len(entries) > MOST_DEVICES:
        spec.fault("devices", f"at most {MOST_DEVICES} expected, got {len(entries)}")
        return ()
    found = tuple(device(entry, driven_by, version, where) for entry in entries)
    pairs = list(zip(found, entries, strict=True))
    if len(found) > MOST_SPECIAL_DEVICES and any(_special(*pair) for pair in pairs):
        text = "with taints, counters or list attributes expected"
        spec.fault("devices", f"at most {MOST_SPECIAL_DEVICES} {text}, got {len(found)}")
    seen: set[str] = set()
    for one, entry in pairs:
        if one.name in seen and one.name:
            entry.fault("name", f"{one.name} is there twice")
        seen.add(one.name)
    return found


def _special(one: DeviceRecord, entry: Fields) -> bool:
    body = entry.obj.get("basic") or entry.obj  # a taint of effect None counts too
    taints = body.get("taints") if isinstance(body, dict) else None
    return bool(one.draws or taints or any(value.listed for value in one.attributes.values()))
