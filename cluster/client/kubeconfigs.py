"""Which kubeconfig is meant, and what is wrong with it in words that say what to do."""

import os
from pathlib import Path

from gangplan.cluster.client.answers import line_of
from gangplan.cluster.errors import ClusterError

VARIABLE = "KUBECONFIG"
USUAL = "~/.kube/config"

IN_CLUSTER = "--in-cluster"
"""Stands for the name of a file: the service account of a pod."""

_CONTEXT = "Expected object with name"
_PREFIXES = ("Invalid kube-config file. ", "Invalid kube-config. ")


def named(kubeconfig: str | None) -> str:
    """Give the name of the kubeconfig that will be read (several with a colon between them).

    Raises
    ------
    ClusterError : there is no such file.
    """
    if kubeconfig is not None:
        if not Path(kubeconfig).expanduser().is_file():
            raise ClusterError(f"{kubeconfig}: no such kubeconfig file")
        return kubeconfig
    name = os.environ.get(VARIABLE, "")
    if not name and Path(USUAL).expanduser().is_file():
        return USUAL
    if not name:
        raise ClusterError(
            f"no kubeconfig: {VARIABLE} is not set and there is no {USUAL}; "
            "give --kubeconfig FILE, or --in-cluster in a pod"
        )
    if not any(Path(part).expanduser().is_file() for part in name.split(os.pathsep)):
        raise ClusterError(f"{name}: no such kubeconfig file ({VARIABLE} names it)")
    return name


def unusable(name: str, context: str | None, error: Exception, *, foreseen: bool) -> ClusterError:
    """Give the error for a kubeconfig that the library refuses.

    Parameters
    ----------
    foreseen : the library says itself what is wrong; any other error of it means that the file
        is something else.
    """
    said = line_of(error)
    if name == IN_CLUSTER:
        return ClusterError(
            f"{name}: this is no pod with a service account, or it is not mounted ({said})"
        )
    if not foreseen:
        # What Python says of a text where a mapping should be explains nothing.
        clear = not isinstance(error, TypeError | AttributeError | LookupError)
        return ClusterError(f"{name}: not a kubeconfig file" + (f": {said}" if clear else ""))
    if context and said.find(_CONTEXT) >= 0 and f"{_CONTEXT} {context} in " in said:
        return ClusterError(f"{name}: has no context {context!r} (kubectl config get-contexts)")
    for prefix in _PREFIXES:
        said = said.removeprefix(prefix)
    return ClusterError(f"{name}: {said.removeprefix(f'{name} ')}")
