"""Rights as (verb, API group, resource): those that manifests give, and those that were used."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

DEPLOY = Path(__file__).resolve().parents[3] / "cluster" / "deploy"


class Right(NamedTuple):
    verb: str
    group: str
    resource: str


def objects(*files: Path) -> Iterator[dict[str, Any]]:
    """Objects of manifests."""
    for file in files:
        yield from (obj for obj in yaml.safe_load_all(file.read_text()) if obj)


def granted(roles: Iterable[Mapping[str, Any]]) -> set[Right]:
    """What Roles and ClusterRoles give."""
    return {
        Right(verb, group, resource)
        for role in roles
        if role["kind"] in ("Role", "ClusterRole")
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def requests(log: Path) -> Iterator[dict[str, Any]]:
    """Requests of an audit log that have been answered (a watch: that have begun)."""
    for line in log.read_text().splitlines():
        event = json.loads(line)
        if event["stage"] in ("ResponseComplete", "ResponseStarted") and "objectRef" in event:
            yield event


def used(log: Path) -> set[Right]:
    """What was asked for, and allowed."""
    found = set()
    for event in requests(log):
        at = event["objectRef"]
        resource = at["resource"] + (f"/{at['subresource']}" if "subresource" in at else "")
        if event.get("responseStatus", {}).get("code") not in (401, 403):
            found.add(Right(event["verb"], at.get("apiGroup", ""), resource))
    return found


def refused(log: Path) -> list[str]:
    """Requests that the server turned away for want of rights."""
    return [
        f"{event['verb']} {event['requestURI']}"
        for event in requests(log)
        if event.get("responseStatus", {}).get("code") in (401, 403)
    ]
