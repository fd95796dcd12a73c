"""Where the parts of the adapter work in tests: one server, fresh worlds, what was said."""

from dataclasses import dataclass, field

from gangplan.cluster.listing import take
from gangplan.cluster.site import Site, Waits
from tests.cluster.live import Live


@dataclass(slots=True)
class Said:
    """Sentences for people, in order."""

    sentences: list[str] = field(default_factory=list)

    def __call__(self, sentence: str) -> None:
        self.sentences.append(sentence)


def site_of(live: Live, *, waits: Waits | None = None, say: Said | None = None) -> Site:
    """Give the adapter's own site on a cluster; its holder is another one in each test."""
    return Site(
        client=live.client,
        served=live.served,
        world=lambda: take(live.client, live.served),
        holder=f"test-{live.folder.name}",
        say=say or Said(),
        waits=waits or Waits(),
    )
