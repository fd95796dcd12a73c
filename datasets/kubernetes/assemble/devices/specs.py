"""What claims ask, equal specs once, and why a spec can never be satisfied."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gangplan.datasets.kubernetes.cel import CelError, Selector, compiled
from gangplan.datasets.kubernetes.devicerecords import (
    ALL,
    ChoiceRecord,
    ClassRecord,
    ConstraintRecord,
    SpecRecord,
)
from gangplan.models.claims import MOST_RESULTS


class Member(NamedTuple):
    """A choice, by the number of its request and its own number in it."""

    request: int
    choice: int


class Specs:
    """Specs by number, in the order they are first met.

    Parameters
    ----------
    classes : DeviceClasses by name.
    """

    def __init__(self, classes: Mapping[str, ClassRecord]) -> None:
        self.records: list[SpecRecord] = []
        self._classes = classes
        self._number: dict[SpecRecord, int] = {}
        self._source: dict[SpecRecord, str] = {}
        self._problems: dict[int, tuple[str, ...]] = {}

    def number(self, record: SpecRecord, source: str) -> int:
        """Give a spec its number; ``source``: the object that says so, as notes name it."""
        self._source.setdefault(record, source)
        found = self._number.setdefault(record, len(self.records))
        if found == len(self.records):
            self.records.append(record)
        return found

    def source(self, record: SpecRecord) -> str:
        """Name the object that a spec was first met in."""
        return self._source[record]

    def problems(self, number: int) -> tuple[str, ...]:
        """Say why no pod with such a claim can be placed; empty where nothing is wrong."""
        if number not in self._problems:
            self._problems[number] = tuple(dict.fromkeys(self._wrong(self.records[number])))
        return self._problems[number]

    def selectors(self, choice: ChoiceRecord) -> list[Selector]:
        """Give the selectors of a choice: of its class, then its own."""
        expressions = (*self._classes[choice.device_class].selectors, *choice.selectors)
        found = map(compiled, expressions)
        return [one for one in found if not isinstance(one, CelError)]

    def _wrong(self, spec: SpecRecord) -> Iterator[str]:
        for request in spec.requests:
            for choice in request.choices:
                name = f"{request.name}/{choice.name}" if choice.name else request.name
                yield from self._wrong_choice(name, choice)
        least = sum(
            min(1 if choice.count == ALL else choice.count for choice in request.choices)
            for request in spec.requests
        )
        if least > MOST_RESULTS:
            yield f"a claim asks for {least} devices, {MOST_RESULTS} are allowed"

    def _wrong_choice(self, name: str, choice: ChoiceRecord) -> Iterator[str]:
        record = self._classes.get(choice.device_class)
        if record is None:
            yield f"request {name}: DeviceClass {choice.device_class} does not exist"
        for i, expression in enumerate(record.selectors if record is not None else ()):
            if isinstance(error := compiled(expression), CelError):
                yield f"DeviceClass {choice.device_class}: selectors[{i}]: {error}"
        for i, expression in enumerate(choice.selectors):
            if isinstance(error := compiled(expression), CelError):
                yield f"request {name}: selectors[{i}]: {error}"


def members(spec: SpecRecord, constraint: ConstraintRecord) -> tuple[Member, ...]:
    """Give the choices that a constraint binds."""
    wanted = set(constraint.requests)
    found = {member for name, member in _named(spec) if not wanted or name in wanted}
    return tuple(sorted(found))


def _named(spec: SpecRecord) -> Iterator[tuple[str, Member]]:
    """Give each choice by the names that a constraint may have for it."""
    for q, request in enumerate(spec.requests):
        for b, choice in enumerate(request.choices):
            yield request.name, Member(q, b)
            if choice.name:
                yield f"{request.name}/{choice.name}", Member(q, b)
