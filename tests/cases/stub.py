"""Runs a case with a stubbed backend: what a solver says, and what the user may be told.

Each row is tried twice. From the empty plan, everything that the tiers get is the stub's word, so
its word alone decides the status. As ``Exact`` runs it, a greedy plan stands before the solver is
asked: that is the fallback, and it must never be lost.
"""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import gangplan.api
from gangplan.models.arrays import Floats, Ints
from gangplan.models.counts.decode import encode
from gangplan.models.counts.formulation import build
from gangplan.models.instance import Instance
from gangplan.models.milp import Milp
from gangplan.models.plan import Plan, empty_plan
from gangplan.models.tiers import tiers_of
from gangplan.solvers.backends.cbc_answer import read_answer
from gangplan.solvers.backends.fixed import FixedSolver
from gangplan.solvers.backends.highs import stop_of
from gangplan.solvers.base import Limits, Outcome, Stop
from gangplan.solvers.explain.reasons import reasons
from gangplan.solvers.planners.exact import Exact
from gangplan.solvers.staged import Staged, solve_tiers
from tests.cases import convert
from tests.cases.read import Case

BACKENDS = ("highs", "cbc")
"""Backends whose words can be stubbed; a row of another one does not hold."""


@dataclass(frozen=True, slots=True)
class Stub:
    """A fixed answer with the numbers that a backend gives beside it for each objective.

    The objective is that of the point; a proof of optimality means that the bound equals it.
    """

    fixed: FixedSolver

    @property
    def name(self) -> str:
        """Return ``stub``."""
        return "stub"

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Return the fixed answer, its objective and, where it is called optimal, its bound."""
        said = self.fixed.solve(milp, limits, start=start)
        objective = None if said.x is None else float(milp.cost @ said.x)
        return replace(
            said, objective=objective, bound=objective if said.stop is Stop.OPTIMAL else None
        )


def stub_rows(case: Case, folder: Path) -> list[str]:
    """Return ``row N: what was expected, what came`` of each row that does not hold."""
    rows = case.body.get("stub_solver_results", ())
    if not rows:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "cluster.yaml"
    source.write_text(yaml.safe_dump_all(convert.documents(case)), encoding="utf-8")
    instance = gangplan.api.load([source], levels=convert.levels(case))
    return [
        f"row {number}: {text}"
        for number, row in enumerate(rows, start=1)
        for text in _row(case, instance, row)
    ]


def _row(case: Case, instance: Instance, row: Mapping[str, Any]) -> Iterator[str]:
    if row["backend"] not in BACKENDS:
        yield f"no stub of {row['backend']}"
        return
    solver = Stub(FixedSolver(_outcome(instance, list(case.pods_of()), row)))
    limits = Limits(seconds=10)
    alone = solve_tiers(instance, tiers_of(instance), empty_plan(instance), solver, limits)
    whole = Exact(solver).plan(instance, limits)
    for plan in (alone.plan, whole.plan):
        yield from (broken.sentence for broken in gangplan.api.verify(instance, plan))
    expect = row["expect"]
    fallback = expect.get("fallback_used", False)
    used = bool((alone.plan.node < 0).all() and (whole.plan.node >= 0).any())
    placed = _placed(instance, whole.plan if fallback else alone.plan)
    seen: dict[str, Any] = {
        "status": _status(alone),
        "gap_shown": bool(alone.tiers[0].gap),
        "fallback_used": used,
        "placed": placed,
    }
    for key, want in expect.items():
        if key in seen and seen[key] != want:
            yield f"{key} {want}, came {seen[key]}"
    if row.get("mip_gap") is not None and alone.tiers[0].gap != row["mip_gap"]:
        yield f"gap {row['mip_gap']}, came {alone.tiers[0].gap}"
    for entry in expect.get("errors", ()):
        for word in entry["must_mention"]:
            if not any(word in text for text in alone.warnings):
                yield f"{word!r} in a warning, came {alone.warnings}"
    impossible = [
        text
        for text in reasons(instance, alone.plan, alone.tiers).values()
        if "cannot be placed" in text
    ]
    if impossible:
        yield f"no group called impossible, came {impossible}"


def _status(staged: Staged) -> str:
    """Put what a user sees of a staged solve into the words of the cases."""
    if all(tier.proven for tier in staged.tiers):
        return "optimal"
    if (staged.plan.node >= 0).any():
        return "feasible"
    if any("failed its check" in text for text in staged.warnings):
        return "no_valid_solution"
    return "solver_error" if staged.warnings else "no_solution_in_time"


def _outcome(instance: Instance, groups: list[str], row: Mapping[str, Any]) -> Outcome:
    """Translate a row as the backend's module would: its status table decides."""
    model = build(instance)
    x: Floats | None = None
    if row.get("primal_violates_a_row"):
        # Every column at its upper bound: more pods than the nodes have room for.
        x = model.milp.upper.astype(np.float64)
        assert len(model.milp.violated_rows(x.astype(np.int64)))
    elif row["primal"] is not None:
        share = np.array(row["primal"], dtype=np.float64)
        chosen = dict(zip(groups, (share > 0).tolist(), strict=True))
        x = encode(model, _plan(instance, chosen)).astype(np.float64)
        # Of a relaxation: everything by halves, which is no point of the model.
        x *= share[share > 0].min()
    if row["backend"] == "cbc":
        return _said_by_cbc(model.milp, row["text"], x)
    stop, limit = stop_of(row["model_status"], x is not None)
    return Outcome(stop, x=x, limit=limit, message=row["model_status"])


def _said_by_cbc(milp: Milp, text: str, x: Floats | None) -> Outcome:
    """Read the solution file that CBC would have written: PuLP's own words for it do not matter."""
    lines = [] if x is None else [f"{j} x{j} {value} 0" for j, value in enumerate(x.tolist())]
    answer = read_answer(io.StringIO("\n".join([text, *lines])), milp.n_cols, milp.n_rows)
    assert answer is not None
    return Outcome(answer.stop, x=answer.x, limit=answer.limit, message=answer.word)


def _plan(instance: Instance, chosen: Mapping[str, int]) -> Plan:
    """Place each chosen group's one pod on a node of its own."""
    where = np.full(instance.n_pods, -1, dtype=np.int64)
    for p, role in enumerate(instance.pod_role):
        name = instance.names.groups[instance.roles.group[role]].rpartition("/")[2]
        if chosen[name]:
            where[p] = p
    none = np.zeros(0, dtype=np.int64)
    return Plan(where, none, none)


def _placed(instance: Instance, plan: Plan) -> dict[str, int]:
    found = {name.rpartition("/")[2]: 0 for name in instance.names.groups}
    for role, pods in enumerate(plan.placed_per_role(instance).tolist()):
        group = instance.names.groups[instance.roles.group[role]].rpartition("/")[2]
        found[group] += pods
    return found
