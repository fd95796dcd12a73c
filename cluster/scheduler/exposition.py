"""Counters, gauges and histograms, and the text that Prometheus reads of them.

Text format 0.0.4 of https://prometheus.io/docs/instrumenting/exposition_formats. An instrument has
a fixed set of labels; each set of their values is a series of its own. All of it may be called
from any thread.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from threading import Lock

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Values = tuple[str, ...]


class Instrument:
    """One metric family.

    Parameters
    ----------
    name : of the family; a counter's ends in ``_total``.
    help : one sentence.
    labels : names of its labels.
    """

    kind = "untyped"

    def __init__(self, name: str, help: str, labels: Sequence[str] = ()) -> None:
        self.name, self.help, self.labels = name, help, tuple(labels)
        self._lock = Lock()

    def lines(self) -> Iterator[str]:
        """Yield its lines, HELP and TYPE first."""
        yield f"# HELP {self.name} {_escaped(self.help, quotes=False)}"
        yield f"# TYPE {self.name} {self.kind}"
        with self._lock:
            samples = list(self._samples())
        yield from samples

    def _samples(self) -> Iterator[str]:
        raise AssertionError(f"{type(self).__name__} has no samples of its own")

    def _values(self, given: dict[str, str]) -> Values:
        if given.keys() != set(self.labels):
            raise ValueError(f"{self.name} has the labels {self.labels}, not {tuple(given)}")
        return tuple(given[label] for label in self.labels)

    def _sample(self, suffix: str, values: Values, value: float, le: str | None = None) -> str:
        pairs = list(zip(self.labels, values, strict=True))
        pairs += [] if le is None else [("le", le)]
        inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in pairs)
        return f"{self.name}{suffix}{'{' + inside + '}' if inside else ''} {_number(value)}"


class _Valued(Instrument):
    def __init__(self, name: str, help: str, labels: Sequence[str] = ()) -> None:
        super().__init__(name, help, labels)
        # Without labels there is one series, and it is there from the start.
        self._value: dict[Values, float] = {} if labels else {(): 0.0}

    def value(self, **labels: str) -> float:
        """Give the value of a series; 0 where it has none yet."""
        with self._lock:
            return self._value.get(self._values(labels), 0.0)

    def _samples(self) -> Iterator[str]:
        for values, value in sorted(self._value.items()):
            yield self._sample("", values, value)


class Counter(_Valued):
    """A number that only grows."""

    kind = "counter"

    def add(self, amount: float = 1.0, **labels: str) -> None:
        """Count.

        Raises
        ------
        ValueError : the amount is negative, or a label is missing or unknown.
        """
        if amount < 0:
            raise ValueError(f"{self.name} is a counter: it does not go down by {-amount}")
        values = self._values(labels)
        with self._lock:
            self._value[values] = self._value.get(values, 0.0) + amount


class Gauge(_Valued):
    """A number that goes up and down."""

    kind = "gauge"

    def set(self, value: float, **labels: str) -> None:
        """Set it.

        Raises
        ------
        ValueError : a label is missing or unknown.
        """
        values = self._values(labels)
        with self._lock:
            self._value[values] = float(value)


class Histogram(Instrument):
    """How many observations were at most as large as each bound, and their sum."""

    kind = "histogram"

    def __init__(
        self, name: str, help: str, bounds: Sequence[float], labels: Sequence[str] = ()
    ) -> None:
        super().__init__(name, help, labels)
        self.bounds = (*sorted(bounds), math.inf)
        self._counts: dict[Values, list[int]] = {}
        self._sums: dict[Values, float] = {}

    def observe(self, value: float, **labels: str) -> None:
        """Take one observation.

        Raises
        ------
        ValueError : a label is missing or unknown.
        """
        values = self._values(labels)
        with self._lock:
            counts = self._counts.setdefault(values, [0] * len(self.bounds))
            counts[bisect_left(self.bounds, value)] += 1
            self._sums[values] = self._sums.get(values, 0.0) + value

    def count(self, **labels: str) -> int:
        """Give the number of observations of a series."""
        with self._lock:
            return sum(self._counts.get(self._values(labels), ()))

    def _samples(self) -> Iterator[str]:
        for values, counts in sorted(self._counts.items()):
            below = 0
            for bound, count in zip(self.bounds, counts, strict=True):
                below += count
                yield self._sample("_bucket", values, below, _number(bound))
            yield self._sample("_sum", values, self._sums[values])
            yield self._sample("_count", values, below)


def text_of(instruments: Sequence[Instrument]) -> str:
    """Give everything as Prometheus reads it."""
    return "".join(f"{line}\n" for one in instruments for line in one.lines())


def _escaped(text: str, *, quotes: bool = True) -> str:
    text = text.replace("\\", "\\\\").replace("\n", "\\n")
    return text.replace('"', '\\"') if quotes else text


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if math.isnan(value):
        return "NaN"
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))
