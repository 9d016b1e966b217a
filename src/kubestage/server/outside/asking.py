"""One question to a program outside: a JSON document by POST, over TLS, within a time."""

from __future__ import annotations

import asyncio
import base64
import ssl
import urllib.parse
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.objects.validation import field
from kubestage.server.outside import programs, services
from kubestage.store.admission.webhook.call_failed import CallFailed

with lazy.imports():
    from kubestage.server.outside import certificates

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aiohttp import StreamReader

    from kubestage.aliases import Json
    from kubestage.store.store import Store

_TOO_LATE: Final = "context deadline exceeded"
_MOST_BYTES: Final = 256 << 20


class Question(NamedTuple):
    """What is sent to which program; `config` is the clientConfig of a webhook."""

    config: Json
    body: Json
    timeout_s: float


class Outside:
    """Asks programs by URL, or behind a Service; `urls` lead from Services to other places."""

    def __init__(self, store: Store, urls: Mapping[str, str] | None = None) -> None:
        self._store = store
        self.urls = dict(urls or {})

    async def ask(self, question: Question) -> Any:
        """The answer to a question; `CallFailed` if there is none."""
        service = question.config.get("service")
        bundle = base64.b64decode(question.config.get("caBundle") or "")
        if service is None:
            url = question.config.get("url") or ""
            return await _posted(url, url, "", bundle, question)
        namespace, name = service.get("namespace") or "", service.get("name") or ""
        port, path = service.get("port") or 443, service.get("path") or ""
        host = f"{name}.{namespace}.svc"
        shown = f"https://{host}:{port}{path}"
        mapped = self.urls.get(f"{namespace}/{name}")
        if mapped is not None:
            return await _posted(shown, f"{mapped.rstrip('/')}{path}", host, bundle, question)
        try:
            found = services.endpoint(self._store, namespace, name, port)
        except CallFailed as error:
            raise CallFailed(f'Post "{_with_timeout(shown, question)}": {error}') from None
        if found.pod is None:
            address = f"https://{found.address}:{found.port}{path}"
            return await _posted(shown, address, host, bundle, question)
        program = programs.program_of(self._store, found.pod, found.port)
        if program is None:
            why = f"dial tcp {found.address}:{found.port}: connect: connection refused"
            raise CallFailed(f'Post "{_with_timeout(shown, question)}": {why}')
        problem = certificates.problem(program.certificate, bundle, host)
        if problem:
            raise CallFailed(f'Post "{_with_timeout(shown, question)}": {problem}')
        return await _modelled(program, shown, path, question)


def _with_timeout(url: str, question: Question) -> str:
    return f"{url}?timeout={round(question.timeout_s)}s"


async def _modelled(program: programs.Program, shown: str, path: str, question: Question) -> Any:
    try:
        async with asyncio.timeout(question.timeout_s):
            answer = await program.handler(path, question.body)
    except TimeoutError:
        raise CallFailed(f'Post "{_with_timeout(shown, question)}": {_TOO_LATE}') from None
    if answer is None:
        raise CallFailed("the server could not find the requested resource")
    return answer


async def _posted(shown: str, url: str, host: str, bundle: bytes, question: Question) -> Any:
    """Post to a real address; `shown` is how messages name it."""
    try:
        import aiohttp  # noqa: PLC0415 - loaded with the first webhook that is called
    except ImportError:
        fix = "pip install 'kubestage[server]'"
        raise InputError(
            "webhooks are called with aiohttp, which is not installed", fix=fix
        ) from None
    what = f"Post {field.quote(_with_timeout(shown, question))}"
    is_secure = urllib.parse.urlsplit(url).scheme == "https"
    try:
        async with (
            asyncio.timeout(question.timeout_s),
            aiohttp.ClientSession(auto_decompress=True) as session,
            session.post(
                url,
                params={"timeout": f"{round(question.timeout_s)}s"},
                data=msgspec.json.encode(question.body),
                headers={"content-type": "application/json", "accept": "application/json, */*"},
                ssl=_tls(bundle) if is_secure else False,
                server_hostname=host or None,
                allow_redirects=False,
            ) as response,
        ):
            text = await _body(response.content)
            status = response.status
    except TimeoutError:
        raise CallFailed(f"{what}: {_TOO_LATE}") from None
    except aiohttp.ClientConnectorCertificateError as error:
        raise CallFailed(f"{what}: tls: {error.certificate_error}") from None
    except aiohttp.ClientConnectorError as error:
        address = urllib.parse.urlsplit(url).netloc
        reason = "connection refused" if error.errno == 111 else str(error.os_error)
        raise CallFailed(f"{what}: dial tcp {address}: connect: {reason}") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise CallFailed(f"{what}: {str(error) or type(error).__name__}") from None
    if not 200 <= status < 300:
        raise CallFailed(_refusal(status, text))
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CallFailed(f"couldn't get version/kind; json parse error: {error}") from None


async def _body(content: StreamReader) -> bytes:
    """A whole answer; `CallFailed` if it is too long."""
    found = bytearray()
    async for chunk in content.iter_any():
        found += chunk
        if len(found) > _MOST_BYTES:
            raise CallFailed(f"the response is longer than {_MOST_BYTES} bytes")
    return bytes(found)


def _refusal(status: int, text: bytes) -> str:
    shown = text.decode(errors="replace").strip()
    if status == 404:
        return "the server could not find the requested resource"
    if status >= 500:
        why = f"an error on the server ({field.quote(shown)})"
        return f"{why} has prevented the request from succeeding"
    return f"the server rejected our request for an unknown reason ({status}: {shown})"


def _tls(bundle: bytes) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if bundle:
        try:
            context.load_verify_locations(cadata=bundle.decode("ascii", "replace"))
        except ssl.SSLError as error:
            raise CallFailed(f"unable to load root certificates: {error}") from None
    return context
