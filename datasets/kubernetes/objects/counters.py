"""Shared counters of a pool and what devices draw from them (KEP-4815)."""

from fractions import Fraction

from gangplan.datasets.kubernetes.objects.amounts import amount
from gangplan.datasets.kubernetes.text import deviceschema
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import is_label, label

COMPATIBILITY = "consumesCounters[].compatibilityGroups"
"""An alpha field (KEP-5963) that is not honoured."""

_MOST_SETS = 8
_MOST_COUNTERS = 32
_MOST_DRAWS = 2
Draws = tuple[tuple[str, str, Fraction], ...]


def counter_sets(spec: Fields) -> dict[str, dict[str, Fraction]]:
    """Read ``sharedCounters`` of a slice: counter set -> counter -> value."""
    entries = spec.items("sharedCounters")
    if len(entries) > _MOST_SETS:
        spec.fault("sharedCounters", f"at most {_MOST_SETS} expected, got {len(entries)}")
        return {}
    found: dict[str, dict[str, Fraction]] = {}
    for entry in entries:
        entry.only(deviceschema.COUNTER_SET)
        name = label(entry, "name", required=True)
        if name in found:
            entry.fault("name", f"{name} is there twice")
        found[name] = _counters(entry)
    return found


def draws(device: Fields) -> tuple[Draws, bool]:
    """Read ``consumesCounters`` of a device.

    Returns
    -------
    draws, grouped
        (counter set, counter, amount), sorted; whether any names compatibility groups.
    """
    if device.obj.get("consumesCounters") is None:
        return (), False
    entries = device.items("consumesCounters")
    if len(entries) > _MOST_DRAWS:
        device.fault("consumesCounters", f"at most {_MOST_DRAWS} expected, got {len(entries)}")
    found: dict[tuple[str, str], Fraction] = {}
    seen: set[str] = set()
    grouped = False
    for entry in entries:
        entry.only(deviceschema.DRAW)
        name = label(entry, "counterSet", required=True)
        if name in seen:
            entry.fault("counterSet", f"{name} is there twice")
        seen.add(name)
        grouped |= bool(entry.texts("compatibilityGroups"))
        found.update({(name, counter): value for counter, value in _counters(entry).items()})
    return tuple(sorted((*key, value) for key, value in found.items())), grouped


def _counters(fields: Fields) -> dict[str, Fraction]:
    section = fields.mapping("counters", required=True)
    if section is None:
        return {}
    if not section.obj:
        fields.fault("counters", "missing")
    if len(section.obj) > _MOST_COUNTERS:
        fields.fault("counters", f"at most {_MOST_COUNTERS} expected, got {len(section.obj)}")
        return {}
    found: dict[str, Fraction] = {}
    for name in section.obj:
        if not is_label(name):
            section.fault(name, "a DNS label (a-z, 0-9, '-') expected")
        entry = section.mapping(name, required=True)
        if entry is None:
            continue
        entry.only(deviceschema.COUNTER)
        value = amount(entry, "value", required=True)
        if value is not None:
            found[name] = value
    return found
