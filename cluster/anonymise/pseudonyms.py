"""Names exchanged for their ranks: the order of names stays, and nothing else of them.

A pseudonym is made of the place of a text among all texts of a world in natural order, so there is
nothing to invert and no key to keep. Whether a name speaks of GPUs is kept, since devices are
counted by that.
"""

from collections.abc import Iterable, Mapping

from gangplan.datasets.kubernetes.assemble.devices.extended import DEVICE_CLASS
from gangplan.datasets.kubernetes.assemble.room import is_device, is_gpu
from gangplan.datasets.kubernetes.objects import annotations, foreign
from gangplan.datasets.kubernetes.order import natural

_PUBLIC = ("kubernetes.io", "k8s.io", "gangplan.io", "nvidia.com", "amd.com", "intel.com")
"""Domains whose names say nothing about whose cluster it is."""


_KNOWN = frozenset({annotations.ROLE_LABEL, *foreign.LABELS})


def is_public(name: str) -> bool:
    """Whether ``DOMAIN/NAME`` is of a domain that everybody knows."""
    domain, slash, _ = name.partition("/")
    return bool(slash) and any(domain == one or domain.endswith(f".{one}") for one in _PUBLIC)


class Pseudonyms:
    """Gives each text its pseudonym.

    While ``texts`` is being gathered the texts themselves are given out; ``settle`` ends that.
    """

    def __init__(self) -> None:
        self._texts: set[str] = set()
        self._of: Mapping[str, str] | None = None

    def settle(self, taken: Iterable[str] = ()) -> None:
        """Give every text that was asked for its rank.

        Parameters
        ----------
        taken : texts that stay, and that no pseudonym may be.
        """
        ordered = sorted(self._texts, key=natural)
        width, taken = len(str(len(ordered))), set(taken)
        letter = next(c for c in "xyzuvw" if not any(text.startswith(c + "0") for text in taken))
        self._of = {
            text: f"{letter}{rank:0{width + 1}d}{'-gpu' if is_gpu(text) else ''}"
            for rank, text in enumerate(ordered)
        }

    def of(self, text: str) -> str:
        """Give the pseudonym of a text; an empty one stays."""
        if not text:
            return text
        if self._of is None:
            self._texts.add(text)
            return text
        return self._of[text]

    def of_key(self, key: str) -> str:
        """Give the key of a taint, or of an annotation: those of public domains stay."""
        return key if is_public(key) else self.of(key)

    def of_label(self, key: str) -> str:
        """Give the key of a label: those of public domains and of well-known APIs stay."""
        return key if key in _KNOWN else self.of_key(key)

    def of_resource(self, name: str) -> str:
        """Give the name of a resource: those of Kubernetes and of public domains stay."""
        if name.startswith(DEVICE_CLASS):
            return DEVICE_CLASS + self.of(name.removeprefix(DEVICE_CLASS))
        if "/" not in name or is_public(name):
            return name
        return f"example.com/{self.of(name).removesuffix('-gpu')}{'-gpu' * is_device(name)}"

    def of_class(self, name: str) -> str:
        """Give the name of a PriorityClass: those that every cluster has stay."""
        return name if name.startswith("system-") else self.of(name)

    def of_request(self, name: str) -> str:
        """Give ``request`` or ``request/subrequest`` of a claim."""
        return "/".join(map(self.of, name.split("/")))
