"""A case of the fuzzer: an instance as plain rows (see ``tests.tiny``), and an objective."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gangplan.models.instance import Instance
from gangplan.models.tiers import Tier, tiers_of
from tests.tiny import make_instance
from tests.tiny_devices import with_devices
from tests.tiny_running import with_running

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Rows that JSON can hold.

    Attributes
    ----------
    nodes, groups, composites, device_unit : as ``make_instance`` takes them.
    devices, specs, own, shared, counters : as ``with_devices`` takes them; nothing of it where
        ``specs`` is empty.
    pods, budgets, holds, never, reserved : as ``with_running`` takes them; nothing of it where
        ``pods`` is empty.
    objective, weights : as ``tiers_of`` takes them; weights by priority, for weighted-gpus only.
    seed : of the generator; also the solvers' seed.
    about : one line for people: what went wrong once.
    """

    nodes: list[Row]
    groups: list[Row]
    composites: list[Row] = field(default_factory=list)
    device_unit: int = 1
    objective: str = "groups"
    weights: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    about: str = ""
    devices: list[Row] = field(default_factory=list)
    specs: list[Row] = field(default_factory=list)
    own: Mapping[str, list[int]] = field(default_factory=dict)
    shared: list[Row] = field(default_factory=list)
    counters: Mapping[str, int] = field(default_factory=dict)
    pods: list[Row] = field(default_factory=list)
    budgets: list[Row] = field(default_factory=list)
    holds: list[Row] = field(default_factory=list)
    never: list[int] = field(default_factory=list)
    reserved: list[Row] = field(default_factory=list)

    def instance(self) -> Instance:
        unit = self.device_unit
        instance = make_instance(self.nodes, self.groups, self.composites, device_unit=unit)
        if self.specs:
            own = {int(role): specs for role, specs in self.own.items()}
            instance = with_devices(
                instance, self.devices, self.specs, own, self.shared, counters=self.counters
            )
        if not self.pods:
            return instance
        # JSON has no numbers as keys.
        holds = [
            row | {"counters": {int(c): n for c, n in row.get("counters", {}).items()}}
            for row in self.holds
        ]
        return with_running(
            instance, self.pods, self.budgets, holds, never=self.never, reserved=self.reserved
        )

    def tiers(self, instance: Instance) -> tuple[Tier, ...]:
        weights = {int(p): w for p, w in self.weights.items()}
        return tiers_of(instance, self.objective, weights or None)


def write(case: Case, path: Path) -> None:
    """One row a line, so that a kept case can be read at a glance."""
    parts = []
    for key, value in asdict(case).items():
        rows = isinstance(value, list) and value
        text = (
            "[\n  " + ",\n  ".join(json.dumps(row) for row in value) + "\n ]"
            if rows
            else json.dumps(value)
        )
        parts.append(f' "{key}": {text}')
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def read(path: Path) -> Case:
    return Case(**json.loads(path.read_text(encoding="utf-8")))
