"""Selectors on many devices: once for each distinct thing that a selector reads."""

from collections.abc import Hashable, Sequence
from functools import lru_cache

from gangplan.datasets.kubernetes.cel.errors import CelError, CelFailure
from gangplan.datasets.kubernetes.cel.selector import Selector, compile_selector, evaluate
from gangplan.datasets.kubernetes.devicerecords import DeviceRecord


@lru_cache(maxsize=4096)
def compiled(expression: str) -> Selector | CelError:
    """Compile an expression once; the error where it does not compile."""
    try:
        return compile_selector(expression)
    except CelError as error:
        return error.with_traceback(None)


def matches(
    selector: Selector, devices: Sequence[tuple[str, DeviceRecord]]
) -> list[bool | CelFailure]:
    """Tell which devices match.

    Parameters
    ----------
    devices : (driver, device).
    """
    known: dict[Hashable, bool | CelFailure] = {}
    answers = []
    for driver, device in devices:
        key = selector.reads.of(device, driver)
        answer = known.get(key)
        if answer is None:
            answer = known[key] = evaluate(selector, device, driver)
        answers.append(answer)
    return answers
