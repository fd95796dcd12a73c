"""Capacity of a device, and what may be asked of it by one share (KEP-5075)."""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

from gangplan.datasets.kubernetes.devicerecords import Capacity, Policy
from gangplan.datasets.kubernetes.objects.amounts import amount
from gangplan.datasets.kubernetes.text import deviceschema, quantity
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import qualified

_MOST_VALUES = 10


def capacities(device: Fields, driver: str, multi: bool) -> dict[str, Capacity]:
    """Read ``capacity`` by qualified name; what is wrong goes to the faults of ``device``.

    Parameters
    ----------
    multi : allowMultipleAllocations; only then may a capacity have a policy.
    """
    section = device.mapping("capacity")
    if section is None:
        return {}
    found: dict[str, Capacity] = {}
    for key, value in section.obj.items():
        try:
            name = qualified(key, driver or "unknown")
        except ValueError as error:
            section.fault(key, str(error))
            continue
        one = _quick(value) or _capacity(section, key, multi)
        if one is not None and found.setdefault(name, one) != one:
            section.fault(key, "there twice, with and without the driver's domain")
    return found


def _quick(value: Any) -> Capacity | None:
    """Read ``{value: TEXT}``, as nearly all are; None for anything else."""
    if type(value) is dict and len(value) == 1 and type(text := value.get("value")) is str:
        try:
            return _plain(text)
        except ValueError:
            return None
    return None


@lru_cache(maxsize=4096)
def _plain(text: str) -> Capacity:
    return Capacity(quantity.exact(text))


def _capacity(section: Fields, key: str, multi: bool) -> Capacity | None:
    entry = section.mapping(key, required=True)
    if entry is None:
        return None
    before = len(entry.faults)
    entry.only(deviceschema.CAPACITY)
    value = amount(entry, "value", required=True)
    policy = entry.mapping("requestPolicy")
    if value is None:
        return None
    if policy is not None and not multi:
        entry.fault("requestPolicy", "only beside allowMultipleAllocations")
    found = None if policy is None else _policy(policy, value)
    return Capacity(value, found) if len(entry.faults) == before else None


def _policy(fields: Fields, value: Fraction) -> Policy:
    fields.only(deviceschema.POLICY)
    default = amount(fields, "default")
    chosen = fields.one_of("validValues", "validRange", required=False)
    if chosen and not fields.has("default"):
        fields.fault("default", f"missing beside {chosen}")
    if chosen == "validValues":
        return Policy(default, valid=_values(fields, default, value))
    if chosen == "validRange":
        return _range(fields, default, value)
    return Policy(default)


def _values(fields: Fields, default: Fraction | None, value: Fraction) -> tuple[Fraction, ...]:
    texts = fields.obj["validValues"]
    if not isinstance(texts, list):
        fields.items("validValues")  # tells of it
        return ()
    if len(texts) > _MOST_VALUES:
        fields.fault("validValues", f"at most {_MOST_VALUES} expected, got {len(texts)}")
        return ()
    found: list[Fraction] = []
    for index, text in enumerate(texts):
        try:
            found.append(quantity.exact(text))
        except ValueError as error:
            fields.fault(f"validValues[{index}]", str(error))
            return ()
    if any(one >= other for one, other in pairwise(found)):
        fields.fault("validValues", "values in ascending order expected")
    if found and found[-1] > value:
        fields.fault("validValues", "a value is above the capacity")
    if found and default is not None and default not in found:
        fields.fault("default", "not one of validValues")
    return tuple(found)


def _range(fields: Fields, default: Fraction | None, value: Fraction) -> Policy:
    bounds = fields.mapping("validRange")
    if bounds is None:
        return Policy(default)
    bounds.only(deviceschema.RANGE)
    least = amount(bounds, "min", required=True)
    most, step = amount(bounds, "max"), amount(bounds, "step")
    if least is None:
        return Policy(default)
    top = value if most is None else most
    if most is not None and most > value:
        bounds.fault("max", "above the capacity")
    if least > top:
        bounds.fault("min", "above max" if most is not None else "above the capacity")
    if default is not None and not least <= default <= top:
        fields.fault("default", "outside of validRange")
    if step is not None:
        if step <= 0:
            bounds.fault("step", "more than 0 expected")
        else:
            if least + step > value:
                bounds.fault("step", "min and one step are above the capacity")
            for name, bound in (("default", default), ("validRange.max", most)):
                if bound is not None and (bound - least) % step:
                    fields.fault(name, "no whole number of steps above min")
    return Policy(default, least=least, most=most, step=step)
