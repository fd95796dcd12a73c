"""Checked, read-only numpy columns: the one place where an array enters a frozen record."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gangplan.models.errors import InstanceError

Ints = npt.NDArray[np.int64]
"""Quantities, counts and numbers of things (index columns): int64."""

Flags = npt.NDArray[np.bool_]

Floats = npt.NDArray[np.float64]

MOST = 2**62
"""Amounts are cut to it, so that no sum of two wraps round."""


def ints(value: npt.ArrayLike, *shape: int, name: str) -> Ints:
    """Return ``value`` as a read-only int64 array of ``shape`` (-1: any length).

    Raises
    ------
    InstanceError : wrong shape, or values that are not integers.
    """
    array = np.asarray(value)
    if array.size == 0:
        array = array.astype(np.int64).reshape(_empty(array.shape, shape))
    if array.dtype.kind not in "iu":
        raise InstanceError(f"{name}: integers expected, not {array.dtype}")
    frozen: Ints = _frozen(array.astype(np.int64), shape, name)
    return frozen


def flags(value: npt.ArrayLike, *shape: int, name: str) -> Flags:
    """Return ``value`` as a read-only bool array of ``shape`` (-1: any length)."""
    array = np.asarray(value)
    if array.size == 0:
        array = array.astype(np.bool_).reshape(_empty(array.shape, shape))
    if array.dtype.kind != "b":
        raise InstanceError(f"{name}: booleans expected, not {array.dtype}")
    frozen: Flags = _frozen(array.copy(), shape, name)
    return frozen


def at_least(array: Ints, floor: int, name: str) -> None:
    """Raise InstanceError where a value lies below ``floor``."""
    if array.size and int(array.min()) < floor:
        raise InstanceError(f"{name}: {int(array.min())} is below {floor}")


def below(array: Ints, ceiling: int, name: str) -> None:
    """Raise InstanceError where a number is not below ``ceiling`` (an index out of its set)."""
    if array.size and int(array.max()) >= ceiling:
        raise InstanceError(f"{name}: {int(array.max())} is out of range, there are {ceiling}")


def _empty(have: tuple[int, ...], want: tuple[int, ...]) -> tuple[int, ...]:
    """Keep the free axes of an empty array: no roles, yet C classes."""
    free = have if len(have) == len(want) else (0,) * len(want)
    kept = tuple(h if w < 0 else w for h, w in zip(free, want, strict=True))
    return kept if 0 in kept else tuple(max(w, 0) for w in want)


def _frozen(array: Any, shape: tuple[int, ...], name: str) -> Any:
    if array.ndim != len(shape) or any(
        want not in (-1, have) for want, have in zip(shape, array.shape, strict=True)
    ):
        raise InstanceError(f"{name}: shape {shape} expected, not {array.shape}")
    array.flags.writeable = False
    return array
