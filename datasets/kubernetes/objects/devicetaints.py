"""Taints of devices and tolerations of requests (KEP-5055)."""

from gangplan.datasets.kubernetes.devicerecords import DeviceTaint
from gangplan.datasets.kubernetes.objects.taints import toleration
from gangplan.datasets.kubernetes.terms import Toleration
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields

EFFECTS = ("None", "NoSchedule", "NoExecute")
_OPERATORS = ("Equal", "Exists")
_MOST = 16


def device_taints(fields: Fields) -> tuple[DeviceTaint, ...]:
    """Read ``taints`` of a device; those of effect None forbid nothing and are left out."""
    if fields.obj.get("taints") is None:
        return ()
    entries = fields.items("taints")
    if len(entries) > _MOST:
        fields.fault("taints", f"at most {_MOST} expected, got {len(entries)}")
    found = (device_taint(entry) for entry in entries)
    return tuple(taint for taint in found if taint is not None)


def device_taint(entry: Fields) -> DeviceTaint | None:
    """Read one taint; None where its effect is None or (with a fault) where something is wrong."""
    entry.only(deviceschema.TAINT)
    key = entry.text("key", required=True)
    value = entry.text("value")
    effect = entry.text("effect", required=True, choices=EFFECTS)
    entry.timestamp("timeAdded")
    return DeviceTaint(key, value, effect) if key and effect not in ("", "None") else None


def device_tolerations(fields: Fields) -> tuple[Toleration, ...]:
    """Read ``tolerations`` of a request; those of effect None alone cover nothing."""
    entries = fields.items("tolerations")
    if len(entries) > _MOST:
        fields.fault("tolerations", f"at most {_MOST} expected, got {len(entries)}")
    found = [toleration(entry, deviceschema.TOLERATION, _OPERATORS, EFFECTS) for entry in entries]
    return tuple(one for one in found if one.effect != "None")
