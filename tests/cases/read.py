"""Reads case files strictly: an unknown key is an error, never passed over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ANY = "any"
"""Kubernetes' own fields, handed on as they stand."""

PLAIN = "plain"
"""A text, a number, a boolean or null."""

# A shape: ANY, PLAIN, [shape of each item], {key: shape}, or {"*": shape} for free keys.
_POD = {
    "name": PLAIN,
    "labels": {"*": PLAIN},
    "nodeSelector": {"*": PLAIN},
    "tolerations": ANY,
    "affinity": ANY,
    "topologySpreadConstraints": ANY,
    "requests": {"*": PLAIN},
    "claims": [{"name": PLAIN, "spec": ANY}],
    "usesGroupClaims": [PLAIN],
}
_TOPOLOGY = [{"key": PLAIN, "mode": PLAIN}]
_ABOUT = [{"about": PLAIN, "must_mention": [PLAIN]}]
_ANSWER = {
    "placed": {"*": PLAIN},
    "placed_one_of": [{"*": PLAIN}],
    "total_placed": PLAIN,
    "victims": [PLAIN],
    "victims_one_of": [[PLAIN]],
    "nodes_of": {"*": [PLAIN]},
    "pods_per_node": {"*": PLAIN},
    "domain": {"*": {"*": PLAIN}},
    "devices": {"*": [PLAIN]},
    "devices_of_group": {"*": [PLAIN]},
    "status": PLAIN,
    "errors": _ABOUT,
    "warnings": _ABOUT,
    "facts": [PLAIN],
    "never": [PLAIN],
}
_CASE = {
    "id": PLAIN,
    "title": PLAIN,
    "source": PLAIN,
    "category": PLAIN,
    "apiVersions": [PLAIN],
    "cluster": {
        "topologyLevels": [PLAIN],
        "nodes": [
            {
                "name": PLAIN,
                "labels": {"*": PLAIN},
                "taints": ANY,
                "allocatable": {"*": PLAIN},
                "unschedulable": PLAIN,
                "ready": PLAIN,
            }
        ],
        "deviceClasses": [{"name": PLAIN, "spec": ANY}],
        "resourceSlices": [{"spec": ANY}],
    },
    "running": [
        {
            "group": PLAIN,
            "priority": PLAIN,
            "minCount": PLAIN,
            "disruptionMode": PLAIN,
            "pods": [
                {
                    "name": PLAIN,
                    "node": PLAIN,
                    "requests": {"*": PLAIN},
                    "labels": {"*": PLAIN},
                    "priority": PLAIN,
                    "phase": PLAIN,
                    "deletionTimestamp": PLAIN,
                    "allocations": [{"claim": PLAIN, "results": ANY}],
                }
            ],
        }
    ],
    "pending": [
        {
            "group": PLAIN,
            "namespace": PLAIN,
            "priority": PLAIN,
            "minCount": PLAIN,
            "bundle": PLAIN,
            "podTemplate": {"names": [PLAIN], "count": PLAIN, **_POD},
            "pods": [_POD],
            "topology": _TOPOLOGY,
            "slices": {"size": PLAIN, "topology": _TOPOLOGY},
            "exclusive": {"key": PLAIN},
            "groupClaims": [{"name": PLAIN, "resourceClaimName": PLAIN, "spec": ANY}],
        }
    ],
    "manifests": PLAIN,
    "stub_solver_results": [
        {
            "backend": PLAIN,
            "model_status": PLAIN,
            "primal": ANY,
            "mip_gap": PLAIN,
            "primal_violates_a_row": PLAIN,
            "text": PLAIN,
            "lp_status": PLAIN,
            "sol_status": PLAIN,
            "expect": {
                "status": PLAIN,
                "gap_shown": PLAIN,
                "fallback_used": PLAIN,
                "placed": {"*": PLAIN},
                "errors": _ABOUT,
                "never": [PLAIN],
            },
        }
    ],
    "events_between_plan_and_apply": ANY,
    "expect": {
        **_ANSWER,
        "by_policy": {"*": _ANSWER},
        "variants": [{"name": PLAIN, "change": PLAIN, "expect": _ANSWER}],
    },
    "why": PLAIN,
}
_NEEDED = ("id", "title", "source", "category", "expect")


class CaseError(Exception):
    """A case file that cannot be read: file, case and path of the key at fault."""


@dataclass(frozen=True, slots=True)
class Case:
    """A case as it is written.

    Attributes
    ----------
    id, category : of the case.
    body : everything in it; every key is a known one.
    """

    id: str
    category: str
    body: dict[str, Any]

    @property
    def expect(self) -> dict[str, Any]:
        """What any right answer must satisfy."""
        found: dict[str, Any] = self.body["expect"]
        return found

    def pods_of(self) -> dict[str, list[str]]:
        """Group -> names of its pending pods."""
        found: dict[str, list[str]] = {}
        for entry in self.body.get("pending", ()):
            found.setdefault(entry["group"], []).extend(name for name, _ in pods_of(entry))
        return found


def pods_of(entry: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and fields of each pod of an entry of ``pending``."""
    for pod in entry.get("pods", ()):
        yield pod["name"], pod
    template = entry.get("podTemplate")
    if template is not None:
        count = template.get("count", 1)
        names = template.get("names") or [f"{entry['group']}-{i}" for i in range(count)]
        if len(names) != count:
            raise CaseError(f"{entry['group']}: {len(names)} names for {count} pods")
        fields = {key: value for key, value in template.items() if key not in ("names", "count")}
        for name in names:
            yield name, fields


def read_cases(path: Path) -> list[Case]:
    """Read a case file.

    Raises
    ------
    CaseError : not such a file, an unknown key, a missing one, the same id twice.
    """
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise CaseError(f"{path}: {error}") from None
    if not isinstance(document, dict) or set(document) != {"version", "cases"}:
        raise CaseError(f"{path}: version and cases expected, nothing else")
    if document["version"] != 1:
        raise CaseError(f"{path}: version 1 expected, not {document['version']!r}")
    cases: dict[str, Case] = {}
    for number, body in enumerate(document["cases"]):
        where = f"{path}: {body.get('id', number) if isinstance(body, dict) else number}"
        _check(body, _CASE, where, "")
        for key in _NEEDED:
            if key not in body:
                raise CaseError(f"{where}: {key}: missing")
        if body["id"] in cases:
            raise CaseError(f"{where}: the same id twice")
        cases[body["id"]] = Case(body["id"], body["category"], body)
    return list(cases.values())


def _check(value: Any, shape: Any, where: str, path: str) -> None:
    """Walk a value along its shape."""
    if shape == ANY:
        return
    if shape == PLAIN:
        if isinstance(value, dict | list):
            raise CaseError(f"{where}: {path}: a text or a number expected")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise CaseError(f"{where}: {path}: a list expected")
        for i, item in enumerate(value):
            _check(item, shape[0], where, f"{path}[{i}]")
    elif not isinstance(value, dict):
        raise CaseError(f"{where}: {path or 'case'}: a mapping expected")
    else:
        for key, item in value.items():
            if key not in shape and "*" not in shape:
                raise CaseError(f"{where}: {path + '.' if path else ''}{key}: unknown key")
            _check(
                item, shape.get(key, shape.get("*")), where, f"{path}.{key}" if path else str(key)
            )
