"""One formulation in a staged solve: its model, written on first need, and what searches it."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from gangplan.models.errors import FormulationError
from gangplan.models.formulation import Formulation, Kind, Writing
from gangplan.models.instance import Instance
from gangplan.models.tiers import Tier
from gangplan.solvers.asking import Asking
from gangplan.solvers.base import Limits, Prestarted, Solver
from gangplan.solvers.search import Search

SEARCH_CELLS = 400_000
"""Cells of the formulation (counts: pairs of role and usable node) up to which a tier is searched.
"""

PRICE_CELLS = 10_000
"""Cells from which a kind that can price its columns does not list them to be bounded."""

RELAX_CELLS = 1_000_000
"""Cells up to which the model is written and its relaxation bounded; above, counting alone."""


@dataclass(slots=True)
class Writer:
    """Writes the model of one kind once, and makes one search of it.

    Attributes
    ----------
    warnings, seconds : of the whole solve; what is too big or refused, and the phase ``build``.
    say : a phase begins.
    """

    kind: Kind
    instance: Instance
    formulation: Formulation
    tiers: tuple[Tier, ...]
    solver: Solver
    limits: Limits
    second: bool
    warnings: list[str]
    seconds: dict[str, float]
    say: Callable[[str], None]
    _written: bool = False
    _model: Writing | None = None
    _search: Search | None = None

    @property
    def interrupted(self) -> bool:
        """Ctrl-C was pressed during a solve."""
        return self._search is not None and self._search.asking.interrupted

    def searchable(self) -> bool:
        """Tell whether the model may be searched; with priced columns ``Search`` says it."""
        unlisted = self._model is not None and self._model.frame is not None
        return unlisted or self.kind.cells(self.instance) <= SEARCH_CELLS

    def search(self, model: Writing) -> Search:
        """Return what asks the solver about the model."""
        if self._search is None:
            asking = Asking(self.solver, self.limits, self.warnings, self.seconds, model.fold)
            self._search = Search(model, self.tiers, asking, self.second, SEARCH_CELLS)
        return self._search

    def model(self) -> Writing | None:
        """Return the model; None where it is too big or not exact, which the first call says."""
        if not self._written:
            self._written = True
            self._model = self._first()
        return self._model

    def _first(self) -> Writing | None:
        cells = self.kind.cells(self.instance)
        if self.kind.frame is not None and cells > PRICE_CELLS:
            model, _ = self._timed(self.kind.unlisted)
            if model is not None:  # else the model with all columns says why, if it is refused too
                return model
        if cells > SEARCH_CELLS:
            kept = "counting" if cells > RELAX_CELLS else "counting and linear relaxation"
            self.warnings.append(
                f"{cells:,} {self.kind.cell} are too many to search (limit "
                f"{SEARCH_CELLS:,}): bounds by {kept} only"
            )
        if cells > RELAX_CELLS:
            return None
        if isinstance(self.solver, Prestarted):
            self.solver.prestart(self.limits.threads)
        model, refusal = self._timed(self.kind.write)
        if refusal:
            self.warnings.append(f"no model could be written, bounds by counting only: {refusal}")
        return model

    def _timed(
        self, write: Callable[[Instance, Formulation], Writing]
    ) -> tuple[Writing | None, str]:
        """Write; return the model, or None and why it is refused."""
        self.say("model")
        begin = time.monotonic()
        try:
            return write(self.instance, self.formulation), ""
        except FormulationError as error:
            return None, str(error)
        finally:
            spent = time.monotonic() - begin
            self.seconds["build"] = self.seconds.get("build", 0.0) + spent
