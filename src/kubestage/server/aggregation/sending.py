"""One request to an API server: sent, and its answer as it comes."""

from __future__ import annotations

import errno
import functools
import ssl
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.store.admission.webhook.call_failed import CallFailed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from kubestage.server.aggregation.places import Place
    from kubestage.server.aggregation.remote_api import RemoteApi

_CHUNK: Final = 1 << 16
_KEPT_CONTEXTS: Final = 64
# Headers that a client library adds by itself.
_OWN_HEADERS: Final = ("accept", "accept-encoding", "content-type", "user-agent")


class Outgoing(NamedTuple):
    """A request; its path has its escapes and its query."""

    method: str
    path: str
    headers: Iterable[tuple[str, str]]
    body: bytes = b""


class BadTransport(CallFailed):
    """The authorities of an APIService cannot be read."""


class Reply:
    """An answer whose body is still to come; it must be closed."""

    def __init__(self, session: Any, response: Any) -> None:
        self._session = session
        self._response = response
        self.status: int = response.status
        self.headers: list[tuple[str, str]] = list(response.headers.items())

    @property
    def content_type(self) -> str:
        """The media type with its parameters."""
        found: str = self._response.headers.get("content-type", "")
        return found

    async def body(self) -> bytes:
        """The whole body."""
        try:
            found: bytes = await self._response.read()
        except _failures() as error:
            raise CallFailed(_problem(error)) from None
        return found

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body piece by piece; it ends where the server leaves."""
        try:
            async for chunk in self._response.content.iter_any():
                yield chunk
        except _failures():
            return
        finally:
            await self.close()

    async def close(self) -> None:
        """End the connection."""
        self._response.close()
        await self._session.close()


async def send(remote: RemoteApi, place: Place, outgoing: Outgoing) -> Reply:
    """Send a request; `CallFailed` if the server cannot be reached."""
    aiohttp = _library()
    import multidict  # noqa: PLC0415 - comes with aiohttp
    import yarl  # noqa: PLC0415 - comes with aiohttp

    url = yarl.URL(f"{place.url}{outgoing.path}", encoded=True)
    is_secure = url.scheme == "https"
    session = aiohttp.ClientSession(
        auto_decompress=False, timeout=aiohttp.ClientTimeout(total=None), read_bufsize=_CHUNK
    )
    try:
        response = await session.request(
            outgoing.method,
            url,
            data=outgoing.body or None,
            headers=multidict.CIMultiDict(outgoing.headers),
            skip_auto_headers=_OWN_HEADERS,
            ssl=tls(remote.bundle, is_insecure=remote.is_insecure) if is_secure else False,
            server_hostname=remote.backend.host if is_secure else None,
            allow_redirects=False,
        )
    except BaseException as error:
        await session.close()
        if isinstance(error, _failures()):
            raise CallFailed(_problem(error)) from None
        raise
    return Reply(session, response)


@functools.lru_cache(maxsize=_KEPT_CONTEXTS)
def tls(bundle: bytes, *, is_insecure: bool) -> ssl.SSLContext:
    """How certificates of API servers are verified."""
    try:
        text = bundle.decode("ascii", "replace")
        context = ssl.create_default_context(cadata=text or None)
    except (ssl.SSLError, ValueError):
        raise BadTransport("unable to load root certificates: not a bundle in PEM") from None
    # Go does not demand the extensions that this flag is about.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if is_insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _library() -> Any:
    try:
        import aiohttp  # noqa: PLC0415 - loaded with the first API server that is called
    except ImportError:
        fix = "pip install 'kubestage[server]'"
        raise CallFailed(f"aiohttp is not installed, which calls API servers: {fix}") from None
    return aiohttp


def _failures() -> tuple[type[BaseException], ...]:
    return (_library().ClientError, OSError, ValueError)


def _problem(error: BaseException) -> str:
    """What went wrong, in the words of Go."""
    aiohttp = _library()
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return f"tls: failed to verify certificate: {error.certificate_error}"
    if isinstance(error, aiohttp.ClientConnectorError):
        refused = error.os_error.errno == errno.ECONNREFUSED
        reason = "connection refused" if refused else str(error.os_error)
        return f"dial tcp {error.host}:{error.port}: connect: {reason}"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "EOF"
    return str(error) or type(error).__name__
