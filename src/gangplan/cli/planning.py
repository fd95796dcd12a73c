"""What ``gangplan plan`` does, once its options are read: refuse, read, solve, write, tell."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gangplan import api
from gangplan.checks import check_choices
from gangplan.cli import codes, interrupt, options
from gangplan.cli.preview import preview_entry, show_preview, without_evictions
from gangplan.cli.progress import progress, say
from gangplan.cli.reading import read_sources, say_notes
from gangplan.cli.render import ROWS, show_plan
from gangplan.cli.tables import console
from gangplan.cluster.relied.recorded import Recorder
from gangplan.datasets.json_file import write_object
from gangplan.datasets.plan_file import plan_document
from gangplan.files import STDIO, check_writable
from gangplan.solvers.export.first_tier import writer_of

if TYPE_CHECKING:
    from gangplan.models.instance import Instance
    from gangplan.models.result import Result
    from gangplan.solvers.base import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One call of ``gangplan plan``; see its options.

    Attributes
    ----------
    output, model_file : where the plan and the model go; None writes none.
    """

    sources: list[str]
    kubernetes: str
    levels: list[str]
    ignore_unsupported: bool
    planner: str
    formulation: str
    solver: str
    objective: str
    weights: dict[int, int] | None
    limits: "Limits"
    second_opinion: bool
    preemption: bool
    pdb: str
    previous: str | None
    preview: bool
    output: str | None
    model_file: str | None
    as_json: bool

    @property
    def plan_file(self) -> str | None:
        """The plan file, unless it is standard output."""
        return None if self.output == STDIO else self.output

    @property
    def on_stdout(self) -> bool:
        """Tell whether the plan file goes to standard output."""
        return self.as_json or self.output == STDIO


def carry_out(wanted: Wanted) -> int:
    """Plan, and return the exit code.

    Raises
    ------
    GangplanError : options that do not go together, sources that cannot be read, ...
    """
    refuse(wanted)
    started = time.perf_counter()
    recorder = Recorder()
    instance, result, without = _planned(wanted, recorder)
    document = plan_document(instance, result)
    document |= recorder.entry(document)
    if wanted.plan_file is not None:
        # Before the tables: whoever reads those may go away, the file was asked for.
        write_object(document, wanted.plan_file, indent=1)
    say_notes(instance)
    for warning in result.warnings:
        say(f"warning: {warning}")
    show_plan(instance, result, time.perf_counter() - started, on_stderr=wanted.on_stdout)
    if without is not None:
        show_preview(console(wanted.on_stdout), instance, result, without, ROWS)
    if wanted.on_stdout:
        more = {} if without is None else {"preview": preview_entry(instance, result, without)}
        write_object({**document, **more}, STDIO, indent=1)
    for what, file in (("plan", wanted.plan_file), ("model", wanted.model_file)):
        if file is not None:
            say(f"{what} file: {file}")
    return _code(result)


def refuse(wanted: Wanted) -> None:
    """Raise for what cannot be done, before any work is done for it."""
    if wanted.weights is not None and wanted.objective != "weighted-gpus":
        raise options.usage("--weights", "only with --objective weighted-gpus")
    check_choices(wanted.planner, wanted.solver, wanted.objective, wanted.formulation, wanted.pdb)
    if wanted.preview and not wanted.preemption:
        raise options.usage("--preview", "not with --no-preemption: there is nothing to compare")
    if wanted.preview and wanted.objective == "weighted-gpus":
        raise options.usage("--preview", "weighted-gpus evicts nobody: there is nothing to compare")
    if wanted.second_opinion and wanted.planner == "greedy":
        raise options.usage("--second-opinion", "greedy proves nothing that could be solved again")
    if wanted.previous is not None and wanted.planner not in ("auto", "anytime"):
        raise options.usage("--previous", f"{wanted.planner} always begins anew")
    if wanted.model_file is not None:
        if wanted.planner == "greedy":
            raise options.usage("--write-model", "greedy writes no model")
        writer_of(wanted.model_file)
    for option, file in (("-o", wanted.output), ("--write-model", wanted.model_file)):
        if file is not None:
            check_writable(file)
            options.spare_sources(option, file, wanted.sources)
    if wanted.plan_file is not None and wanted.model_file is not None:
        plan, model = (Path(file).resolve() for file in (wanted.plan_file, wanted.model_file))
        if plan == model:
            raise options.usage("--write-model", f"{wanted.model_file} is the plan file as well")


def _planned(wanted: Wanted, recorder: Recorder) -> "tuple[Instance, Result, Result | None]":
    """Read and solve; the model's file is written in between. The last is for ``--preview``."""
    with progress() as show:
        started = time.perf_counter()
        instance = read_sources(
            wanted.sources,
            wanted.kubernetes,
            wanted.levels,
            wanted.ignore_unsupported,
            recorder.see,
        )
        read = time.perf_counter() - started
        if wanted.model_file is not None:
            api.write_model(
                instance,
                wanted.model_file,
                wanted.objective,
                formulation=wanted.formulation or "counts",
                weights=wanted.weights,
                preemption=wanted.preemption,
                pdb=wanted.pdb,
            )

        def solve(preemption: bool) -> "Result":
            return api.plan(
                instance,
                wanted.planner,
                wanted.solver,
                wanted.objective,
                wanted.limits,
                formulation=wanted.formulation,
                weights=wanted.weights,
                second_opinion=wanted.second_opinion,
                preemption=preemption,
                pdb=wanted.pdb,
                previous=wanted.previous,
                progress=show,
            )

        result = solve(wanted.preemption)
        without = None
        if wanted.preview and not interrupt.heard():
            without = without_evictions(instance, result, lambda: solve(preemption=False))
    result.seconds.setdefault("read", read)
    return instance, result, without


def _code(result: "Result") -> int:
    if interrupt.heard():
        return codes.INTERRUPTED
    could = any(tier.maximise and not tier.proven for tier in result.tiers)
    nothing = could and not (result.plan.node >= 0).any()
    return codes.NOTHING_PLANNED if nothing else codes.GOOD
