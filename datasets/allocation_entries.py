"""Devices of claims in a plan file: written, and read back strictly.

A pod's own claims stand in its entry (``claims``), shared ones in ``shared_claims`` of the plan::

    {"claim": "gpu", "request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}

``request`` is ``request/subrequest`` where it has choices. A share of a device that allows multiple
allocations says what it takes (``consumed``, capacity: amount in base units, or a quantity such as
``250m``), a shared claim where its new users run (``nodes``).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np

from gangplan.datasets.json_file import refuse
from gangplan.datasets.units import amount_of
from gangplan.models.instance import Instance
from gangplan.models.plan import Allocations, Plan

Name = TypeVar("Name")
Entry: TypeAlias = dict[str, object]
Row: TypeAlias = tuple[int, int, int, int]
"""Pod (-1: shared), claim, choice, device: a row of `Allocations`."""

_KEYS = ("claim", "request", "driver", "pool", "device")


def device_name(name: str) -> tuple[str, str, str]:
    """Split ``driver/pool/device``; a pool may have slashes of its own."""
    driver, _, rest = name.partition("/")
    pool, _, device = rest.rpartition("/")
    return driver, pool, device


def allocation_entries(
    instance: Instance, plan: Plan
) -> tuple[Mapping[int, list[Entry]], list[Entry]]:
    """Entries of own claims by pod, and those of shared claims."""
    consumed = _consumed(instance)
    own: dict[int, list[Entry]] = defaultdict(list)
    shared: list[Entry] = []
    names, given = instance.names, plan.allocations
    nodes = _user_nodes(instance, plan, np.unique(given.claim[given.pod < 0]).tolist())
    for p, c, b, i in _rows(given):
        entry: Entry = {"claim": names.own[c] if p >= 0 else names.shared[c]}
        entry["request"] = names.choices[b]
        entry["driver"], entry["pool"], entry["device"] = device_name(names.devices[i])
        if (b, i) in consumed:
            entry["consumed"] = dict(consumed[b, i])
        if p >= 0:
            own[p].append(entry)
            continue
        if nodes[c]:
            entry["nodes"] = nodes[c]
        shared.append(entry)
    return own, shared


def _rows(given: Allocations) -> list[Row]:
    columns = (given.pod, given.claim, given.choice, given.device)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _consumed(instance: Instance) -> Mapping[tuple[int, int], dict[str, int | str]]:
    """Say what a choice takes of a device's pots: (choice, device) -> capacity -> amount."""
    claims = instance.claims
    found: dict[tuple[int, int], dict[str, int | str]] = defaultdict(dict)
    device = instance.devices.pot_device
    for b, m, amount in zip(
        claims.use_choice.tolist(), claims.use_pot.tolist(), claims.use_amount.tolist(), strict=True
    ):
        name, taken = amount_of(instance.names.pots[m], amount)
        found[b, int(device[m])][name] = taken
    return found


def _user_nodes(instance: Instance, plan: Plan, claims: Sequence[int]) -> dict[int, list[str]]:
    """Nodes of the new users of shared claims, in the instance's order."""
    found = {}
    for c in claims:
        roles = instance.claims.user_role[instance.claims.user_shared == c]
        on = plan.node[np.isin(instance.pod_role, roles) & (plan.node >= 0)]
        found[c] = [instance.names.nodes[n] for n in np.unique(on).tolist()]
    return found


@dataclass(slots=True)
class Reader:
    """Names to numbers for the claims of one plan file.

    Attributes
    ----------
    path : file, for errors.
    own : (role, name) -> w. shared : name -> c. choices : (spec, name) -> b.
    devices : (driver, pool, device) -> i.
    """

    path: str
    instance: Instance
    own: dict[tuple[int, str], int]
    shared: dict[str, int]
    choices: dict[tuple[int, str], int]
    devices: dict[tuple[str, str, str], int]
    rows: list[Row]

    def pod(self, field: str, pod: int, entries: Sequence[Mapping[str, Any]]) -> None:
        """Read the own claims of a pod.

        Raises
        ------
        InputError : a claim that the pod does not have, or as ``shared_claims``.
        """
        names, role = self.instance.names, int(self.instance.pod_role[pod])
        for n, entry in enumerate(entries):
            at = f"{field}[{n}]"
            words = self._words(at, entry)
            claim = self.own.get((role, words["claim"]))
            if claim is None:
                said = f"{names.pods[pod]} has no claim {words['claim']} of its own"
                raise refuse(self.path, f"{at}.claim", said)
            self._add(at, words, pod, claim, int(self.instance.claims.own_spec[claim]))

    def shared_claims(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Read the shared claims.

        Raises
        ------
        InputError : an unknown claim, request or device, or the same device twice.
        """
        for n, entry in enumerate(entries):
            at = f"shared_claims[{n}]"
            words = self._words(at, entry)
            claim = self.shared.get(words["claim"])
            if claim is None:
                raise refuse(self.path, f"{at}.claim", f"{words['claim']} is no shared claim here")
            spec = int(self.instance.claims.shared_spec[claim])
            if spec < 0:
                said = f"{words['claim']} is allocated already"
                raise refuse(self.path, f"{at}.claim", said)
            self._add(at, words, -1, claim, spec)

    def allocations(self) -> Allocations:
        """Return what was read."""
        once = ~self.instance.devices.multi
        for (p, c, _, i), times in Counter(self.rows).items():
            if times > 1 and once[i]:
                names = self.instance.names
                claim = names.own[c] if p >= 0 else names.shared[c]
                whose = f"{claim} of {names.pods[p]}" if p >= 0 else claim
                field = "groups" if p >= 0 else "shared_claims"
                raise refuse(self.path, field, f"{whose}: {names.devices[i]} is given twice")
        table = np.array(self.rows, dtype=np.int64).reshape(-1, 4)
        return Allocations(*table.T)

    def _words(self, field: str, entry: Mapping[str, Any]) -> dict[str, str]:
        for key in _KEYS:
            if not isinstance(entry.get(key), str):
                raise refuse(self.path, f"{field}.{key}", "a text expected")
        return {key: str(entry[key]) for key in _KEYS}

    def _add(self, field: str, words: Mapping[str, str], pod: int, claim: int, spec: int) -> None:
        choice = self.choices.get((spec, words["request"]))
        if choice is None:
            said = f"{words['claim']} has no request {words['request']}"
            raise refuse(self.path, f"{field}.request", said)
        device = self.devices.get((words["driver"], words["pool"], words["device"]))
        if device is None:
            name = f"{words['driver']}/{words['pool']}/{words['device']}"
            raise refuse(self.path, f"{field}.device", f"{name} is no device here")
        self.rows.append((pod, claim, choice, device))


def reader(path: str, instance: Instance) -> Reader:
    """Make the tables of names for one file.

    Raises
    ------
    InputError : two claims of a pod, two choices of a claim or two devices have the same name.
    """
    names, claims = instance.names, instance.claims
    return Reader(
        path,
        instance,
        _numbers(
            path, "claims of a pod", list(zip(claims.own_role.tolist(), names.own, strict=True))
        ),
        _numbers(path, "shared claims", names.shared),
        _numbers(
            path,
            "requests of a claim",
            list(zip(claims.choice_spec.tolist(), names.choices, strict=True)),
        ),
        _numbers(path, "devices", [device_name(name) for name in names.devices]),
        [],
    )


def _numbers(path: str, what: str, names: Sequence[Name]) -> dict[Name, int]:
    found = {name: number for number, name in enumerate(names)}
    if len(found) < len(names):
        raise refuse(path, "instance", f"two {what} have the same name")
    return found
