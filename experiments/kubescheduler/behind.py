"""Who is behind whom: plans of one instance compared tier by tier, first tier first."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gangplan.experiments.peers import KUBE_SCHEDULERS
from gangplan.experiments.records import DONE, Record


@dataclass(frozen=True, slots=True)
class Pair:
    """Our plan beside a peer's, of one instance under one objective.

    Attributes
    ----------
    tier : the first one in which they differ; empty where they are equal.
    ahead : in it ours is the better one. True where they are equal.
    """

    ours: Record
    peer: Record
    tier: str
    ahead: bool


def pairs(records: Iterable[Record]) -> Iterator[Pair]:
    """Compare each of our plans with each of a kube-scheduler's that breaks no rule."""
    found: dict[tuple[str, str, int], list[Record]] = defaultdict(list)
    for record in records:
        if record.status == DONE and record.verified:
            found[record.digest, record.objective, record.seed].append(record)
    for same in found.values():
        peers = [record for record in same if record.planner in KUBE_SCHEDULERS]
        ours = [record for record in same if record.planner not in KUBE_SCHEDULERS]
        for one in ours:
            yield from (_compared(one, peer) for peer in peers)


def broken(records: Iterable[Record]) -> list[Record]:
    """Give the plans that break a rule: in no comparison, and listed with what they break."""
    return [record for record in records if record.status == DONE and not record.verified]


def weighted(record: Record) -> int:
    """Sum of priority times GPUs admitted, of a record with the objective ``gpus``."""
    return sum(
        int(tier.name.partition("(")[2].rstrip(")")) * tier.value
        for tier in record.tiers
        if tier.name.startswith("admitted-gpus(")
    )


def _compared(ours: Record, peer: Record) -> Pair:
    for one, other in zip(ours.tiers, peer.tiers, strict=True):
        if one.value != other.value:
            return Pair(ours, peer, one.name, (one.value > other.value) == one.maximise)
    return Pair(ours, peer, "", True)
