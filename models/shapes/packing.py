"""Parts of shared devices packed into what devices have free: exact, and each question once."""

from collections.abc import Sequence

from gangplan.models.errors import FormulationError

STEPS = 100_000
"""Parts put on devices for one packing, after which it is refused by name."""


def packed(free: Sequence[int], parts: Sequence[int]) -> list[int] | None:
    """Device of each part, so that no device gives more than it has; None where there is no way.

    Parameters
    ----------
    free, parts : thousandths.

    Raises
    ------
    FormulationError : STEPS are spent.
    """
    order = sorted(range(len(parts)), key=lambda i: -parts[i])
    if sum(parts) > sum(free):
        return None
    left = list(free)
    place = [-1] * len(parts)
    failed: set[tuple[int, tuple[int, ...]]] = set()
    steps = 0

    def put(at: int, first: int) -> bool:
        """Put the parts from ``at`` on; an equal part does not go before ``first``."""
        nonlocal steps
        if at == len(order):
            return True
        steps += 1
        if steps > STEPS:
            raise FormulationError(
                f"parts of shared devices: not packed within {STEPS:,} steps; counts needs none"
            )
        part = parts[order[at]]
        state = (at, (first, *left))
        if state in failed:
            return False
        tried: set[int] = set()
        for j in range(first, len(left)):
            if left[j] < part or left[j] in tried:
                continue
            tried.add(left[j])
            left[j] -= part
            place[order[at]] = j
            alike = at + 1 < len(order) and parts[order[at + 1]] == part
            if put(at + 1, j if alike else 0):
                return True
            left[j] += part
        failed.add(state)
        return False

    return place if put(0, 0) else None
