"""The real way to an extender: HTTP or HTTPS, one connection for each request.

NOTE: what speaks HTTP takes 14 ms to load, and hardly any scheduler has an extender, so it is
loaded for the first request.
"""

from __future__ import annotations

import base64
import functools
import importlib
import pathlib
import tempfile
import urllib.parse
from typing import TYPE_CHECKING, Final

from kubestage.scheduler.extender_wire import ExtenderError
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from ssl import SSLContext
    from types import ModuleType

    from kubestage.scheduler.config.model import Extender as ExtenderConfig
    from kubestage.scheduler.config.model import ExtenderTLSConfig

_DEFAULT_TIMEOUT_NS: Final = 5 * SECOND_NS


def post(config: ExtenderConfig, verb: str, body: bytes) -> bytes:
    """Call an extender; a transport for `extender.Extender`."""
    client = importlib.import_module("http.client")
    url = f"{config.url_prefix.rstrip('/')}/{verb}"
    try:
        status, answer = _exchange(client, config, url, body)
    except client.RemoteDisconnected as problem:
        raise ExtenderError(f'Post "{url}": EOF') from problem
    except (OSError, client.HTTPException) as problem:
        raise ExtenderError(f'Post "{url}": {_explained(problem, url)}') from problem
    if status != client.OK:
        raise ExtenderError(f"failed {verb} with extender at URL {url}, code {status}")
    return answer


def _exchange(
    client: ModuleType, config: ExtenderConfig, url: str, body: bytes
) -> tuple[int, bytes]:
    parts = urllib.parse.urlsplit(url)
    host, port = parts.hostname or "", parts.port
    timeout_s = (config.http_timeout_ns or _DEFAULT_TIMEOUT_NS) / SECOND_NS
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    headers = {"Content-Type": "application/json", "Connection": "close"}
    if parts.scheme == "https":
        context = _context(config.tls_config, config.enable_https)
        connection = client.HTTPSConnection(host, port, timeout=timeout_s, context=context)
    else:
        context, connection = None, client.HTTPConnection(host, port, timeout_s)
    try:
        if context is not None:
            # Not its own `connect`: the server may show another name than its address.
            client.HTTPConnection.connect(connection)
            name = (config.tls_config.server_name if config.tls_config else "") or host
            connection.sock = context.wrap_socket(connection.sock, server_hostname=name)
        connection.request("POST", target, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@functools.lru_cache(maxsize=64)
def _context(tls: ExtenderTLSConfig | None, enable_https: bool) -> SSLContext:
    """The certificates to trust and to present.

    With HTTPS switched on and no authority named, any certificate will do, as upstream has it.
    """
    ssl = importlib.import_module("ssl")
    context: SSLContext = ssl.create_default_context()
    authority = tls is not None and (tls.ca_file or tls.ca_data)
    if (tls is not None and tls.insecure) or (enable_https and not authority):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if tls is None:
        return context
    if authority:
        context = ssl.create_default_context(**_authority(tls))
    if (tls.cert_file or tls.cert_data) and (tls.key_file or tls.key_data):
        with tempfile.TemporaryDirectory() as folder:
            certificate = _file(pathlib.Path(folder, "cert"), tls.cert_data, tls.cert_file)
            key = _file(pathlib.Path(folder, "key"), tls.key_data, tls.key_file)
            context.load_cert_chain(certificate, key)
    return context


def _authority(tls: ExtenderTLSConfig) -> dict[str, str]:
    """Only the named authority counts; its data go before its file."""
    if tls.ca_data:
        return {"cadata": base64.b64decode(tls.ca_data).decode()}
    return {"cafile": tls.ca_file}


def _file(place: pathlib.Path, data: str, path: str) -> str:
    """Where the data can be read; OpenSSL takes its own certificate from files only."""
    if not data:
        return path
    place.touch(mode=0o600)
    place.write_bytes(base64.b64decode(data))
    return str(place)


def _explained(problem: Exception, url: str) -> str:
    """A failure in the words of Go's client, for those that happen every day."""
    if isinstance(problem, TimeoutError):
        return "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    if isinstance(problem, ConnectionRefusedError):
        return f"dial tcp {urllib.parse.urlsplit(url).netloc}: connect: connection refused"
    return str(problem)
