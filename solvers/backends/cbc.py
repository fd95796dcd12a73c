"""CBC: the program ``cbc``, its model an MPS file, its answer read word by word.

The program is called here rather than through PuLP's ``COIN_CMD``: that one calls every limit with
a point "Optimal" (coin-or/pulp #649, #711), reads a relaxation as a point, gives no bound, no log
and no hold on the process, splits paths at blanks, and writes the model row by row. ``pulp.py``
still turns a model into one of PuLP's.

Models go through files without a name (``/proc/self/fd``), which no kill can leave behind; where
there is no such folder they have names and are removed. CBC's own limit ends early, by an
estimate of what reading the model and writing the answer take: killed, it would lose its point.
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO, cast

import numpy as np

from gangplan.models.arrays import Floats, Ints
from gangplan.models.errors import SolverError
from gangplan.models.milp import Milp
from gangplan.solvers.backends.asked import (
    joined,
    never_worse,
    without_entries,
    word_on_start,
)
from gangplan.solvers.backends.cbc_answer import PROVED_EARLY, Answer, read_answer, read_bound
from gangplan.solvers.backends.cbc_binary import find_binary
from gangplan.solvers.backends.divided import divided
from gangplan.solvers.backends.leashed import run_leashed
from gangplan.solvers.base import Limits, Outcome, Stop
from gangplan.solvers.export.mps import mps_text

TOLERANCE = 1e-7
"""Of rows and integrality, as for HiGHS."""

FRACTIONAL = 1e-5
"""An integer column further than this from a whole number has no value."""

SEARCHED = "Result - "
"""In the log of every search that came to an end or a limit."""

ENTRY_SECONDS = 1.5e-6
"""What an entry or a column costs CBC to read and to write again, on two shared cores."""

GRACE = 0.5
"""Seconds past the limit before the kill."""

LEAST = 0.2
"""Seconds that CBC always gets before it is stopped from outside: it must come to its own limit."""

TAIL = 600
"""Characters of the log that an error quotes."""

UNTOUCHED = ("-boundPropLevel", "off", "-singletonBounds", "off")
"""For a linear program: multipliers of tightened bounds prove less. 2.10 knows neither option, has
no such step, and goes on."""

STEPS = ("presolve", "preprocess", "clqstr", "coefStr", "rowRed")
"""Left out by a second opinion; options that 2.10 does not know are steps that it does not have."""


@dataclass(frozen=True, slots=True)
class Cbc:
    """The CBC solver, a process of its own.

    Attributes
    ----------
    path : of the program; empty looks at GANGPLAN_CBC, the package cbcbox, and PATH.
    preprocess : off for a second opinion.
    """

    path: str = ""
    preprocess: bool = True

    @property
    def name(self) -> str:
        """Return ``cbc``."""
        return "cbc"

    def second(self) -> "Cbc":
        """Return the solver of a second opinion: neither preprocessing nor presolve."""
        return replace(self, preprocess=False)

    def solve(self, milp: Milp, limits: Limits, *, start: Ints | None = None) -> Outcome:
        """Solve; see ``Solver``. A claim whose point breaks a row is Stop.ERROR, with that point.

        Raises
        ------
        SolverError : no cbc is found, it failed, or it wrote nothing; with the tail of its log.
        """
        begin = time.monotonic()
        said = word_on_start(milp, start)
        written = divided(milp)
        empty = without_entries(milp, said) or _without_room(written, said)
        if empty is not None:
            return empty
        program = find_binary(self.path)
        used = start if said == "start used" else None
        try:
            with _file() as model, _file() as first, _file() as solution, _file() as log:
                _write_model(written, model)
                _write_start(milp, used, first)
                handed = time.monotonic()
                limit = _Clock.of(milp, begin, handed, limits)
                command = [
                    program.path,
                    _name(model),
                    *([] if used is None else ["-mips", _name(first)]),
                ]
                careful = not self.preprocess or program.preprocesses_wrongly
                command += [*_options(milp, limits, limit, careful), "-solution", _name(solution)]
                fds = [f.fileno() for f in (model, first, solution)]
                code, stopped = run_leashed(
                    command, log, pass_fds=fds, interrupt_at=limit.interrupt, kill_at=limit.kill
                )
                outcome = _outcome(milp, limits, solution, log, code, stopped)
        except OSError as error:
            raise SolverError(f"cbc: {error.strerror or error}") from error
        done = time.monotonic()
        outcome = replace(
            outcome,
            message=joined(outcome.message, said),
            handover_seconds=handed - begin,
            solve_seconds=done - handed,
            overshoot=max(0.0, done - begin - limits.seconds),
        )
        return never_worse(milp, _owned_up(milp, outcome), used)


@dataclass(frozen=True, slots=True)
class _Clock:
    """CBC's own limit in seconds, and when (``time.monotonic``) it is stopped from outside."""

    seconds: float
    interrupt: float
    kill: float

    @staticmethod
    def of(milp: Milp, begin: float, now: float, limits: Limits) -> "_Clock":
        """Leave time for reading and writing: a part of what is left, where the limit is short."""
        left = begin + limits.seconds - now
        aside = min(0.05 + ENTRY_SECONDS * (milp.matrix.nnz + milp.n_cols), left / 2)
        end = max(begin + limits.seconds, now + LEAST)
        return _Clock(max(left - aside, 1e-3), end - max(aside / 4, 0.0), end + GRACE)


def _options(milp: Milp, limits: Limits, clock: _Clock, careful: bool) -> list[str]:
    """Set every option that has an influence; ``careful`` skips the steps before the search."""
    is_lp = not milp.integer.any()
    # 0: one thread; 100 + n: n threads and a search that can be repeated.
    threads = 0 if limits.threads == 1 else 100 + limits.threads
    options: dict[str, object] = {
        "sec": f"{clock.seconds:.3f}",
        "timeMode": "elapsed",
        "threads": threads,
        "ratioGap": limits.gap,
        # CBC finds the step of the objective itself, and prunes by it.
        "allowableGap": 0,
        "integerTolerance": TOLERANCE,
        "primalTolerance": TOLERANCE,
        # 0 would be the time of day.
        "randomCbcSeed": 1 + limits.seed % (2**31 - 2),
        "randomSeed": 1 + limits.seed % (2**31 - 2),
        # Rows, and with them the multipliers, are written in full only.
        "printingOptions": "all" if is_lp else "normal",
    }
    plain = [text for key, value in options.items() for text in (f"-{key}", str(value))]
    untouched = UNTOUCHED if is_lp or careful else ()
    steps = (word for s in STEPS for word in (f"-{s}", "off")) if careful else ()
    return [*plain, *untouched, *steps, "-solve"]


NAMELESS = Path("/proc/self/fd").is_dir()


@contextmanager
def _file() -> Iterator[TextIO]:
    make = tempfile.TemporaryFile if NAMELESS else tempfile.NamedTemporaryFile
    with make("w+", encoding="utf-8", errors="replace", prefix="gangplan-") as stream:
        yield cast(TextIO, stream)


def _name(stream: TextIO) -> str:
    return f"/proc/self/fd/{stream.fileno()}" if NAMELESS else str(stream.name)


def _write_model(milp: Milp, stream: TextIO) -> None:
    """Write the model without its offset, which is carried outside of every solver."""
    columns = [f"x{j}" for j in range(milp.n_cols)]
    rows = [f"r{i}" for i in range(milp.n_rows)]
    for text in mps_text(replace(milp, offset=0), columns, rows):
        stream.write(text)
    stream.flush()


def _without_room(milp: Milp, said: str) -> Outcome | None:
    """Answer a divided model of which a row has no whole number between its sides."""
    crossed = np.flatnonzero(milp.row_lower > milp.row_upper)
    if not len(crossed):
        return None
    word = f"{milp.row_name(int(crossed[0]))} holds no whole number"
    return Outcome(Stop.INFEASIBLE, message=joined(word, said))


def _write_start(milp: Milp, start: Ints | None, stream: TextIO) -> None:
    """Write all columns in their order: CBC mistakes a start that leaves some out."""
    if start is None:
        return
    lines = [f"{j} x{j} {value} 0\n" for j, value in enumerate(start.tolist())]
    stream.write("Stopped on time - objective value 0\n" + "".join(lines))
    stream.flush()


def _outcome(
    milp: Milp, limits: Limits, solution: TextIO, log: TextIO, code: int, stopped: bool
) -> Outcome:
    log.seek(0)
    text = log.read()
    solution.seek(0)
    answer = read_answer(solution, milp.n_cols, milp.n_rows) if code == 0 else None
    if answer is None and stopped:
        return Outcome(Stop.NONE_FOUND, limit="time", message="killed at the limit")
    if answer is None:
        how = f"exit code {code}" if code >= 0 else f"ended by signal {-code}"
        what = "no solution file" if code == 0 else how
        raise SolverError(f"cbc: {what}: {text.strip()[-TAIL:]}")
    if answer.x is not None and _is_fractional(milp, answer.x):
        return _without_point(answer, text)
    is_lp = not milp.integer.any()
    limit = "time" if stopped and answer.limit else answer.limit
    stop = answer.stop
    if stop is Stop.ERROR and answer.word == "Status unknown" and PROVED_EARLY in text:
        stop = Stop.INFEASIBLE
    if is_lp and stop is Stop.FEASIBLE:
        stop = Stop.NONE_FOUND  # an iterate of a linear program is no point of it
    word = answer.word
    if answer.flagged and answer.x is not None:
        word += f" ({answer.flagged} values marked infeasible)"
    return Outcome(
        stop,
        x=None if stop is Stop.NONE_FOUND else answer.x,
        objective=None if stop is Stop.NONE_FOUND else answer.objective,
        bound=None if is_lp else _bound(limits, answer, text),
        row_dual=answer.row_dual if is_lp and stop is Stop.OPTIMAL else None,
        limit=limit,
        message=word,
    )


def _owned_up(milp: Milp, outcome: Outcome) -> Outcome:
    """Return the outcome of a search, with no word of its own where its point breaks a row.

    cbcbox 2.935 calls such points optimal on models of nine columns (tests/fuzz/kept), and is right
    about them without preprocessing. At a limit there is then no point.
    """
    if outcome.x is None or not milp.integer.all():
        return outcome
    whole = np.rint(outcome.x)
    inside = bool(((whole >= milp.lower) & (whole <= milp.upper)).all())
    rows = milp.violated_rows(whole.astype(np.int64)) if inside else np.zeros(0, dtype=np.int64)
    if inside and not len(rows):
        return outcome
    broken = milp.row_name(int(rows[0])) if inside else "a bound"
    said = f"{outcome.message}; its point breaks {broken}"
    at_limit = outcome.stop is Stop.FEASIBLE
    return replace(
        outcome,
        stop=Stop.NONE_FOUND if at_limit else Stop.ERROR,
        x=None if at_limit else outcome.x,
        objective=None if at_limit else outcome.objective,
        bound=None,
        message=said,
    )


def _is_fractional(milp: Milp, x: Floats) -> bool:
    whole = x[milp.integer]
    return bool((np.abs(whole - np.rint(whole)) > FRACTIONAL).any())


def _without_point(answer: Answer, log: str) -> Outcome:
    """Read what 2.935 writes at a limit right after the root: "Optimal", of the relaxation."""
    if answer.stop is Stop.OPTIMAL and SEARCHED not in log:
        word = f"{answer.word} (of the relaxation: stopped before the search)"
        return Outcome(Stop.NONE_FOUND, limit="time", message=word)
    return Outcome(Stop.ERROR, message=f"{answer.word}, with a point that is not integral")


def _bound(limits: Limits, answer: Answer, log: str) -> float | None:
    """Return the stated bound; a claim of optimality means no less than its gap."""
    if answer.stop in (Stop.INFEASIBLE, Stop.ERROR):
        return None
    stated = read_bound(log)
    if answer.stop is not Stop.OPTIMAL or answer.objective is None:
        return stated
    meant = answer.objective - limits.gap * abs(answer.objective)
    return meant if stated is None else min(max(stated, meant), answer.objective)
