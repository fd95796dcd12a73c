"""What a cluster can answer that ends a step; the command line turns all of it into exit code 4.

::

    ClusterError
      Unreachable   no answer came: a write may have happened all the same
      ApiError      the server answered with an error status
        Denied      401, 403: the credentials, or a verb that they lack
        NotFound    404
        Conflict    409: the object has changed, or is there already
        Gone        410: the resource version is too old to go on from
        Busy        429: later; for an eviction, a budget forbids it now
      Changed       what a plan relied on is not so any more; nothing was written
      Fenced        another one has taken over; nothing more may be written by us
"""

from gangplan.models.errors import ClusterError as ClusterError


class Unreachable(ClusterError):
    """No answer came; a write may have happened all the same."""


class ApiError(ClusterError):
    """The server answered with an error status.

    Attributes
    ----------
    status : HTTP status. reason : of the Status object, such as ``AlreadyExists``.
    causes : reasons of ``details.causes``, such as ``DisruptionBudget``.
    retry_after : seconds that the server asks to wait; None where it does not say.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        reason: str = "",
        causes: tuple[str, ...] = (),
        retry_after: float | None = None,
    ) -> None:
        self.status = status
        self.reason = reason
        self.causes = causes
        self.retry_after = retry_after
        super().__init__(message)


class Denied(ApiError):
    """The credentials are not known (401) or lack a verb (403), which the message names."""


class NotFound(ApiError):
    """There is no such object, or no such API."""


class Conflict(ApiError):
    """The object has changed since it was read, or is there already."""


class Gone(ApiError):
    """The resource version is too old: list again."""


class Busy(ApiError):
    """Not now: too many requests, or a disruption budget without room."""


class Changed(ClusterError):
    """What the plan relied on is not so any more; one sentence a change, nothing was written."""

    def __init__(self, sentences: tuple[str, ...]) -> None:
        self.sentences = sentences
        super().__init__("\n".join(sentences))


class Fenced(ClusterError):
    """Another one has taken over; nothing more may be written by this process."""


def is_uncertain(error: BaseException) -> bool:
    """Whether a write that ended so may have happened: read back, and do it again if need be.

    No answer, or one of an etcd that did not answer in time; 429 is no more than "later".
    """
    if isinstance(error, Busy):
        return not error.causes
    return isinstance(error, Unreachable) or (isinstance(error, ApiError) and error.status >= 500)
