"""Devices as the columns say them: what is taken, what counters and pots have left, traits."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from gangplan.datasets.devices import Offer
from gangplan.datasets.kubernetes.assemble.devices.held import Held
from gangplan.datasets.kubernetes.assemble.devices.inventory import ITSELF, Inventory
from gangplan.datasets.kubernetes.assemble.devices.pools import Pool
from gangplan.datasets.kubernetes.assemble.devices.scales import Scale
from gangplan.models.arrays import Flags


@dataclass(frozen=True, slots=True, eq=False)
class Stock:
    """Writes the devices that some choice asks.

    Attributes
    ----------
    counters : units of counters, by full name. pots : units of capacities, by qualified name.
    freed : (I,) devices that can come free, although somebody holds them.
    """

    inventory: Inventory
    held: Held
    counters: Scale
    pots: Scale
    freed: Flags

    def left(self, devices: Sequence[int]) -> dict[str, int]:
        """Give what is left of each counter that one of the devices draws from."""
        found: dict[str, int] = {}
        pools = {id(pool): pool for pool in (self.inventory.pools[i] for i in devices)}
        drawn = {
            (id(self.inventory.pools[i]), f"{group}/{counter}")
            for i in devices
            for group, counter, _ in self.inventory.records[i].draws
        }
        for number, pool in pools.items():
            if not pool.counters:
                continue
            free = self._free(pool)
            for name in sorted(free):
                if (number, name) in drawn:
                    full = f"{pool.full_name}/{name}"
                    found[self.counters.name(full)] = self.counters.free(full, free[name])
        return found

    def _free(self, pool: Pool) -> dict[str, Fraction]:
        """Subtract the draws of every held device of the pool, each once."""
        free = dict(pool.counters)
        for device, _ in pool.devices:
            held = (pool.driver, pool.name, device.name) in self.held.consumed
            for group, counter, amount in device.draws:
                name = f"{group}/{counter}"
                full = f"{pool.full_name}/{name}"
                self.counters.meet([(full, amount), (full, pool.counters[name])])
                if held:
                    free[name] -= amount
        return free

    def offers(self, devices: Iterable[int], compared: Iterable[str], alone: Flags) -> list[Offer]:
        """Write the devices; `left` comes first, since it settles the units of counters.

        Parameters
        ----------
        compared : attributes that some rule compares.
        alone : (I,) devices that some rule compares as themselves.
        """
        names = sorted(set(compared))
        return [self._offer(i, names, bool(alone[i])) for i in devices]

    def _offer(self, i: int, compared: Sequence[str], alone: bool) -> Offer:
        inventory = self.inventory
        device = inventory.records[i]
        shares = self.held.consumed.get(inventory.keys[i])
        itself = {ITSELF: (("string", inventory.name(i)),)} if alone else {}
        return Offer(
            name=inventory.name(i),
            node=int(inventory.node[i]),
            zone=int(inventory.zone[i]),
            multi=device.multi,
            taken=shares is not None and not device.multi,
            draws={} if shares is not None and not self.freed[i] else self._draws(i),
            pots={
                self.pots.name(name): self.pots.free(
                    name, capacity.value - (shares or {}).get(name, Fraction(0))
                )
                for name, capacity in sorted(device.capacity.items() if device.multi else ())
            },
            traits=itself
            | {
                # Equal values of two types are different values.
                name: tuple((found.type, value) for value in dict.fromkeys(found.values))
                for name in compared
                if (found := device.attributes.get(name)) is not None
            },
        )

    def _draws(self, i: int) -> dict[str, int]:
        return {
            self.counters.name(name): self.counters.taken(name, amount)
            for name, amount in self.drawn(i)
        }

    def drawn(self, i: int) -> list[tuple[str, Fraction]]:
        """Give what a device draws from each counter, by full name."""
        pool = self.inventory.pools[i].full_name
        return [
            (f"{pool}/{group}/{counter}", amount)
            for group, counter, amount in self.inventory.records[i].draws
        ]

    def short(self, devices: Iterable[int]) -> dict[str, Fraction]:
        """Give what is drawn beyond each counter of the devices' pools, by full name."""
        pools = {id(pool): pool for pool in (self.inventory.pools[i] for i in devices)}
        return {
            f"{pool.full_name}/{name}": -left
            for pool in pools.values()
            for name, left in (self._free(pool).items() if pool.counters else ())
            if left < 0
        }
