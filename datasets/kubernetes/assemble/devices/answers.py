"""What a choice says of each device kind: class and selectors, taints, capacity."""

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from gangplan.datasets.kubernetes.assemble.devices.capacity import consumed
from gangplan.datasets.kubernetes.assemble.devices.kinds import Kinds
from gangplan.datasets.kubernetes.assemble.devices.specs import Specs
from gangplan.datasets.kubernetes.cel import CelFailure, matches
from gangplan.datasets.kubernetes.devicerecords import ChoiceRecord
from gangplan.datasets.kubernetes.objects.taints import tolerates
from gangplan.models.arrays import Flags


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a choice says of kinds e.

    Attributes
    ----------
    asks : (E,) class, selectors and capacity want it. fits : and its taints are tolerated.
    failed : reason -> (E,) kinds on which a selector failed for it.
    uses : kind that allows multiple allocations -> what one share takes of its capacities.
    """

    asks: Flags
    fits: Flags
    failed: dict[str, Flags] = field(default_factory=dict)
    uses: dict[int, dict[str, Fraction]] = field(default_factory=dict)


class Answers:
    """Answers of all choices, equal questions once."""

    def __init__(self, kinds: Kinds, specs: Specs) -> None:
        self._kinds, self.specs = kinds.kinds, specs
        self._known: dict[Hashable, Answer] = {}

    def of(self, choice: ChoiceRecord) -> Answer:
        """Answer for every kind."""
        key = (choice.device_class, choice.selectors, choice.tolerations, choice.capacity)
        if key not in self._known:
            self._known[key] = self._answer(choice)
        return self._known[key]

    def _answer(self, choice: ChoiceRecord) -> Answer:
        alive = np.ones(len(self._kinds), dtype=np.bool_)
        failed: dict[str, Flags] = {}
        for selector in self.specs.selectors(choice):
            # As in Kubernetes: what one selector has turned down, the next is not asked about.
            asked = np.flatnonzero(alive).tolist()
            devices = [(self._kinds[e].driver, self._kinds[e].record) for e in asked]
            for e, said in zip(asked, matches(selector, devices), strict=True):
                if isinstance(said, CelFailure):
                    none = np.zeros(len(alive), dtype=np.bool_)
                    failed.setdefault(str(said), none)[e] = True
                alive[e] = said is True
        amounts = dict(choice.capacity)
        uses: dict[int, dict[str, Fraction]] = {}
        fits = alive.copy()
        for e in np.flatnonzero(alive).tolist():
            kind = self._kinds[e]
            taken = consumed(kind.record, kind.driver, amounts)
            if taken is None:
                alive[e] = False
            elif kind.record.multi:
                uses[e] = taken
            fits[e] = alive[e] and tolerates(choice.tolerations, tuple(kind.taints))
        return Answer(alive, fits, failed, uses)
