"""By which names a server may be called.

A web page may have its own host name resolve to this machine, and so reach a server that
listens on localhost only. It cannot change the Host header, which is therefore checked.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_FORM: Final = re.compile(r"(\[(?P<address>[^][]*)\]|(?P<name>[^][:]*))(:(?P<port>[0-9]{0,5}))?")
_EVERYWHERE: Final = ("0.0.0.0", "::", "")


def name_of(host: str) -> str:
    """The name in a Host header, without port and brackets; empty if it is no such header."""
    return split(host)[0]


def split(host: str) -> tuple[str, int]:
    """The name and the port in a Host header, 0 if it has none; no name if it is no such header."""
    found = _FORM.fullmatch(host)
    if found is None:
        return "", 0
    name = found["address"] or found["name"].removesuffix(".")
    return name.lower(), int(found["port"] or 0)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_everywhere(host: str) -> bool:
    """Whether an address means all that the machine has."""
    return host.strip("[]") in _EVERYWHERE


def allowed(bound: str, extra: tuple[str, ...] = ()) -> frozenset[str]:
    """All names of a server that listens at an address."""
    return frozenset(name_of(_bracketed(host)) for host in (*LOOPBACK, bound, *extra))


def _bracketed(host: str) -> str:
    return f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host


class HostCheck:
    """Whether requests are for this server."""

    def __init__(self, hosts: frozenset[str]) -> None:
        self._hosts = hosts
        # Nearly always the same one comes again.
        self._last: bytes | None = None

    @property
    def has_names(self) -> bool:
        """Whether the names of the server are known; without them, any is taken for one."""
        return bool(self._hosts)

    def admits(self, host: bytes) -> bool:
        """Whether a Host header names this server."""
        if host == self._last:
            return True
        if not self._hosts or name_of(host.decode("latin-1")) in self._hosts:
            self._last = host
            return True
        return False

    def admits_origin(self, origin: bytes) -> bool:
        """Whether a page of this origin may ask; `Origin` is sent by browsers only."""
        _, _, host = origin.decode("latin-1").partition("://")
        return not self._hosts or name_of(host) in self._hosts
