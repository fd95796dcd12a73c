"""What one share of a device takes of a capacity (KEP-5075, resource.k8s.io requestPolicy)."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from gangplan.datasets.kubernetes.devicerecords import Capacity, DeviceRecord, Policy

Amounts = Mapping[str, Fraction]


def qualified(name: str, driver: str) -> str:
    """Give the name of a capacity with its domain; a bare name is the driver's."""
    return name if "/" in name else f"{driver}/{name}"


def consumed(device: DeviceRecord, driver: str, asked: Amounts) -> dict[str, Fraction] | None:
    """Give what serving a request takes of each capacity; None where the device cannot serve it.

    A device that serves one claim only is taken whole: what is asked is compared and nothing is
    taken. One that allows multiple allocations gives of every capacity it has. A capacity that is
    asked for twice, with and without the driver's domain, is served by none, as in Kubernetes.
    """
    wanted = {qualified(name, driver): amount for name, amount in asked.items()}
    if not wanted.keys() <= device.capacity.keys() or len(wanted) < len(asked):
        return None
    if not device.multi:
        fine = all(device.capacity[name].value >= amount for name, amount in wanted.items())
        return {} if fine else None
    found: dict[str, Fraction] = {}
    for name, capacity in device.capacity.items():
        amount = share(capacity, wanted.get(name))
        if amount is None or amount > capacity.value:
            return None
        found[name] = amount
    return found


def share(capacity: Capacity, asked: Fraction | None) -> Fraction | None:
    """Round what is asked of a capacity by its policy; None above the largest value allowed.

    Without a request the policy's default is taken, without a policy all there is.
    """
    policy = capacity.policy
    if asked is None:
        return capacity.value if policy is None or policy.default is None else policy.default
    if policy is None:
        return asked
    if policy.valid:
        return min((value for value in policy.valid if value >= asked), default=None)
    return asked if policy.least is None else _in_range(policy, policy.least, asked)


def _in_range(policy: Policy, least: Fraction, asked: Fraction) -> Fraction | None:
    amount = max(asked, least)
    if policy.step:
        amount = least + ceil((amount - least) / policy.step) * policy.step
    return None if policy.most is not None and amount > policy.most else amount
