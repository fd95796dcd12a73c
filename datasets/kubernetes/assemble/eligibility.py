"""Node classes and which of them an eligibility allows.

A node class is a set of nodes that no selector, affinity term, toleration or readiness test of the
waiting pods can tell apart. Each distinct test is evaluated once per distinct label value, so the
work grows with the number of tests times nodes in numpy, never with pods times nodes in Python.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from gangplan.datasets.kubernetes.objects.selectors import satisfies
from gangplan.datasets.kubernetes.objects.taints import tolerates
from gangplan.datasets.kubernetes.records import (
    Eligibility,
    NodeRecord,
    Requirement,
    Taint,
    Toleration,
)
from gangplan.models.arrays import Flags, Ints

V = TypeVar("V", bound=Hashable)

_CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """Nodes by class, and what each eligibility may use.

    Attributes
    ----------
    node_class : (N,) class of each node; classes are numbered in the order of their first node.
    allowed : eligibility -> (C,) whether pods with it may use nodes of each class.
    """

    node_class: Ints
    allowed: dict[Eligibility, Flags]

    @property
    def n_classes(self) -> int:
        """Number of node classes C."""
        return int(self.node_class.max()) + 1 if len(self.node_class) else 0


class Tests:
    """Distinct yes/no questions about nodes, one row of answers each."""

    def __init__(self, nodes: Sequence[NodeRecord]) -> None:
        self._nodes = nodes
        self._rows: dict[Hashable, int] = {}
        self._answers: list[Flags] = []
        self._values: dict[tuple[str, bool], tuple[dict[str | None, int], Ints]] = {}
        self._taints = _distinct([_taints(node) for node in nodes])

    def requirement(self, requirement: Requirement) -> int:
        """Row of a label or field requirement."""

        def answer() -> Flags:
            key = (requirement.key, requirement.field)
            if key not in self._values:
                self._values[key] = _distinct([_value(node, *key) for node in self._nodes])
            values, where = self._values[key]
            if requirement.operator == "In":  # the usual one; values may be as many as nodes
                fine = np.zeros(len(values), dtype=np.bool_)
                fine[[values[one] for one in requirement.values if one in values]] = True
            else:
                fine = np.array([satisfies(requirement, one) for one in values], dtype=np.bool_)
            return fine[where]

        return self._row(requirement, answer)

    def tolerations(self, tolerations: tuple[Toleration, ...]) -> int:
        """Row of "every taint of the node is tolerated"."""

        def answer() -> Flags:
            taints, where = self._taints
            fine = [tolerates(tolerations, some) for some in taints]
            return np.array(fine, dtype=bool)[where]

        return self._row(tolerations, answer)

    def ready(self) -> int:
        """Row of "the node is ready"."""
        return self._row("ready", lambda: np.array([n.ready for n in self._nodes], dtype=bool))

    def selected(self, terms: Sequence[Sequence[Requirement]]) -> Flags:
        """(N,) nodes that a node selector selects: some term, and all of that term."""
        some = np.zeros(len(self._nodes), dtype=np.bool_)
        for term in terms:
            if term:  # an empty term matches nothing
                every = np.ones(len(self._nodes), dtype=np.bool_)
                for one in term:
                    every &= self._answers[self.requirement(one)]
                some |= every
        return some

    def matrix(self) -> Flags:
        """Give all answers so far, (tests, N)."""
        return np.array(self._answers, dtype=np.bool_).reshape(len(self._answers), len(self._nodes))

    def _row(self, test: Hashable, answer: Callable[[], Flags]) -> int:
        if test not in self._rows:
            self._rows[test] = len(self._answers)
            self._answers.append(answer())
        return self._rows[test]


def classes_of(nodes: Sequence[NodeRecord], eligibilities: Sequence[Eligibility]) -> Classes:
    """Class the nodes by what the eligibilities read, and evaluate each on every class.

    A node that is not ready takes no pod at all; a cordoned node has the taint
    ``node.kubernetes.io/unschedulable:NoSchedule``.
    """
    tests = Tests(nodes)
    plans = {one: _plan(one, tests) for one in dict.fromkeys(eligibilities)}
    answers = tests.matrix()
    node_class, first = _number(answers)
    by_class = answers[:, first]
    return Classes(node_class, {one: _evaluate(plan, by_class) for one, plan in plans.items()})


@dataclass(frozen=True, slots=True)
class _Plan:
    """Rows of tests: all of ``every``, and all rows of some term (None: no terms asked)."""

    every: list[int]
    terms: list[list[int]] | None


def _plan(eligibility: Eligibility, tests: Tests) -> _Plan:
    every = [tests.ready(), tests.tolerations(eligibility.tolerations)]
    for key, value in eligibility.selector:
        every.append(tests.requirement(Requirement(key, "In", (value,))))
    if eligibility.terms is None:
        return _Plan(every, None)
    # An empty term matches nothing.
    terms = [[tests.requirement(one) for one in term] for term in eligibility.terms if term]
    return _Plan(every, terms)


def _evaluate(plan: _Plan, by_class: Flags) -> Flags:
    allowed = np.asarray(np.all(by_class[plan.every], axis=0))
    if plan.terms is not None:
        some = np.zeros(by_class.shape[1], dtype=np.bool_)
        for rows in plan.terms:
            some |= np.all(by_class[rows], axis=0)
        allowed &= some
    return allowed


def _number(answers: Flags) -> tuple[Ints, Ints]:
    """(N,) class of each node and (C,) first node of each class; equal columns are one class."""
    n = answers.shape[1]
    if not n:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    packed = np.ascontiguousarray(np.packbits(answers, axis=0).T)
    if not packed.shape[1]:
        return np.zeros(n, dtype=np.int64), np.zeros(1, dtype=np.int64)
    # Rows as raw bytes: np.unique on axis 0 sorts column by column and is far slower.
    rows = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[inverse.ravel()], first[order].astype(np.int64)


def _distinct(values: list[V]) -> tuple[dict[V, int], Ints]:
    """Give distinct values numbers in order of appearance, and (N,) the number of each value."""
    number: dict[V, int] = {}
    where = [number.setdefault(value, len(number)) for value in values]
    return number, np.array(where, dtype=np.int64)


def _value(node: NodeRecord, key: str, field: bool) -> str | None:
    return node.name if field else node.labels.get(key)


def _taints(node: NodeRecord) -> tuple[Taint, ...]:
    if node.unschedulable and _CORDON not in node.taints:
        return (*node.taints, _CORDON)
    return node.taints
