"""CEL selectors of devices (resource.k8s.io), evaluated as Kubernetes does."""

from gangplan.datasets.kubernetes.cel.errors import CelError, CelFailure
from gangplan.datasets.kubernetes.cel.matching import compiled, matches
from gangplan.datasets.kubernetes.cel.reads import EVERYTHING, Reads
from gangplan.datasets.kubernetes.cel.selector import Selector, compile_selector, evaluate

__all__ = [
    "EVERYTHING",
    "CelError",
    "CelFailure",
    "Reads",
    "Selector",
    "compile_selector",
    "compiled",
    "evaluate",
    "matches",
]
