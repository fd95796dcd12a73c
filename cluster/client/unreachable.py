"""Why a server cannot be reached, in few words instead of a library's many."""

from gangplan.cluster.client.answers import line_of
from gangplan.cluster.errors import ClusterError, Unreachable

_WRONG = (
    ("hostname mismatch", "its certificate is of another name than the kubeconfig says"),
    ("ip address mismatch", "its certificate is of another address than the kubeconfig says"),
    ("doesn't match", "its certificate is of another name than the kubeconfig says"),
    ("certificate verify failed", "its certificate is not one that the kubeconfig trusts"),
    ("wrong_version_number", "it does not speak TLS: is the address right?"),
    ("wrong version number", "it does not speak TLS: is the address right?"),
    ("failed to parse", "that is no address"),
)
_REASONS = (
    ("connection refused", "nobody listens there: is the API server running, and is this it?"),
    ("failed to resolve", "the name is not known"),
    ("timed out", "no answer in time"),
)
"""What the texts of libraries hold (in small letters), and what to say instead."""


def unreachable(server: str, error: BaseException, what: str = "") -> ClusterError:
    """Give the error for a connection that failed.

    Parameters
    ----------
    what : what was going on; empty for a request that nobody answered.

    Returns
    -------
    ClusterError
        ``Unreachable``; but not for a server that is not trusted, or is none: it was sent nothing,
        and will be no other one in a second.
    """
    text = line_of(error)
    small = text.lower()
    for part, said in _WRONG:
        if part in small:
            return ClusterError(f"{server}: {said}")
    reason = next((said for part, said in _REASONS if part in small), text)
    return Unreachable(f"{server}: " + (f"{what}: {reason}" if what else reason))
