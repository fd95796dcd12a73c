"""Programs for the sentences in ``facts`` and ``never``; a sentence without one stays unchecked."""

from collections.abc import Callable
from pathlib import Path

from gangplan.api import verify
from gangplan.datasets.eviction_entries import FEWEST
from gangplan.datasets.kubernetes.read import snapshot_of
from gangplan.datasets.kubernetes.text.documents import load
from gangplan.datasets.kubernetes.text.fields import Faults
from tests.cases.answer import Answer

Holds = Callable[[Answer], bool]


def _nodes(answer: Answer, word: str) -> set[str]:
    return {node for pod, node in answer.node.items() if word in pod}


def _whole_replicas(answer: Answer) -> bool:
    placed = answer.node
    return all((f"r{i}-leader" in placed) == (f"r{i}-worker" in placed) for i in range(3))


def _not_pending(*pods: str) -> Holds:
    """Tell whether pods that run are no pending pods of the instance: a plan cannot touch them."""
    return lambda a: not {name.rpartition("/")[2] for name in a.instance.names.pods} & set(pods)


def _unused(*nodes: str) -> Holds:
    return lambda a: not set(nodes) & set(a.node.values())


def _disruption(answer: Answer) -> dict[str, str]:
    faults = Faults()
    snapshot = snapshot_of(load([str(answer.source)], faults), faults)
    return {group.name: group.disruption for group in snapshot.groups}


def _policy_is_named(answer: Answer) -> bool:
    policy = str(answer.file.get("policy"))
    page = (Path(__file__).parents[2] / "docs" / "preemption.md").read_text(encoding="utf-8")
    return policy == FEWEST and f'"{FEWEST}"' in page


def _placed_and_fallen(answer: Answer, group: str) -> tuple[int, int]:
    return answer.placed(group), len(answer.victims)


FACTS: dict[str, dict[str, Holds]] = {
    "gang-leader-worker-shapes": {
        "every placed leader is on fat-1 or fat-2": lambda a: (
            _nodes(a, "leader") <= {"fat-1", "fat-2"}
        ),
        "every placed worker is on thin-1 or thin-2": lambda a: (
            _nodes(a, "worker") <= {"thin-1", "thin-2"}
        ),
    },
    "topo-preferred-fewest-domains": {
        "distinct leaves used = 2": lambda a: len(a.domains("ring", "leaf")) == 2,
        "distinct spines used = 1": lambda a: len(a.domains("ring", "spine")) == 1,
    },
    "topo-required-block-preferred-rack": {
        "trio's rack preference is met": lambda a: len(a.domains("trio", "rack")) == 1,
        "four uses two racks, the fewest possible": lambda a: len(a.domains("four", "rack")) == 2,
    },
    "par-podgroup-api-versions": {
        "older and newer have the same disruption mode: the whole group": lambda a: (
            {_disruption(a)[name] for name in ("older", "newer")} == {"all"}
        ),
        "a limit without a request counts as the request": lambda a: (
            a.request("older-0", "nvidia.com/gpu") == 1
        ),
    },
    "par-quantities-exact": {
        "1E = 10^18 bytes": lambda a: a.request("exa-0", "memory") == 10**18,
        "1e3 = 1000 bytes": lambda a: a.request("sci-0", "memory") == 1000,
        "42991616000m = 42991616 bytes": lambda a: a.request("tenths-0", "memory") == 42991616,
        "129e6 = 129000000 bytes": lambda a: a.free("n1", "memory") == 129_000_000,
    },
    "pre-minimum-or-more-with-more-victims": {
        "the policy in force is named in the documentation and in the plan": _policy_is_named,
        # Each case is asked in two orders of its objects.
        "the same policy gives the same pair for every node order": lambda a: (
            _placed_and_fallen(a, "stretch") == (2, 1)
        ),
    },
    "ada-terminating-finished-notready": {
        "leaving-0 is no victim: it is already going": _not_pending("leaving-0"),
        "bound-0 (nodeName set, phase Pending) holds n4": _unused("n4"),
    },
}
"""Case -> sentence -> does it hold."""

NEVER: dict[str, dict[str, Holds]] = {
    "gang-leader-worker-shapes": {"a leader without its worker": _whole_replicas},
    "gang-running-members-count": {
        "train-0 or train-1 moved or evicted": _not_pending("train-0", "train-1"),
        "n4 given to late": lambda a: "n4" not in a.nodes_of("late"),
    },
    "topo-domain-fixed-by-running-pods": {
        "grow-2 or grow-3 in rack b": lambda a: "b" not in a.domains("grow", "rack"),
        "both new pods in rack b": lambda a: a.domains("grow", "rack") != {"b"},
    },
    "fil-spread-and-unusable-zones": {
        "a pod on n4 (no zone label)": _unused("n4"),
        "a pod on n3": _unused("n3"),
    },
    "par-podgroup-api-versions": {
        "lost-0 placed as a free pod": lambda a: a.placed("lost-0") == 0,
        "plugin read as a gang with no minimum": lambda a: all(
            minimum == 2
            for name, minimum in zip(
                a.instance.names.groups, a.instance.groups.minimum, strict=True
            )
            if name == "lab/plugin"
        ),
        "plugin dropped without a word": lambda a: "plugin" in a.about("plugin"),
    },
    "par-quantities-exact": {
        "2 of tenths placed because 0.1+0.1+0.1 > 0.3": lambda a: a.placed("tenths") != 2,
    },
    "ada-terminating-finished-notready": {
        "a pod on n1 now": _unused("n1"),
        "a pod on n3": _unused("n3"),
        "n4 counted as free": _unused("n4"),
        "done-0 counted as using n2": lambda a: a.nodes_of("next") == ["n2"],
    },
    "dra-all-mode-is-strict": {
        "a pod on node none with an empty allocation": _unused("none"),
        "a pod on tainted with only d1": _unused("tainted"),
        "a pod on partly-used with only d0": _unused("partly-used"),
        "a pod on updating": _unused("updating"),
        "the whole run stops with an error because of pool updating": lambda a: bool(a.node),
    },
    "dra-device-visible-to-a-rack": {
        "multi on a1 with any node of rack b": lambda a: len(a.domains("multi", "rack")) < 2,
        "rack-a/fab allocated": lambda a: "rack-a/fab" not in a.all_devices(),
    },
    "dra-shared-device-keeps-counter": {
        "card0-sliced allocated": lambda a: "n1/card0-sliced" not in a.all_devices(),
        "share refused for lack of counter 'mode'": lambda a: (
            a.placed("share") == 1 and "mode" not in a.about("share")
        ),
    },
    "pre-minimum-or-more-with-more-victims": {
        "2 placed with 2 victims": lambda a: _placed_and_fallen(a, "stretch") != (2, 2),
        "fewer than 2 placed": lambda a: a.placed("stretch") >= 2,
        "3 placed with 1 victim": lambda a: _placed_and_fallen(a, "stretch") != (3, 1),
    },
    "pre-spare-member-before-minimum": {
        "a member of tight evicted": lambda a: not {"tight-0", "tight-1"} & set(a.victims),
        "unit-0 evicted without unit-1": lambda a: (
            "unit-0" not in a.victims or "unit-1" in a.victims
        ),
        "two or more victims": lambda a: len(a.victims) < 2,
    },
    "sol-gap-hides-small-groups": {
        "a node left empty": lambda a: set(a.node.values()) == {"n1", "n2", "n3"},
        "s3 placed before s1 or s2": lambda a: a.placed("s3") == 0,
        "system beaten by any number of lower groups": lambda a: a.placed("system") == 1,
    },
    "sol-status-words": {
        # The stubbed rows (stub.py) ask the same of every answer of a solver.
        "'optimal' after a limit was hit without proof": lambda a: (
            a.result.stop != "optimal" or all(tier.proven for tier in a.result.tiers)
        ),
        "an unchecked solution applied": lambda a: not verify(a.instance, a.result.plan),
        "'infeasible' or 'cannot be placed' after a limit": lambda a: not a.result.reasons,
    },
}
"""Case -> sentence -> is it true that this did NOT happen."""
