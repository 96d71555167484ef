"""The address under which a proxy shows the server to others: ``https://host``, ``https://host:8443/path``."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from shengji_env.errors import ShengjiError, show

_HOST = re.compile(r"(?:\[[0-9a-f:.]+\]|[0-9a-z.-]+)(?::\d{1,5})?")
_PATH = re.compile(r"(?:/[\w.~-]+)*", re.ASCII)
_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True)
class PublicUrl:
    """Its parts."""

    scheme: str
    host: str
    """With the port, unless it is the usual one: what browsers send as ``Host``."""
    path: str
    """What the paths of all pages begin with, such as ``/cards``; no text: nothing."""

    @property
    def origin(self) -> str:
        """What browsers send as ``Origin``."""
        return f"{self.scheme}://{self.host}"

    @property
    def socket(self) -> str:
        """Where the pages' sockets lead."""
        return self.origin.replace("http", "ws", 1)

    def __str__(self) -> str:
        return f"{self.origin}{self.path}/"


def read_public_url(text: str) -> PublicUrl:
    """Read an address.

    Raises:
        ShengjiError: it is none that a proxy could have.
    """
    try:
        parts = urlsplit(text.strip())
        host = parts.netloc.lower().removesuffix(_PORTS.get(parts.scheme, ""))
    except ValueError:
        raise _no_url(text) from None
    path = parts.path.rstrip("/")
    is_path = _PATH.fullmatch(path) and ".." not in path
    if parts.scheme not in _PORTS or parts.query or parts.fragment or not (_HOST.fullmatch(host) and is_path):
        raise _no_url(text)
    return PublicUrl(parts.scheme, host, path)


def _no_url(text: str) -> ShengjiError:
    return ShengjiError(f"{show(text)} is no address of a page; write https://host or https://host/path")
