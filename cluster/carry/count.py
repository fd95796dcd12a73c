"""Which members of a flight have what they need, counted from the server's own words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gangplan.cluster.carry import look
from gangplan.cluster.carry.elsewhere import allowed
from gangplan.cluster.carry.journal import Journal
from gangplan.cluster.client import Object
from gangplan.cluster.errors import NotFound
from gangplan.cluster.flight import Flight, Member, Placing
from gangplan.cluster.flights.drafts import minimum_of
from gangplan.cluster.kinds import POD
from gangplan.cluster.site import Site
from gangplan.cluster.uses import group_name, role_name
from gangplan.cluster.world import name_of, uid_of


@dataclass(frozen=True, slots=True)
class Count:
    """The pods of a flight and of its groups, as they are.

    Attributes
    ----------
    pods : by full name. nodes : of the flight, those that still stand.
    placed : UID -> node, of the pods of the flight that are where they may be.
    """

    flight: Flight
    pods: Mapping[str, Object]
    nodes: frozenset[str]
    placed: Mapping[str, str]

    @property
    def missing(self) -> tuple[Placing, ...]:
        """Placings whose pods are not where they should be."""
        return tuple(p for p in self.flight.placings if p.uid not in self.placed)

    @property
    def waiting(self) -> tuple[Placing, ...]:
        """Those of the missing whose pods could still be bound."""
        return tuple(p for p in self.missing if self.can_wait(p))

    def can_wait(self, placing: Placing) -> bool:
        """Whether the pod of a placing is there and has no node."""
        pod = self.pods.get(placing.pod)
        return pod is not None and uid_of(pod) == placing.uid and look.waits(pod)

    def failing(self) -> tuple[Member, ...]:
        """Members without their minimum; in a tree, then, also those that stand on ours alone."""
        found = [member for member in self.flight.members if not self._reached(member, self.placed)]
        if found and self.flight.tree:
            found = [member for member in self.flight.members if not self._reached(member, {})]
        return tuple(found)

    def short(self, member: Member) -> int:
        """Give the number of pods that a member lacks of its minimum, roles apart."""
        return max(0, member.minimum - len(self._here(member, self.placed)))

    def candidates(self, member: Member) -> list[Object]:
        """Pods of a group that have no node: ours, or made in the place of those that failed."""
        return [
            pod for pod in self.pods.values() if group_name(pod) == member.group and look.waits(pod)
        ]

    def _here(self, member: Member, placed: Mapping[str, str]) -> list[Object]:
        planned = frozenset(placing.uid for placing in self.flight.placings)
        return [
            pod
            for pod in self.pods.values()
            if group_name(pod) == member.group and _counts(pod, planned, placed)
        ]

    def _reached(self, member: Member, placed: Mapping[str, str]) -> bool:
        if member.kind != "PodGroup" or not (member.minimum or member.roles):
            return True
        here = self._here(member, placed)
        if len(here) < member.minimum:
            return False
        for role, (least, names) in member.roles.items():
            mine = (pod for pod in here if role_name(pod) == role or name_of(pod) in names)
            if sum(1 for _ in mine) < least:
                return False
        return True


def _counts(pod: Object, planned: frozenset[str], placed: Mapping[str, str]) -> bool:
    """Whether a pod counts as running; one of ours also after it has done its work."""
    if uid_of(pod) in planned:
        return uid_of(pod) in placed
    return bool(look.node_of(pod)) and not look.leaving(pod) and not look.finished(pod)


def count(journal: Journal) -> Count:
    """Read the pods of a flight and say what has become of them.

    Raises
    ------
    ClusterError : the server does not answer, or refuses.
    """
    seen = _counted(journal, look.flight_pods(journal.site, journal.flight))
    if not seen.failing():
        return seen
    members = tuple(_as_now(journal.site, member) for member in seen.flight.members)
    return replace(seen, flight=replace(seen.flight, members=members))


def own(journal: Journal, pods: dict[str, Object], names: Iterable[str]) -> Count:
    """Count with the pods of the flight alone; what runs beside them of its groups is not seen.

    Where watches tell us, the server is not asked: what they show of a binding has happened.

    Parameters
    ----------
    pods : as seen before; taken note of here. names : of those to look at again.

    Raises
    ------
    ClusterError : the server does not answer, or refuses.
    """
    known = journal.site.glance()
    for name in (wanted := list(names)):
        pods.pop(name, None)
    if known is None:
        pods |= look.pods_of(journal.site, wanted)
    else:
        found = ((name, known.find(POD.name, name)) for name in wanted)
        pods |= {name: pod for name, pod in found if pod is not None}
    return _counted(journal, pods)


def _counted(journal: Journal, pods: Mapping[str, Object]) -> Count:
    site, flight = journal.site, journal.flight
    nodes = frozenset(look.standing_nodes(site, flight))
    tried = journal.tried
    placed: dict[str, str] = {}
    for placing in flight.placings:
        pod = pods.get(placing.pod)
        if pod is None or uid_of(pod) != placing.uid:
            continue
        node = look.node_of(pod)
        if not node or look.leaving(pod) or look.rejected(pod):
            continue
        if node == placing.node and node not in nodes:
            continue
        if node in tried[placing.uid] or allowed(site, flight, placing, node):
            placed[placing.uid] = node
    return Count(flight, pods, nodes, placed)


def _as_now(site: Site, member: Member) -> Member:
    """Give a member with the minimum of its PodGroup, where that has been lowered on the way.

    Whoever scales a gang down takes pods away that we wait for. A raised one is not believed: a
    gang that is scaled up was in before.
    """
    if member.kind != "PodGroup" or "PodGroup" not in site.served:
        return member
    try:
        group = site.client.get(site.served["PodGroup"].path_of(member.group))
    except NotFound:
        return member
    if uid_of(group) != member.uid:
        return member
    return replace(member, minimum=min(member.minimum, minimum_of(group)))
