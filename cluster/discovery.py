"""Which kinds a cluster serves, and in which version (KEP-4671: v1beta1 > v1alpha3 > v1alpha2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gangplan.cluster.client import Client
from gangplan.cluster.errors import NotFound
from gangplan.cluster.kinds import (
    BUDGET,
    COMPOSITE,
    CORE,
    DRA_KINDS,
    GROUP_KINDS,
    GROUP_VERSIONS,
    SCHEDULING,
    TAINT_RULE,
    TAINT_RULE_VERSIONS,
    TOPOLOGY,
    TOPOLOGY_VERSIONS,
    Kind,
)


@dataclass(frozen=True, slots=True)
class Served:
    """What a cluster serves of what planning needs.

    Attributes
    ----------
    version : of the server, such as ``v1.37.2``.
    kinds : by name (``PodGroup``); absent where the API is not served.
    missing : sentences for the user, one for each absent API.
    """

    version: str
    kinds: dict[str, Kind]
    missing: tuple[str, ...]

    def __getitem__(self, name: str) -> Kind:
        """Give a kind that is known to be served."""
        return self.kinds[name]

    def __contains__(self, name: str) -> bool:
        """Whether a kind is served."""
        return name in self.kinds

    @property
    def group_version(self) -> str:
        """Version of PodGroup; empty where the API is not served."""
        return self.kinds["PodGroup"].version if "PodGroup" in self.kinds else ""


def discover(client: Client) -> Served:
    """Ask the server.

    Raises
    ------
    ClusterError : the server cannot be reached or refuses to say.
    """
    version = str(client.get("/version").get("gitVersion", ""))
    kinds = {kind.name: kind for kind in CORE}
    missing = []
    asked = _Asked(client, {})
    for group_version in GROUP_VERSIONS:
        at = [replace(kind, version=group_version) for kind in GROUP_KINDS]
        if asked.serves(at[0]):
            kinds |= {kind.name: kind for kind in at if asked.serves(kind)}
            break
    else:
        versions = ", ".join(GROUP_VERSIONS)
        missing.append(
            f"{SCHEDULING} serves no PodGroup ({versions}): only pods without a group are planned"
        )
    if asked.serves(COMPOSITE):
        kinds[COMPOSITE.name] = COMPOSITE
    if all(asked.serves(kind) for kind in DRA_KINDS):
        kinds |= {kind.name: kind for kind in DRA_KINDS}
        rule = asked.first(TAINT_RULE, TAINT_RULE_VERSIONS)
        if rule is not None:
            kinds[rule.name] = rule
    else:
        missing.append("resource.k8s.io/v1 is not served: pods with claims wait")
    if asked.serves(BUDGET):
        kinds[BUDGET.name] = BUDGET
    else:
        missing.append("policy/v1 is not served: nobody is evicted")
    topology = asked.first(TOPOLOGY, TOPOLOGY_VERSIONS)
    if topology is not None:
        kinds[topology.name] = topology
    return Served(version, kinds, tuple(missing))


@dataclass(frozen=True, slots=True)
class _Asked:
    client: Client
    found: dict[str, frozenset[str]]

    def serves(self, kind: Kind) -> bool:
        if kind.root not in self.found:
            try:
                answer = self.client.get(kind.root)
            except NotFound:
                answer = {}
            names = (str(entry.get("name")) for entry in answer.get("resources", ()))
            self.found[kind.root] = frozenset(names)
        return kind.plural in self.found[kind.root]

    def first(self, kind: Kind, versions: Sequence[str]) -> Kind | None:
        for version in versions:
            at = replace(kind, version=version)
            if self.serves(at):
                return at
        return None
