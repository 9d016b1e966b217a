"""Access to one cluster: its address, its certificate, and the user."""

from __future__ import annotations

import urllib.parse
import urllib.request

import msgspec

from kubestage.errors import InputError
from kubestage.remote.kubeconfig_schema import ClusterEntry, UserEntry

_PROXIES = ("http", "https")
_LOOPBACK = ("localhost", "::1")


class Origin(msgspec.Struct, frozen=True):
    """Where an access was written down, for errors to say it."""

    file: str = ""
    cluster_path: str = ""
    user_path: str = ""
    user_file: str = ""

    def in_cluster(self, key: str, problem: str, fix: str) -> InputError:
        """An error of the cluster's entry."""
        path = f"{self.cluster_path}.{key}" if self.cluster_path else None
        return InputError(problem, file=self.file or None, path=path, fix=fix)

    def in_user(self, key: str, problem: str, fix: str) -> InputError:
        """An error of the user's entry."""
        path = f"{self.user_path}.{key}" if self.user_path else None
        return InputError(problem, file=self.user_file or self.file or None, path=path, fix=fix)


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """One cluster and one user."""

    server: str
    cluster: ClusterEntry = ClusterEntry()
    user: UserEntry = UserEntry()
    namespace: str = "default"
    origin: Origin = Origin()

    def __post_init__(self) -> None:
        parts = _split(self.server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise self.origin.in_cluster(
                "server", "this is no address of a server", "write https://host:port"
            )
        if parts.username is not None:
            raise self.origin.in_cluster(
                "server", "an address has no user in it", "write the user under users"
            )

    @property
    def is_https(self) -> bool:
        """Whether the connection is encrypted."""
        return self.server.startswith("https:")

    @property
    def proxy(self) -> str | None:
        """The proxy: that of the kubeconfig, or else of the environment."""
        named = self.cluster.proxy_url
        if not named:
            return _proxy_of_environment(self.server)
        scheme = _split(named).scheme
        if scheme not in _PROXIES:
            raise self.origin.in_cluster(
                "proxy-url",
                f"a proxy is spoken to by http, not {scheme or 'nothing'}",
                "use an http:// proxy, or a tunnel on this machine",
            )
        return named


def _split(address: str) -> urllib.parse.SplitResult:
    """The parts of an address; those of an empty one if it has no such parts."""
    try:
        parts = urllib.parse.urlsplit(address)
        # Numbers are looked at when they are asked for.
        _ = parts.port
    except ValueError:
        return urllib.parse.urlsplit("")
    return parts


def _proxy_of_environment(server: str) -> str | None:
    parts = urllib.parse.urlsplit(server)
    host = parts.hostname or ""
    if host in _LOOPBACK or host.startswith("127.") or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(parts.scheme)
