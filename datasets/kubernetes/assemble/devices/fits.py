"""Specs as the columns say them: what fits a choice, what an ALL choice asks, barred nodes."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from gangplan.datasets.devices import Choice, Request, Rule, Spec
from gangplan.datasets.kubernetes.assemble.devices.answers import Answer, Answers
from gangplan.datasets.kubernetes.assemble.devices.inventory import ITSELF, Inventory
from gangplan.datasets.kubernetes.assemble.devices.kinds import Kinds
from gangplan.datasets.kubernetes.assemble.devices.specs import Member, members
from gangplan.datasets.kubernetes.assemble.holds import some
from gangplan.datasets.kubernetes.devicerecords import (
    ALL,
    ChoiceRecord,
    RequestRecord,
    SpecRecord,
)
from gangplan.models.arrays import Flags


@dataclass(frozen=True, slots=True, eq=False)
class Fitting:
    """Writes specs over all devices of an inventory.

    Attributes
    ----------
    taken : (I,) devices that somebody holds, and that serve one claim only.
    returning : (I,) those of them that can come free.
    nodes : names of the nodes, for notes.
    notes : told where a selector fails, and where taints or a missing attribute leave a node
        without device.
    failing : device that can come free, on which a selector fails -> which one, and why: the
        nodes that reach it could serve the request until then only.
    """

    inventory: Inventory
    kinds: Kinds
    answers: Answers
    taken: Flags
    returning: Flags
    nodes: Sequence[str]
    notes: list[str]
    failing: dict[int, str] = field(default_factory=dict)

    def spec(self, record: SpecRecord) -> Spec:
        """Write a spec; ``uses`` are filled in once pots have units."""
        bound: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
        rules = []
        for constraint in record.constraints:
            whose = members(record, constraint)
            rules.append(Rule(constraint.attribute, constraint.distinct, whose))
            for member in whose:
                bound[member].add(constraint.attribute)
        source = self.answers.specs.source(record)
        requests = [
            self._request(
                source, request, [sorted(bound[q, b]) for b in range(len(request.choices))]
            )
            for q, request in enumerate(record.requests)
        ]
        return Spec(tuple(requests), (*rules, *self._once(requests)))

    def _once(self, requests: Sequence[Request]) -> Iterator[Rule]:
        """One request never gets a device twice, even one that allows multiple allocations.

        As in Kubernetes, which looks for the next device behind the last one; other requests of
        the claim may have it too.
        """
        for q, request in enumerate(requests):
            for b, choice in enumerate(request.choices):
                several = choice.count > 1 and not choice.admin
                if several and (choice.fits & self.inventory.multi).any():
                    yield Rule(ITSELF, True, (Member(q, b),))

    def _request(
        self, source: str, record: RequestRecord, bound: Sequence[Sequence[str]]
    ) -> Request:
        names = [
            f"{source}: request {record.name}/{one.name}".removesuffix("/")
            for one in record.choices
        ]
        answers = [self.answers.of(choice) for choice in record.choices]
        failed = list(map(self._failed, names, answers, record.choices))
        barred = np.zeros(len(self.nodes), dtype=np.bool_)
        for b, choice in enumerate(record.choices):
            if choice.count == ALL:  # what it asks is looked up before any choice is tried
                barred = barred | failed[b] | self._unsettled(names[b])
        choices = []
        for b, choice in enumerate(record.choices):
            # Choices are tried in order: one that cannot be judged bars those after it.
            barred = barred | failed[b]
            choices.append(self._choice(choice, names[b], answers[b], bound[b], barred))
        return Request(record.name, tuple(choices))

    def _choice(
        self,
        choice: ChoiceRecord,
        name: str,
        answer: Answer,
        attributes: Sequence[str],
        barred: Flags,
    ) -> Choice:
        usable, of = self.inventory.usable, self.kinds.of
        fits, asks = answer.fits[of] & usable, answer.asks[of] & usable
        self._missed(asks, fits, name, self._taints)
        for attribute in attributes:
            fits = self._with(attribute, fits, name)
        if choice.count != ALL:
            return Choice(fits, choice.name, choice.count, choice.admin, barred=barred)
        doubtful = answer.asks[of]
        for failing in answer.failed.values():
            doubtful |= failing[of]
        doubtful &= ~usable
        barred = barred | self.inventory.nodes_of(doubtful)
        return Choice(fits, choice.name, ALL, choice.admin, asks, barred)

    def _failed(self, name: str, answer: Answer, choice: ChoiceRecord) -> Flags:
        """(N,) nodes that reach a device on which a selector fails.

        As in Kubernetes, nobody is asked about a device in use, but for ALL and adminAccess.
        """
        asked = self.inventory.usable
        if choice.count != ALL and not choice.admin:
            asked = asked & ~self.taken
        barred = np.zeros(len(self.nodes), dtype=np.bool_)
        for reason, kinds in answer.failed.items():
            devices = kinds[self.kinds.of] & asked
            # Selectors are asked before it is looked which devices of a slice a node reaches.
            nodes = self.inventory.nodes_of(self.inventory.beside(devices))
            if nodes.any():
                barred |= nodes
                self.notes.append(
                    f"{name} is not served on {self._some(nodes)}: {reason}"
                    f" ({self.inventory.names(devices)})"
                )
        self._fails_later(name, answer, asked, barred)
        return barred

    def _fails_later(self, name: str, answer: Answer, asked: Flags, barred: Flags) -> None:
        """Remember devices whose return would bar a node that is not barred now."""
        inventory = self.inventory
        alone = (inventory.zone < 0) & (inventory.mates < 0)
        later = inventory.usable & self.returning & ~asked
        later &= ~(alone & barred[np.maximum(inventory.node, 0)])
        for reason, kinds in answer.failed.items() if later.any() else ():
            for i in np.flatnonzero(kinds[self.kinds.of] & later).tolist():
                self.failing.setdefault(i, f"{name}: {reason}, {inventory.name(i)}")

    def _unsettled(self, name: str) -> Flags:
        """(N,) nodes where nobody can say what all devices are."""
        nodes = self.inventory.unsettled
        if nodes.any():
            self.notes.append(
                f"{name} asks for all devices and is not served on {self._some(nodes)}: a pool"
                " there is incomplete or contradicts itself"
            )
        return nodes

    def _with(self, attribute: str, fits: Flags, name: str) -> Flags:
        """Leave out devices without an attribute that a rule of the choice compares."""
        has = fits & self.inventory.carry(attribute)
        why = f"no device there has the attribute {attribute}"
        self._missed(fits, has, name, lambda lost: why)
        return has

    def _missed(self, before: Flags, after: Flags, name: str, why: Callable[[Flags], str]) -> None:
        """Tell of nodes that one test leaves without any device."""
        lost = before & ~after
        if not lost.any():
            return
        alone = self.inventory.nodes_of(lost) & ~self.inventory.nodes_of(after)
        if alone.any():
            self.notes.append(
                f"{name} cannot be served on {self._some(alone)}: {why(lost)}"
                f" ({self._on(lost, alone)})"
            )

    def _taints(self, devices: Flags) -> str:
        marks = {self.inventory.taints[i] for i in np.flatnonzero(devices).tolist()}
        told = sorted({f"{one.key}:{one.effect}" for one in frozenset().union(*marks)})
        return f"taints of its devices there are not tolerated, {some(told)}"

    def _on(self, devices: Flags, nodes: Flags) -> str:
        """Name a few of the devices that these nodes reach."""
        mine = [
            i
            for i in np.flatnonzero(devices).tolist()
            if self.inventory.zone[i] >= 0 or nodes[self.inventory.node[i]]
        ]
        return some([self.inventory.name(i) for i in mine])

    def _some(self, nodes: Flags) -> str:
        return some([self.nodes[n] for n in np.flatnonzero(nodes).tolist()])
