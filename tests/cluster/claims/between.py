"""What happens in between: the adapter's client with a hook before and after a write."""

from collections.abc import Callable
from dataclasses import replace

from gangplan.cluster.client import Client, Object
from gangplan.cluster.site import Site, Waits
from tests.cluster.devices import (
    device_class,
    gpus_of,
)
from tests.cluster.live import Live
from tests.cluster.sites import site_of
from tests.cluster.workloads import node

FINALIZER = "resource.kubernetes.io/delete-protection"


def finalizers(live: Live, name: str) -> list[str]:
    return list(live.get("ResourceClaim", f"default/{name}")["metadata"].get("finalizers") or ())


def version(live: Live, name: str) -> str:
    return str(live.get("ResourceClaim", f"default/{name}")["metadata"]["resourceVersion"])


def base(live: Live, gpus: int = 2) -> None:
    live.create(node("n0"), device_class(), gpus_of("n0", gpus))


class Between(Client):
    """The adapter's client, with something that happens before a write or to its answer."""

    def __init__(self, live: Live) -> None:
        self.__dict__.update(live.client.__dict__)
        self.before: Callable[[str, str], None] = lambda method, path: None
        self.after: Callable[[str, str], None] = lambda method, path: None

    def put(self, path: str, body: Object, *, dry_run: bool = False) -> Object:
        self.before("PUT", path)
        found = super().put(path, body, dry_run=dry_run)
        self.after("PUT", path)
        return found


def once(do: Callable[[], object]) -> Callable[[str, str], None]:
    left = [do]

    def first(method: str, path: str) -> None:
        if left:
            left.pop()()

    return first


def between(live: Live, waits: Waits | None = None) -> tuple[Site, Between]:
    client = Between(live)
    return replace(site_of(live, waits=waits), client=client), client


def made(live: Live, kind: str, name: str) -> str:
    found = live.get(kind, f"default/{name}").get("status", {}).get("resourceClaimStatuses")
    return str(found[0]["resourceClaimName"]) if found else ""
