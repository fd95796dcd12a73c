"""A plan document and a World become flights (docs/adapter.md, rule 3)."""

from gangplan.cluster.flights.flights import flights_of as flights_of
