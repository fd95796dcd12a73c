"""``gangplan verify``: whether a plan file keeps every rule, and what it claims is so."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gangplan.cli import codes, options
from gangplan.cli.progress import say
from gangplan.cli.reading import read_sources, say_notes

if TYPE_CHECKING:
    from gangplan.models.result import Result
    from gangplan.solvers.recheck import Recheck

SECONDS = 60.0
"""What --proof may search for, unless told otherwise."""


def verify(
    sources: options.Sources,
    plan: Annotated[str, typer.Option(metavar="FILE", help="The plan file.", show_default=False)],
    proof: Annotated[
        bool, typer.Option("--proof", help="Re-check what the file calls proven, and its bounds.")
    ] = False,
    solver: Annotated[
        str | None,
        typer.Option(help="Of --proof: who searches again; default another than made the claim."),
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(metavar="S", help=f"Of --proof: seconds, {SECONDS:g} if unsaid.")
    ] = None,
    as_json: options.AsJson = False,
    kubernetes: options.Kubernetes = "1.37",
    levels: options.Levels = [],  # noqa: B006 - typer reads the default, nobody changes it
    ignore_unsupported: options.IgnoreUnsupported = False,
) -> int:
    """Check a plan file against the snapshot it was made for; each violation is a sentence."""
    from gangplan import api
    from gangplan.checks import check_solver
    from gangplan.datasets.json_file import read_object
    from gangplan.datasets.kubernetes.text.fields import printable
    from gangplan.datasets.plan_claims import false_claims
    from gangplan.datasets.plan_file import result_of
    from gangplan.files import STDIO
    from gangplan.models.restrict import as_planned

    for option, value in (("--solver", solver), ("--time-limit", time_limit)):
        if value is not None and not proof:
            raise options.usage(option, "only with --proof")
    limits = options.limits_of(SECONDS if time_limit is None else time_limit, 0.0, 1, 0)
    if solver is not None:
        check_solver(solver)
    if plan == STDIO and STDIO in sources:
        raise options.usage("--plan", "standard input is the source already")
    instance = read_sources(sources, kubernetes, levels, ignore_unsupported)
    document = read_object(plan)
    result = result_of(document, instance, plan)
    say_notes(instance)
    claims = false_claims(document, instance, plan)
    # Budgets bind where the planner was told so; of evictions that it was to leave alone the
    # claims speak.
    planned = as_planned(instance, result.planner)
    violations = api.verify(planned if len(planned.running) else instance, result.plan)
    lines = [*(v.sentence for v in violations), *claims]
    # A plan that breaks a rule proves nothing: its claims are not looked at any further.
    proofs = api.recheck(instance, result, solver, limits) if proof and not lines else ()
    if as_json:
        said: dict[str, Any] = {
            "plan": plan,
            "violations": [asdict(violation) for violation in violations],
            "false_claims": list(claims),
        }
        print(json.dumps(said | ({"proofs": list(map(asdict, proofs))} if proof else {}), indent=1))
    else:
        for line in lines:
            print(printable(line))  # it may quote the file
    if lines:
        say(f"{plan}: {len(lines)} thing{'s' if len(lines) > 1 else ''} wrong")
        return codes.VERIFICATION_FAILED
    keeps = f"{plan}: keeps every rule ({_agreed(result)}"
    if not proof:
        _verdict(f"{keeps}; bounds are not computed again: --proof does)", as_json)
        return codes.GOOD
    if not as_json:
        _show(proofs)
    _verdict(f"{keeps})", as_json)
    return _settled(plan, result, proofs, as_json)


def _agreed(result: "Result") -> str:
    n = len(result.plan.evicted)
    evicted = f"{n} eviction{'s' * (n > 1)}, " * (n > 0)
    placed = int((result.plan.node >= 0).sum())
    return f"{placed} pods placed, {evicted}{len(result.tiers)} tier values agree"


def _show(proofs: "Sequence[Recheck]") -> None:
    """Print one row a claim."""
    from gangplan.cli.tables import console, show_table

    rows = [
        (one.tier or one.group, one.verdict, one.how, f"{one.seconds:.2f}", one.sentence)
        for one in proofs
    ]
    if rows:
        head = ("claim of", "verdict", "by", "seconds", "what was found")
        show_table(console(), head, rows, numbers=("seconds",))


def _settled(plan: str, result: "Result", proofs: "Sequence[Recheck]", as_json: bool) -> int:
    """Say what became of the claims, and return the exit code."""
    from gangplan.solvers.recheck import NOT_SETTLED, REFUTED

    count = {word: sum(one.verdict == word for one in proofs) for word in (REFUTED, NOT_SETTLED)}
    if count[REFUTED]:
        say(f"{plan}: {count[REFUTED]} of {len(proofs)} claims refuted")
        return codes.VERIFICATION_FAILED
    if count[NOT_SETTLED]:
        say(f"{plan}: {count[NOT_SETTLED]} of {len(proofs)} claims not settled, none refuted")
        return codes.NOTHING_PLANNED
    if all(report.bound is None for report in result.tiers):
        say(f"{plan}: not proven: no bound is claimed")
        return codes.NOTHING_PLANNED
    word = sum(one.rests_on_a_search for one in proofs)
    rest = f", {word} of them by a second search's word" if word else ""
    still = [report.name for report in result.tiers if not report.proven]
    more = f"; not proven: {', '.join(still)}" if still else ""
    _verdict(f"{plan}: every claim is confirmed ({len(proofs)}{rest}){more}", as_json)
    return codes.GOOD


def _verdict(text: str, as_json: bool) -> None:
    if as_json:
        say(text)
    else:
        print(text)
