"""Numbers as text, the same number when read back: whole ones without a point."""

import numpy as np

from gangplan.models.arrays import Floats

EXACT = 2.0**53
"""Below this, a float64 that is whole is printed as the integer it is."""


def texts(values: Floats) -> list[str]:
    """Return each finite value as text; fast where all are whole."""
    if (values == np.rint(values)).all() and float(np.abs(values).max(initial=0.0)) <= EXACT:
        return list(map(str, values.astype(np.int64).tolist()))
    return [_text(value) for value in values.tolist()]


def _text(value: float) -> str:
    if value.is_integer() and abs(value) <= EXACT:
        return str(int(value))
    return repr(value)
