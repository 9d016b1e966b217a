"""By which names a server may be called.

A web page may have its own host name resolve to this machine, and so reach a server that
listens on localhost only. It cannot change the Host header, which is therefore checked.
"""

from __future__ import annotations

import ipaddress
from typing import Final

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_EVERYWHERE: Final = ("0.0.0.0", "::", "")


def name_of(host: str) -> str:
    """The name in a Host header, without port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower().removesuffix(".")


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
