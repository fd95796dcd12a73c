"""What an assignment costs, and the bound that needs no search."""

import numpy as np

from gangplan.datasets.classics.roadef.problem import Problem
from gangplan.models.arrays import Ints


def usage(problem: Problem, place: Ints) -> Ints:
    """(M, R) what the processes at ``place`` (P,) need on each machine; no transient part."""
    used = np.zeros_like(problem.machines.capacity)
    np.add.at(used, place, problem.need)
    return used


def _priced(amount: Ints, weight: Ints) -> int:
    """Return the sum of the products: of numbers up to 2^40 each, it may pass 64 bits."""
    return sum(a * w for a, w in zip(amount.tolist(), weight.tolist(), strict=True))


def cost(problem: Problem, place: Ints) -> int:
    """Cost of an assignment (P,): load, balance, and moves of processes, services, machines."""
    machines = problem.machines
    used = usage(problem, place)
    over = np.maximum(used - machines.safety, 0).sum(axis=0)
    total = _priced(over, problem.load_weight)
    free = machines.capacity - used
    for first, second, target, weight in problem.balance.tolist():
        total += weight * int(np.maximum(target * free[:, first] - free[:, second], 0).sum())
    moved = place != problem.start
    per_service = np.bincount(problem.service[moved], minlength=len(problem.spread))
    by_process, by_service, by_machine = problem.weights
    total += by_process * int(problem.process_move[moved].sum())
    total += by_service * int(per_service.max(initial=0))
    return total + by_machine * int(machines.move[problem.start, place].sum())


def lower_bound(problem: Problem) -> int:
    """Return the cost of one machine made of all machines, without moves.

    ::

        sum_r w_r max(0, U_r - S_r) + sum_t w_t max(0, target A_r1 - A_r2),   A = C - U

    with needs U, safety capacities S and capacities C summed over everything: max(0, .) is convex,
    so no assignment is cheaper. It is the bound that the challenge's teams publish.
    """
    machines = problem.machines
    need = problem.need.sum(axis=0)
    over = np.maximum(need - machines.safety.sum(axis=0), 0)
    total = _priced(over, problem.load_weight)
    free = machines.capacity.sum(axis=0) - need
    for first, second, target, weight in problem.balance.tolist():
        total += weight * max(0, target * int(free[first]) - int(free[second]))
    return total
