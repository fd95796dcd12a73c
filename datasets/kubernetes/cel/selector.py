"""CEL selectors of devices: read once, evaluated on records."""

from dataclasses import dataclass, field

from gangplan.datasets.kubernetes.cel import library, limits, refusals
from gangplan.datasets.kubernetes.cel.errors import CelError, CelFailure, Failed, TooDear
from gangplan.datasets.kubernetes.cel.estimate import estimated
from gangplan.datasets.kubernetes.cel.evaluation import evaluated
from gangplan.datasets.kubernetes.cel.limits import Meter
from gangplan.datasets.kubernetes.cel.reads import Reads, reads_of
from gangplan.datasets.kubernetes.cel.record import device_value
from gangplan.datasets.kubernetes.cel.tree import Node, read
from gangplan.datasets.kubernetes.cel.values import type_name
from gangplan.datasets.kubernetes.devicerecords import DeviceRecord


@dataclass(frozen=True, slots=True)
class Selector:
    """A compiled expression; equal where the expressions are.

    Attributes
    ----------
    reads : what of a device it can read.
    cost : the most it can cost, as Kubernetes estimates it.
    """

    expression: str
    reads: Reads = field(compare=False)
    cost: int = field(compare=False)
    tree: Node = field(compare=False, repr=False)


def compile_selector(expression: str) -> Selector:
    """Compile an expression as Kubernetes does when an object with it is created.

    Raises
    ------
    CelError : it does not compile, gives no bool, is longer than 10 KiB or could cost more than
        1,000,000; or (``not supported``) it uses what is not evaluated here.
    """
    try:
        length = len(expression.encode())
    except UnicodeEncodeError:
        raise CelError("no valid Unicode") from None
    if length > limits.LENGTH:
        raise CelError(f"too long: {length} bytes, at most {limits.LENGTH} allowed")
    if not expression.strip():
        raise CelError("empty")
    refusals.before(expression)
    try:
        checked = library.check(expression)
    except CelError as error:
        raise refusals.explained(expression, error) from None
    root = read(checked)
    refusals.check(root)
    cost = estimated(root)
    if cost > limits.COST:
        raise CelError(f"too complex, exceeds cost limit of {limits.COST}")
    return Selector(expression, reads_of(root), cost, root)


def evaluate(selector: Selector, device: DeviceRecord, driver: str) -> bool | CelFailure:
    """Tell whether a device of a driver matches; a failure where Kubernetes has an error."""
    try:
        value = evaluated(selector.tree, device_value(device, driver), Meter())
    except (Failed, TooDear) as error:
        return CelFailure(str(error))
    if isinstance(value, bool):
        return value
    return CelFailure(f"CEL result of type {type_name(value)} could not be converted to bool")
