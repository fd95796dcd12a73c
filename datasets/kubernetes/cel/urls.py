"""URL objects, as Go's net/url reads them (ParseRequestURI, then Parse)."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, unquote_to_bytes

from gangplan.datasets.kubernetes.cel.addresses import parse_ip
from gangplan.datasets.kubernetes.cel.errors import Failed

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PORT = re.compile(r"(:[0-9]*)?", re.ASCII)
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9\-_.~!$&'()*+,;=:\[\]<>\"\u0080-\U0010ffff]*")
_PATH = "$&+,/:;=@-_.~"
_WRITTEN = re.compile(r"[A-Za-z0-9$&+,/:;=@\-_.~!'()*\[\]%]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class URL:
    """The parts of a URL, unescaped, except ``path`` and ``query``."""

    scheme: str
    user: str
    host: str
    path: str
    query: str
    fragment: str

    @property
    def hostname(self) -> str:
        """The host without port and brackets."""
        if self.host.startswith("["):
            return self.host[1 : self.host.index("]")]
        return self.host.partition(":")[0]

    @property
    def port(self) -> str:
        """The port; empty without one."""
        return self.host.rpartition("]")[2].partition(":")[2]

    @property
    def values(self) -> dict[str, tuple[str, ...]]:
        """Values of the query by key; what cannot be unescaped is left out."""
        found: dict[str, tuple[str, ...]] = {}
        for pair in self.query.split("&"):
            key, _, value = pair.replace("+", " ").partition("=")
            if pair and ";" not in pair and not _ESCAPE.search(pair):
                key, value = unquote(key), unquote(value)
                found[key] = (*found.get(key, ()), value)
        return found


def parse(text: str) -> URL:
    """Read an absolute URL or an absolute path.

    Raises
    ------
    Failed : it is none.
    """
    check(text)
    body, _, fragment = text.partition("#")
    _escapes(fragment, text)
    return _parts(body, text, fragment, request=False)


def check(text: str) -> None:
    """Refuse what is no absolute URL or absolute path (``isURL``)."""
    _parts(text, text, "", request=True)


def _parts(body: str, text: str, fragment: str, *, request: bool) -> URL:
    if not text or _CONTROL.search(text):
        raise _wrong(text, "invalid control character" if text else "empty url")
    if body.startswith(":"):
        raise _wrong(text, "missing protocol scheme")
    if body == "*":
        return URL("", "", "", "*", "", unquote(fragment))
    found = _SCHEME.match(body)
    scheme = found[1].lower() if found else ""
    rest, _, query = (body[found.end() :] if found else body).partition("?")
    user = host = ""
    if not rest.startswith("/"):
        if not scheme:
            raise _wrong(text, "invalid URI for request")
        return URL(scheme, "", "", "", query, unquote(fragment))  # opaque, as mailto:a@b
    if rest.startswith("//") and (scheme or not (request or rest.startswith("///"))):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        user, at, host = authority.rpartition("@")
        if at and (not _USER.fullmatch(user) or _ESCAPE.search(user)):
            raise _wrong(text, "invalid userinfo")
        host = _host(host, text)
    _escapes(rest, text)
    return URL(scheme, user, host, _path(rest), query, unquote(fragment))


def _host(host: str, text: str) -> str:
    if host.startswith("["):
        inside, closed, port = host[1:].rpartition("]")
        if not closed:
            raise _wrong(text, "missing ']' in host")
        if not _ip(inside):
            raise _wrong(text, "invalid host")
    else:
        _, colon, port = host.rpartition(":")
        port = colon + port if colon else ""
    if not _PORT.fullmatch(port):
        raise _wrong(text, f'invalid port "{port}" after host')
    _escapes(host, text)
    for escape in re.findall(r"%(..)", host):
        if int(escape, 16) < 0x80:
            raise _wrong(text, f'invalid URL escape "%{escape}"')
    plain = unquote(host)
    if not _HOST.fullmatch(plain):
        raise _wrong(text, "invalid character in host name")
    return plain


def _ip(text: str) -> bool:
    try:
        return ":" in text and bool(parse_ip(text))
    except Failed:
        return False


def _path(path: str) -> str:
    """Write a path escaped: as it was where that is a valid writing."""
    return path if _WRITTEN.fullmatch(path) else quote(unquote_to_bytes(path), safe=_PATH)


def _escapes(part: str, text: str) -> None:
    if _ESCAPE.search(part):
        raise _wrong(text, "invalid URL escape")


def _wrong(text: str, why: str) -> Failed:
    return Failed(f'URL parse error during conversion from string: parse "{text}": {why}')
