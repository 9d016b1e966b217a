"""HTTP to one cluster: many connections that stay open, and whatever the network does to them.

NOTE: aiohttp and not httpx, which the server's tests use: a call costs 0.2 ms of CPU instead of
2.6 ms with 16 connections and 8 ms with 200 (`benchmarks/load.py` shows ours), and a load is as
steady as its client is quick.
"""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import __version__
from kubestage.errors import InputError, Unauthorized
from kubestage.remote import tls
from kubestage.remote.credentials import Credentials, Headers
from kubestage.remote.refusals import TimedOut, Unreachable

try:
    import aiohttp
    import yarl
except ImportError as missing:
    raise InputError(
        "real clusters are spoken to with aiohttp, which is not installed",
        fix="pip install 'kubestage[cluster]'",
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.errors import ApiError
    from kubestage.remote.access import Access

_CONNECT_S: Final = 15.0
_CONNECTIONS: Final = 512
_JSON: Final = "application/json"
_FIXED: Final = (("User-Agent", f"kubestage/{__version__}"),)


class Reply(msgspec.Struct, frozen=True):
    """What came back."""

    code: int
    body: bytes
    headers: Mapping[str, str]


class ResponseStream:
    """An answer that goes on: piece by piece, until the server ends it."""

    def __init__(self, response: aiohttp.ClientResponse, what: str) -> None:
        self.code = response.status
        self.headers: Mapping[str, str] = response.headers
        self._response = response
        self._what = what

    async def piece(self) -> bytes:
        """The next piece, empty at the end."""
        try:
            return await self._response.content.readany()
        except (aiohttp.ClientError, OSError) as problem:
            raise network_error(self._what, problem) from problem

    async def rest(self) -> bytes:
        """All that is left."""
        pieces = []
        while piece := await self.piece():
            pieces.append(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Stop receiving its lines."""
        self._response.close()


class Connection:
    """One cluster and one user, from `open` to `close`, both on the loop."""

    def __init__(self, access: Access, *, timeout_s: float = 60.0) -> None:
        self._access = access
        self._patience = aiohttp.ClientTimeout(total=timeout_s, sock_connect=_CONNECT_S)
        self._proxy = access.proxy
        self._tls = tls.context_of(access)
        self._name = access.cluster.tls_server_name or None
        self._credentials = Credentials(access, self._tls)

    async def open(self) -> None:
        """Get ready; nothing is sent yet."""
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=_CONNECTIONS, ssl=True if self._tls is None else self._tls
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=True,
        )

    async def close(self) -> None:
        """Let go of all connections."""
        await self._session.close()

    async def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        content: str = _JSON,
        accept: str = _JSON,
    ) -> Reply:
        """One request and its whole answer; what the network does to it is an ApiError."""
        carried = await self._carried()
        reply = await self._once(method, path, body, carried, content, accept)
        if reply.code == Unauthorized.code and await self._renewed(carried):
            carried = await self._carried()
            reply = await self._once(method, path, body, carried, content, accept)
        return reply

    async def stream(self, path: str, silence_s: float) -> ResponseStream:
        """Begin a GET whose answer goes on; silence for too long is a broken connection."""
        carried = await self._carried()
        stream = await self._opened(path, silence_s, carried)
        if stream.code == Unauthorized.code and await self._renewed(carried):
            stream.close()
            stream = await self._opened(path, silence_s, await self._carried())
        return stream

    async def _opened(self, path: str, silence_s: float, carried: Headers) -> ResponseStream:
        what = f"GET {self._access.server}{path}"
        try:
            response = await self._session.get(
                self._url(path),
                headers=[*_FIXED, ("Accept", _JSON), *carried],
                timeout=aiohttp.ClientTimeout(
                    total=None, sock_connect=_CONNECT_S, sock_read=silence_s
                ),
                proxy=self._proxy,
                server_hostname=self._name,
            )
        except (aiohttp.ClientError, OSError) as problem:
            raise network_error(what, problem) from problem
        return ResponseStream(response, what)

    async def _once(
        self,
        method: str,
        path: str,
        body: bytes | None,
        carried: Headers,
        content: str,
        accept: str,
    ) -> Reply:
        headers = [*_FIXED, ("Accept", accept), *carried]
        if body is not None:
            headers.append(("Content-Type", content))
        try:
            async with self._session.request(
                method,
                self._url(path),
                data=body,
                headers=headers,
                timeout=self._patience,
                proxy=self._proxy,
                server_hostname=self._name,
            ) as response:
                return Reply(response.status, await response.read(), response.headers)
        except (aiohttp.ClientError, OSError) as problem:
            raise network_error(f"{method} {self._access.server}{path}", problem) from problem

    def _url(self, path: str) -> yarl.URL:
        return yarl.URL(self._access.server + path, encoded=True)

    async def _carried(self) -> Headers:
        try:
            return await self._credentials.headers()
        except InputError as problem:
            raise Unauthorized(str(problem)) from problem

    async def _renewed(self, refused: Headers) -> bool:
        try:
            return await self._credentials.renew(refused)
        except InputError as problem:
            raise Unauthorized(str(problem)) from problem


def network_error(what: str, problem: Exception) -> ApiError:
    """A failure of the network, as the error of an answer."""
    if isinstance(problem, TimeoutError):
        return TimedOut(f"{what}: no answer in time")
    return Unreachable(f"{what}: {_description(problem)}")


def _description(problem: Exception) -> str:
    """An error of the network in a few words."""
    if isinstance(problem, aiohttp.ClientConnectorCertificateError):
        # It says why: an unknown authority, or another name.
        reason = getattr(problem.certificate_error, "verify_message", "")
        return f"its certificate is not to be trusted: {reason or problem.certificate_error}"
    if isinstance(problem, aiohttp.ClientConnectorError):
        cause = problem.os_error
        if isinstance(cause, ssl.SSLError):
            return f"no TLS with it: {(cause.reason or str(cause)).replace('_', ' ').lower()}"
        # The text that the loop makes of a refusal repeats the address, the number does not.
        number = cause.errno or 0
        return os.strerror(number).lower() if number > 0 else str(cause.strerror)
    return str(problem) or type(problem).__name__
