"""Nodes that differ in names alone are one class, and parts are filled as the whole would be."""

import random

import pytest

from gangplan.datasets.generate import generate
from gangplan.models.instance import Instance
from gangplan.solvers.planners.greedy.allocator.dealer import Dealer, specs_of
from gangplan.solvers.planners.greedy.allocator.search import GaveUp, Search
from gangplan.solvers.planners.greedy.allocator.stock import Ledger, Stock
from tests.tiny import make_instance
from tests.tiny_devices import with_devices


def classes(instance: Instance) -> list[int]:
    """The class of each node."""
    dealer = Dealer(instance)
    stock = Stock(instance, dealer.kind, dealer.kinds)
    return [
        dealer.class_of(*Ledger(stock).things(stock.reached(n)), stock.barred[n])[0]
        for n in range(len(instance.nodes))
    ]


@pytest.mark.parametrize("seed", range(5))
def test_names_and_order_of_devices_do_not_matter(seed: int) -> None:
    chance = random.Random(seed)
    devices = []
    for n in range(6):
        node = [
            {"node": n, word: True, "root": f"{n}-{r}", "draws": {f"c{n}-{r}": 1 + (word == "gpu")}}
            for r in range(3)
            for word in ("gpu", "gpu", "nic")
        ]
        chance.shuffle(node)
        devices += node[:-1] if n == 5 else node
    instance = with_devices(
        make_instance([{"cpu": 9}] * 6, [{"wanted": 1, "request": {"cpu": 1}}]),
        devices,
        [{"requests": [("g", "gpu"), ("n", "nic")], "match": ["root"]}],
        {0: [0]},
        counters={f"c{n}-{r}": 4 for n in range(6) for r in range(3)},
    )
    found = classes(instance)
    assert len(set(found[:5])) == 1
    assert found[5] != found[0]


@pytest.mark.parametrize("seed", range(6))
def test_parts_hold_together_what_the_whole_node_holds(seed: int) -> None:
    chance = random.Random(seed)
    instance = generate("mig", nodes=1, groups=40, seed=seed)
    dealer = Dealer(instance)
    stock = Stock(instance, dealer.kind, dealer.kinds)
    compared = 0
    for _ in range(12):
        few = chance.sample(sorted({i // 18 for i in stock.reached(0)}), 2)
        things, left = Ledger(stock).things(i for i in stock.reached(0) if i // 18 in few)
        of, _order = dealer.class_of(things, left, frozenset())
        specs = specs_of(
            chance.randrange(len(dealer.asked[:6])) for _ in range(chance.randint(2, 6))
        )
        supply = dealer._classes[of].supply
        claims = [dealer.asked[s] for s, n in reversed(specs) for _ in range(n)]
        try:
            whole = Search(supply, dealer.kinds, claims, steps=40_000).run() is not None
        except GaveUp:
            continue
        compared += 1
        assert dealer.fits(dealer.situation(of, specs)) == whole
    assert compared > 3
