"""Runs a case through the public path, and says what came in the case's own words."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import gangplan.api
from gangplan.datasets.io import read_result, write_plan
from gangplan.models.instance import Instance
from gangplan.models.result import Result
from gangplan.solvers.base import Limits
from tests.cases.convert import Document
from tests.cases.read import Case


# No slots: cached_property needs a __dict__.
@dataclass(frozen=True)
class Answer:
    """What the public path said about a case.

    Attributes
    ----------
    case, instance, result : the question, how it was read, what was found.
    file : the plan file as JSON.
    source : the manifests.
    """

    case: Case
    instance: Instance
    result: Result
    file: dict[str, Any]
    source: Path

    @cached_property
    def node(self) -> dict[str, str]:
        """Pod name (without namespace) -> node; placed pods only."""
        names, placed = self.instance.names, self.result.plan.node
        return {
            names.pods[p].rpartition("/")[2]: names.nodes[placed[p]]
            for p in np.flatnonzero(placed >= 0).tolist()
        }

    @cached_property
    def members(self) -> dict[str, list[str]]:
        """Group -> its pending pods, as written in the case; a pod stands for itself, too."""
        found: dict[str, list[str]] = {}
        for name, group in self._loose():
            found.setdefault(group, []).append(name)
            found.setdefault(name, [name])
        return found

    @cached_property
    def victims(self) -> list[str]:
        """Pods that are evicted, sorted."""
        pods = (pod for entry in self.file["evictions"] for pod in entry["pods"])
        return sorted(str(pod).rpartition("/")[2] for pod in pods)

    def _loose(self) -> list[tuple[str, str]]:
        pairs = [(pod, group) for group, pods in self.case.pods_of().items() for pod in pods]
        for document in yaml.safe_load_all(self.case.body.get("manifests", "")):
            if document and document["kind"] == "Pod" and "nodeName" not in document["spec"]:
                group = document["spec"].get("schedulingGroup", {}).get("podGroupName", "")
                pairs.append((document["metadata"]["name"], group))
        return pairs

    def nodes_of(self, group: str) -> list[str]:
        """Nodes of the new pods of a group (or of a pod), sorted."""
        return sorted(self.node[pod] for pod in self.members[group] if pod in self.node)

    def placed(self, group: str) -> int:
        """Number of new pods placed."""
        return len(self.nodes_of(group))

    def label(self, node: str, key: str) -> str:
        """Value of a node label, as the case gives it; empty where the node lacks it."""
        for entry in self.case.body["cluster"]["nodes"]:
            if entry["name"] == node:
                return str(entry.get("labels", {}).get(key, ""))
        raise KeyError(node)

    def domains(self, group: str, key: str) -> set[str]:
        """Label values that the new pods of a group use."""
        return {self.label(node, key) for node in self.nodes_of(group)}

    def request(self, pod: str, resource: str) -> int:
        """Request of one pending pod as it was read, base units."""
        names = self.instance.names
        p = next(i for i, name in enumerate(names.pods) if name.rpartition("/")[2] == pod)
        r = names.resources.index(resource)
        return int(self.instance.roles.request[self.instance.pod_role[p], r])

    def free(self, node: str, resource: str) -> int:
        """Free room of a node as it was read, base units."""
        names = self.instance.names
        n, r = names.nodes.index(node), names.resources.index(resource)
        return int(self.instance.nodes.free[n, r])

    def devices(self, pod: str) -> list[str]:
        """``pool/device`` of the claims that a pod has for itself, sorted; each name once."""
        entries = [p for entry in self.file["groups"] for p in entry["pods"]]
        mine = [p for p in entries if p["pod"].rpartition("/")[2] == pod]
        return _named(claim for p in mine for claim in p.get("claims", ()))

    def devices_of_group(self, group: str) -> list[str]:
        """``pool/device`` of all claims of a group, those that its pods share among them."""
        own = {name for pod in self.members[group] for name in self.devices(pod)}
        claims = {
            f"{entry.get('namespace', 'default')}/{claim['resourceClaimName']}"
            for entry in self.case.body.get("pending", ())
            for claim in entry.get("groupClaims", ())
            if entry["group"] == group
        }
        shared = self.file.get("shared_claims", ())
        return sorted(own | set(_named(row for row in shared if row["claim"] in claims)))

    def all_devices(self) -> list[str]:
        """``pool/device`` of everything that the plan allocates."""
        pods = [p for entry in self.file["groups"] for p in entry["pods"]]
        rows = [row for p in pods for row in p.get("claims", ())]
        return _named([*rows, *self.file.get("shared_claims", ())])

    def about(self, what: str) -> str:
        """Everything the user is told about a group, a pod, a node or the solver, one text."""
        names = self.instance.names
        told: list[str] = []
        for entry in self.file["groups"]:
            if entry["group"].rpartition("/")[2] == what:
                told.append(str(entry.get("reason") or ""))
        for p, name in enumerate(names.pods):
            if name.rpartition("/")[2] == what:
                told.append(self.result.reasons.get(self._group(p), ""))
        said = [*self.result.warnings, *names.notes, *self.result.reasons.values()]
        return "\n".join([*told, *(text for text in said if what == "solver" or what in text)])

    def _group(self, pod: int) -> int:
        return int(self.instance.roles.group[self.instance.pod_role[pod]])


def _named(rows: Iterable[dict[str, Any]]) -> list[str]:
    return sorted({f"{row['pool']}/{row['device']}" for row in rows})


def answer(
    case: Case, docs: Sequence[Document], levels: Sequence[str], folder: Path, seconds: float = 60.0
) -> Answer:
    """Write the objects into ``folder``, then load, plan, verify, write and read back.

    Raises
    ------
    AssertionError : the plan breaks a rule, or the plan file says something else than the result.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "cluster.yaml"
    source.write_text(yaml.safe_dump_all(docs, sort_keys=False), encoding="utf-8")
    instance = gangplan.api.load([source], levels=levels)
    result = gangplan.api.plan(instance, limits=Limits(seconds=seconds))
    broken = gangplan.api.verify(instance, result.plan)
    assert not broken, "; ".join(violation.sentence for violation in broken)
    file = folder / "plan.json"
    write_plan(instance, result, str(file))
    again = read_result(str(file), gangplan.api.load([source], levels=levels))
    assert again.plan.node.tolist() == result.plan.node.tolist(), "the plan file differs"
    assert again.plan.evicted.tolist() == result.plan.evicted.tolist(), "the evictions differ"
    for column in ("pod", "claim", "choice", "device"):
        have, want = (getattr(one.plan.allocations, column) for one in (again, result))
        assert have.tolist() == want.tolist(), "the devices of the plan file differ"
    assert again.tiers == result.tiers, "the tiers of the plan file differ"
    return Answer(case, instance, result, json.loads(file.read_text(encoding="utf-8")), source)
