"""A random cluster with work that runs and work that waits; the same seed, the same objects."""

import random
from dataclasses import dataclass, field

from tests.cluster import devices, workloads
from tests.cluster.faults.placed import all_run, allocate, bind, claim_of
from tests.cluster.live import Live

CLASSES = {"low": 10, "middle": 100, "urgent": 1000}
SHARED = {"fabric": devices.from_template("one")}


@dataclass(slots=True)
class Scenario:
    """What was made, for people who read about a failure."""

    seed: int
    said: list[str] = field(default_factory=list)

    def create(self, live: Live, dice: random.Random) -> None:
        """Create nodes, devices, running gangs, and pending ones of higher and equal priority."""
        racks, size = dice.randint(1, 3), dice.randint(1, 3)
        live.create(
            *(workloads.priority_class(name, value) for name, value in CLASSES.items()),
            *workloads.racks(racks, size, cpu="4"),
            devices.device_class(),
            devices.claim_template("one"),
            *(
                devices.resource_slice(
                    f"fabric-r{rack}", [devices.device("f")], nodes={workloads.RACK: f"r{rack}"}
                )
                for rack in range(racks)
            ),
        )
        self.said.append(f"{racks} racks of {size} nodes")
        for rack in range(racks):
            if dice.random() < 0.7:
                self._running(live, dice, rack, size)
        all_run(live)
        for number in range(dice.randint(1, 4)):
            self._pending(live, dice, number, size)

    def _running(self, live: Live, dice: random.Random, rack: int, size: int) -> None:
        name, claimed = f"old{rack}", dice.random() < 0.4
        live.create(
            *workloads.gang(
                live.served.group_version, name, size, cpu=str(dice.randint(1, 4)),
                priority_class="low", claims=SHARED if claimed else None,
                minimum=dice.randint(1, size), group={"whole": dice.random() < 0.5},
            )
        )  # fmt: skip
        if claimed:
            row = {"driver": devices.DRIVER, "pool": f"fabric-r{rack}", "device": "f"}
            group = {**live.get("PodGroup", f"default/{name}"), "kind": "PodGroup"}
            where = {workloads.RACK: f"r{rack}"}
            allocate(live, claim_of(live, name), [row], group, nodes=where)
        for index in range(size):
            bind(live, f"{name}-{index}", f"n{rack * size + index}")
        self.said.append(f"{name} runs with {size} pods{' and a claim' if claimed else ''}")

    def _pending(self, live: Live, dice: random.Random, number: int, size: int) -> None:
        name, count = f"new{number}", dice.randint(1, size + 1)
        claimed = dice.random() < 0.4
        options = {
            "cpu": str(dice.randint(1, 4)),
            "priority_class": dice.choice(("low", "middle", "urgent")),
            "claims": SHARED if claimed else None,
        }
        rule = {"topology": workloads.RACK} if dice.random() < 0.4 else {}
        live.create(
            *workloads.gang(
                live.served.group_version, name, count, minimum=dice.randint(1, count),
                group=rule, **options,  # type: ignore[arg-type]
            )
        )  # fmt: skip
        if claimed:
            claim_of(live, name)
        self.said.append(f"{name} waits with {count} pods: {options}")
