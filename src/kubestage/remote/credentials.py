"""What a request carries so that the server knows its user; renewed when it expires."""

from __future__ import annotations

import asyncio
import base64
import time
import urllib.parse
from typing import TYPE_CHECKING, Final

from kubestage.files import reading
from kubestage.remote import exec_plugin, tls

if TYPE_CHECKING:
    import ssl

    from kubestage.remote.access import Access

Headers = tuple[tuple[str, str], ...]

_FILE_LIFE_NS: Final = 60 * 1_000_000_000


class Credentials:
    """The headers of a user: a token, a file's token, a password, or what a program grants."""

    def __init__(self, access: Access, context: ssl.SSLContext | None) -> None:
        self._access = access
        self._context = context
        self._impersonation = _impersonation(access)
        self._headers: Headers | None = None
        self._expires_unix_ns: int | None = None
        self._lock = asyncio.Lock()
        _check(access)

    async def headers(self) -> Headers:
        """What to send along."""
        if self._headers is not None and not self._is_stale():
            return self._headers
        async with self._lock:
            if self._headers is None or self._is_stale():
                self._headers = await self._fresh()
            return self._headers

    async def renew(self, refused: Headers) -> bool:
        """Get others, as those were refused; whether there are others to try."""
        async with self._lock:
            if self._headers is not refused:
                return True
            if self._access.user.exec is None and not self._access.user.token_file:
                return False
            self._headers = await self._fresh()
            # What a program grants may be a certificate, which no header shows.
            return self._access.user.exec is not None or self._headers != refused

    def _is_stale(self) -> bool:
        return self._expires_unix_ns is not None and time.time_ns() >= self._expires_unix_ns

    async def _fresh(self) -> Headers:
        user = self._access.user
        if user.token_file:
            self._expires_unix_ns = time.time_ns() + _FILE_LIFE_NS
            return self._bearing(self._file_token())
        if user.token:
            return self._bearing(user.token)
        if user.username or user.password:
            pair = base64.b64encode(f"{user.username}:{user.password}".encode()).decode()
            return (("Authorization", f"Basic {pair}"), *self._impersonation)
        if user.exec is None:
            return self._impersonation
        granted = await exec_plugin.request(self._access)
        self._expires_unix_ns = granted.expires_unix_ns
        if granted.certificate and self._context is not None:
            tls.show(self._context, granted.certificate, granted.key)
        return self._bearing(granted.token)

    def _bearing(self, token: str) -> Headers:
        carried = (("Authorization", f"Bearer {token}"),) if token else ()
        return (*carried, *self._impersonation)

    def _file_token(self) -> str:
        user = self._access.user
        try:
            token = reading.read(user.token_file).decode(errors="replace").strip()
        except OSError as problem:
            if user.token:
                return user.token
            raise self._access.origin.in_user(
                "tokenFile", f"{user.token_file}: {problem.strerror}", "correct the path"
            ) from problem
        return token or user.token


def _check(access: Access) -> None:
    """Refuse contradictions, before the first request."""
    user, origin = access.user, access.origin
    if user.token and (user.username or user.password):
        raise origin.in_user("token", "there is a token and a password", "remove one of them")
    if user.auth_provider is not None and user.exec is None:
        name = user.auth_provider.get("name", "")
        raise origin.in_user(
            "auth-provider",
            f"auth provider {name!r} is built into no client any more",
            "use an exec plugin, such as gke-gcloud-auth-plugin, kubelogin or kubectl oidc-login",
        )


def _impersonation(access: Access) -> Headers:
    user = access.user
    pairs = [("Impersonate-User", user.impersonate), ("Impersonate-Uid", user.impersonate_uid)]
    pairs += [("Impersonate-Group", group) for group in user.impersonate_groups or ()]
    for key, values in (user.impersonate_extra or {}).items():
        name = f"Impersonate-Extra-{urllib.parse.quote(key, safe='')}"
        pairs += [(name, value) for value in values]
    return tuple(pair for pair in pairs if pair[1])
