"""What an API server has answered: objects, events of a watch, and errors (``meta/v1 Status``)."""

import json
from typing import Any

from gangplan.cluster.errors import ApiError, Busy, Conflict, Denied, Gone, NotFound, Unreachable

Object = dict[str, Any]

_ERRORS = {401: Denied, 403: Denied, 404: NotFound, 409: Conflict, 410: Gone, 429: Busy}


def object_of(data: bytes, path: str) -> Object:
    """Read a JSON object.

    Raises
    ------
    Unreachable : it is none. Whoever answered so, a write may have happened all the same.
    """
    try:
        value = json.loads(data)
    except ValueError:
        raise Unreachable(f"{path}: the server's answer is no JSON") from None
    if not isinstance(value, dict):
        raise Unreachable(f"{path}: the server's answer is no object")
    return value


def event_of(line: bytes, path: str) -> Object:
    """Read an event of a watch.

    Raises
    ------
    ApiError : the event says that the watch has failed; ``Gone`` for a version that is too old.
    """
    event = object_of(line, path)
    if event.get("type") == "ERROR":
        status = event.get("object") or {}
        raise _of_status(int(status.get("code") or 500), {}, status, f"watch {path}")
    return event


def error_of(status: int, headers: Any, data: bytes, method: str, path: str) -> ApiError:
    """Make the exception of an answer without success, from its Status object."""
    try:
        found = json.loads(data)
    except ValueError:
        found = {}
    if not isinstance(found, dict):
        found = {}
    found.setdefault("message", data[:200].decode(errors="replace").strip())
    return _of_status(status, headers, found, f"{method} {path}")


def _of_status(status: int, headers: Any, found: Object, what: str) -> ApiError:
    details = found.get("details") or {}
    causes = tuple(str(c.get("reason", "")) for c in details.get("causes") or ())
    wait = details.get("retryAfterSeconds")
    if wait is None and status == 429:
        wait = headers.get("Retry-After")
    message = " ".join(str(found.get("message") or "no reason given").split())
    if status == 401:
        message = "the server does not accept the credentials: the token is wrong or has expired"
    return _ERRORS.get(status, ApiError)(
        f"{what}: {message} ({status})",
        status=status,
        reason=str(found.get("reason") or ""),
        causes=causes,
        retry_after=None if wait is None else float(wait),
    )


def line_of(error: BaseException) -> str:
    """Give the message of an exception of any library in one line."""
    return " ".join(str(error).split())[:300] or type(error).__name__
