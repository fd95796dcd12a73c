r"""Machine reassignment as a mixed-integer program.

::

    x[p,m] process p on machine m        z[m,r] load above safety    b[m,t] lack of balance
    f[s,l] service s counts for location l    k[s,h] service s is in neighbourhood h
    g      most processes that any service moves

    sum_m x[p,m] = 1
    sum_p n[p,r] x[p,m] <= C[m,r]                 (transient r: those that leave m stay on it too)
    sum_{p of s} x[p,m] <= 1
    f[s,l] <= sum_{p of s, m of l} x[p,m],        sum_l f[s,l] >= spread[s]
    sum_{m of h} x[p,m] <= k[s',h] <= sum_{q of s', m of h} x[q,m]     (s, of p, depends on s')
    z[m,r] >= U[m,r] - S[m,r],     b[m,t] >= target (C - U)[m,r1] - (C - U)[m,r2]
    g >= sum_{p of s} (1 - x[p,start])
"""

import numpy as np

from gangplan.datasets.classics.roadef.cost import usage
from gangplan.datasets.classics.roadef.problem import Problem
from gangplan.models.arrays import Ints
from gangplan.models.errors import FormulationError
from gangplan.models.milp import Columns, Milp, RowBlock, build, row_block

Blocks = dict[str, Ints]
"""Columns of each block, in its own shape."""


def to_milp(problem: Problem) -> Milp:
    """Write the model; its optimum is the optimum of ``cost``."""
    columns, blocks = _columns(problem)
    rows = [
        *_places(problem, blocks["x"]),
        *_spreads(problem, blocks),
        *_dependencies(problem, blocks),
        *_costs(problem, blocks),
    ]
    price = np.zeros(columns.count)
    by_process, by_service, by_machine = problem.weights
    away = np.arange(blocks["x"].shape[1]) != problem.start[:, None]
    moves = by_machine * problem.machines.move[problem.start]
    price[blocks["x"]] = moves + by_process * problem.process_move[:, None] * away
    price[blocks["z"]] = problem.load_weight
    price[blocks["b"]] = problem.balance[:, 3]
    price[blocks["g"]] = by_service
    return build(columns, rows).with_cost(price)


def encode(problem: Problem, place: Ints) -> Ints:
    """Write an assignment (P,) as a point of the model, at its true cost."""
    columns, blocks = _columns(problem)
    point = np.zeros(columns.count, dtype=np.int64)
    point[blocks["x"][np.arange(len(place)), place]] = 1
    machines = problem.machines
    used = usage(problem, place)
    free = machines.capacity - used
    point[blocks["z"]] = np.maximum(used - machines.safety, 0)
    first, second, target, _ = problem.balance.T
    point[blocks["b"]] = np.maximum(target * free[:, first] - free[:, second], 0)
    for name, services, area in (
        ("f", _spreading(problem), machines.location),
        ("k", _wanted(problem), machines.neighbourhood),
    ):
        for i, service in enumerate(services.tolist()):
            there = np.unique(area[place[problem.service == service]])
            point[blocks[name][i, there]] = 1
    moved = problem.service[place != problem.start]
    point[blocks["g"]] = np.bincount(moved, minlength=1).max()
    return point


def _spreading(problem: Problem) -> Ints:
    return np.flatnonzero(problem.spread > 0)


def _wanted(problem: Problem) -> Ints:
    return np.unique(problem.depends[:, 1])


def _columns(problem: Problem) -> tuple[Columns, Blocks]:
    machines = problem.machines
    n_processes, n_machines = len(problem.start), len(machines.location)
    target = problem.balance[:, 2]
    locations = int(machines.location.max()) + 1
    areas = int(machines.neighbourhood.max()) + 1
    columns = Columns()
    blocks = {
        "x": columns.add("x", np.zeros((n_processes, n_machines)), 1),
        "z": columns.add("z", 0, np.maximum(machines.capacity - machines.safety, 0)),
        "b": columns.add("b", 0, target * machines.capacity[:, problem.balance[:, 0]]),
        "f": columns.add("f", np.zeros((len(_spreading(problem)), locations)), 1),
        "k": columns.add("k", np.zeros((len(_wanted(problem)), areas)), 1),
        "g": columns.add("g", [0], int(np.bincount(problem.service).max())),
    }
    return columns, {name: block.cols for name, block in blocks.items()}


def _places(problem: Problem, x: Ints) -> list[RowBlock]:
    """Each process once; capacities; a service once a machine."""
    n_processes, n_machines = x.shape
    resources = len(problem.transient)
    process = np.broadcast_to(np.arange(n_processes)[:, None], x.shape)
    rows = [row_block("assign.once", process, x, 1, 1, 1, n_processes)]
    # What leaves a machine stays on it, as far as transient resources go.
    stays = usage(problem, problem.start) * problem.transient
    p, m, r = (axis.ravel() for axis in np.indices((n_processes, n_machines, resources)))
    need = problem.need[p, r] * ~(problem.transient[r] & (problem.start[p] == m))
    used = need > 0
    rows.append(
        row_block(
            "capacity.machine",
            (m * resources + r)[used],
            x[p, m][used],
            need[used],
            -np.inf,
            (problem.machines.capacity - stays).ravel(),
            n_machines * resources,
        )
    )
    number = problem.service[:, None] * n_machines + np.arange(n_machines)
    services = len(problem.spread)
    rows.append(row_block("conflict.machine", number, x, 1, -np.inf, 1, services * n_machines))
    return rows


def _spreads(problem: Problem, blocks: Blocks) -> list[RowBlock]:
    """Count a service for a location only where it is; enough locations."""
    services, f = _spreading(problem), blocks["f"]
    if not len(services):
        return []
    index = np.broadcast_to(np.arange(len(services))[:, None], f.shape)
    enough = row_block("spread.least", index, f, 1, problem.spread[services], np.inf, len(services))
    area = problem.machines.location
    return [_present("spread.location", problem, services, blocks["x"], f, area), enough]


def _dependencies(problem: Problem, blocks: Blocks) -> list[RowBlock]:
    """Wherever a process is, the services that its own depends on are in the neighbourhood."""
    wanted, k, x = _wanted(problem), blocks["k"], blocks["x"]
    if not len(wanted):
        return []
    area = problem.machines.neighbourhood
    rows, cols, coefs = [], [], []
    count = 0
    for service, other in problem.depends.tolist():
        mine = np.flatnonzero(problem.service == service)
        first = count + np.arange(len(mine)) * k.shape[1]
        count += len(mine) * k.shape[1]
        at = first[:, None] + area
        limit = first[:, None] + np.arange(k.shape[1])
        which = k[np.searchsorted(wanted, other)]
        rows += [at.ravel(), limit.ravel()]
        cols += [x[mine].ravel(), np.broadcast_to(which, limit.shape).ravel()]
        coefs += [np.ones(at.size, dtype=np.int64), -np.ones(limit.size, dtype=np.int64)]
    where = row_block(
        "dependency.process",
        np.concatenate(rows),
        np.concatenate(cols),
        np.concatenate(coefs),
        -np.inf,
        0,
        count,
    )
    return [where, _present("dependency.neighbourhood", problem, wanted, x, k, area)]


def _present(
    name: str, problem: Problem, services: Ints, x: Ints, there: Ints, area: Ints
) -> RowBlock:
    """Row by (service, area): ``there`` is 1 only where a process of the service is."""
    width = there.shape[1]
    mine = np.flatnonzero(np.isin(problem.service, services))
    row = np.searchsorted(services, problem.service[mine])[:, None] * width + area
    return row_block(
        name,
        np.concatenate([row.ravel(), np.arange(there.size)]),
        np.concatenate([x[mine].ravel(), there.ravel()]),
        np.repeat([-1, 1], [row.size, there.size]),
        -np.inf,
        0,
        there.size,
    )


def _costs(problem: Problem, blocks: Blocks) -> list[RowBlock]:
    """Load above safety, lack of balance, and the service that moves most."""
    x, z, b = blocks["x"], blocks["z"], blocks["b"]
    machines = problem.machines
    load = _over("cost.load", x, z, -problem.need, -machines.safety)
    first, second, target, _ = problem.balance.T
    pull = target * problem.need[:, first] - problem.need[:, second]
    side = target * machines.capacity[:, first] - machines.capacity[:, second]
    home = x[np.arange(len(x)), problem.start]
    services = len(problem.spread)
    moves = row_block(
        "cost.service",
        np.concatenate([problem.service, np.arange(services)]),
        np.concatenate([home, np.repeat(blocks["g"], services)]),
        1,
        np.bincount(problem.service, minlength=services),
        np.inf,
        services,
    )
    return [load, _over("cost.balance", x, b, pull, side), moves]


def _over(name: str, x: Ints, pays: Ints, pull: Ints, side: Ints) -> RowBlock:
    """Rows pays[m,i] + sum_p pull[p,i] x[p,m] >= side[m,i]."""
    n_machines, width = pays.shape
    if pays.shape != side.shape:
        raise FormulationError(f"{name}: sides of another shape")
    p, m, i = (axis.ravel() for axis in np.indices((len(x), n_machines, width)))
    used = pull[p, i] != 0
    return row_block(
        name,
        np.concatenate([(m * width + i)[used], np.arange(pays.size)]),
        np.concatenate([x[p, m][used], pays.ravel()]),
        np.concatenate([pull[p, i][used], np.ones(pays.size, dtype=np.int64)]),
        side.ravel(),
        np.inf,
        pays.size,
    )
