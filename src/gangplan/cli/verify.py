"""``gangplan verify``: whether a plan file keeps every rule, and what it claims is so."""

import json
from typing import Annotated

import typer

from gangplan.cli import codes, options
from gangplan.cli.progress import say
from gangplan.cli.reading import read_sources, say_notes


def verify(
    sources: options.Sources,
    plan: Annotated[str, typer.Option(metavar="FILE", help="The plan file.", show_default=False)],
    as_json: options.AsJson = False,
    kubernetes: options.Kubernetes = "1.37",
    levels: options.Levels = [],  # noqa: B006 - typer reads the default, nobody changes it
    ignore_unsupported: options.IgnoreUnsupported = False,
) -> int:
    """Check a plan file against the snapshot it was made for; each violation is a sentence."""
    from gangplan import api
    from gangplan.datasets.json_file import STDIO, read_object
    from gangplan.datasets.plan_claims import false_claims
    from gangplan.datasets.plan_file import result_of

    if plan == STDIO and STDIO in sources:
        raise options.usage("--plan", "standard input is the source already")
    instance = read_sources(sources, kubernetes, levels, ignore_unsupported)
    document = read_object(plan)
    result = result_of(document, instance, plan)
    say_notes(instance)
    violations = api.verify(instance, result.plan)
    claims = false_claims(document, instance, plan)
    lines = [*(v.sentence for v in violations), *claims]
    if as_json:
        found = [
            {
                "family": v.family,
                "what": v.what,
                "have": v.have,
                "need": v.need,
                "sentence": v.sentence,
            }
            for v in violations
        ]
        print(
            json.dumps({"plan": plan, "violations": found, "false_claims": list(claims)}, indent=1)
        )
    else:
        for line in lines:
            print(line)
    if lines:
        say(f"{plan}: {len(lines)} thing{'s' if len(lines) > 1 else ''} wrong")
        return codes.VERIFICATION_FAILED
    placed = int((result.plan.node >= 0).sum())
    verdict = (
        f"{plan}: keeps every rule ({placed} pods placed, {len(result.tiers)} tier values agree; "
        "bounds are not computed again)"
    )
    if as_json:
        say(verdict)
    else:
        print(verdict)
    return codes.GOOD
