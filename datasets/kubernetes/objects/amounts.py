"""Quantities of devices: exact fractions out of fields."""

from fractions import Fraction

from gangplan.datasets.kubernetes.text import quantity
from gangplan.datasets.kubernetes.text.fields import Fields
from gangplan.datasets.kubernetes.text.names import qualified


def amount(fields: Fields, key: str, *, required: bool = False) -> Fraction | None:
    """Read a quantity; None where it is absent or (with a fault) where it is none."""
    value = fields.obj.get(key)
    if value is None:
        if required:
            fields.fault(key, "missing")
        return None
    try:
        return quantity.exact(value)
    except ValueError as error:
        fields.fault(key, str(error))
        return None


def amounts(fields: Fields | None, domain: str | None) -> tuple[tuple[str, Fraction], ...]:
    """Read a mapping of capacities to quantities, sorted.

    Parameters
    ----------
    fields : the mapping; None without one.
    domain : what a bare name belongs to; None: bare names stay as they are.
    """
    found: dict[str, Fraction] = {}
    for key in () if fields is None else fields.obj:
        assert fields is not None
        try:
            whole = qualified(key, domain or "bare")
        except ValueError as error:
            fields.fault(key, str(error))
            continue
        value = amount(fields, key, required=True)
        if value is not None:
            name = key if domain is None else whole
            if found.setdefault(name, value) != value:
                fields.fault(key, "there twice, with and without the driver's domain")
    return tuple(sorted(found.items()))
