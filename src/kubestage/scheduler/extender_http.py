"""The real way to an extender: HTTP or HTTPS, one connection for each request."""

from __future__ import annotations

import base64
import functools
import http.client
import pathlib
import ssl
import tempfile
import urllib.parse
from typing import TYPE_CHECKING, Final

from kubestage.scheduler.extender_wire import ExtenderError

if TYPE_CHECKING:
    from kubestage.scheduler.config.model import Extender as ExtenderConfig
    from kubestage.scheduler.config.model import ExtenderTLSConfig

_SECOND_NS: Final = 1_000_000_000
_DEFAULT_TIMEOUT_NS: Final = 5 * _SECOND_NS


def post(config: ExtenderConfig, verb: str, body: bytes) -> bytes:
    """Ask an extender; a transport for `extender.Extender`."""
    url = f"{config.url_prefix.rstrip('/')}/{verb}"
    try:
        status, answer = _exchange(config, url, body)
    except (OSError, http.client.HTTPException) as problem:
        raise ExtenderError(f'Post "{url}": {_explained(problem, url)}') from problem
    if status != http.client.OK:
        raise ExtenderError(f"failed {verb} with extender at URL {url}, code {status}")
    return answer


def _exchange(config: ExtenderConfig, url: str, body: bytes) -> tuple[int, bytes]:
    parts = urllib.parse.urlsplit(url)
    timeout_s = (config.http_timeout_ns or _DEFAULT_TIMEOUT_NS) / _SECOND_NS
    connection: http.client.HTTPConnection
    if parts.scheme == "https":
        connection = _TLSConnection(parts.hostname or "", parts.port, timeout_s, config)
    else:
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout_s)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    headers = {"Content-Type": "application/json", "Connection": "close"}
    try:
        connection.request("POST", target, body, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


class _TLSConnection(http.client.HTTPConnection):
    """HTTPS in which the server may be expected to show another name than its address."""

    default_port = http.client.HTTPS_PORT

    def __init__(
        self, host: str, port: int | None, timeout_s: float, config: ExtenderConfig
    ) -> None:
        super().__init__(host, port, timeout_s)
        self._context = _context(config.tls_config, config.enable_https)
        self._name = (config.tls_config.server_name if config.tls_config else "") or host

    def connect(self) -> None:
        """Connect, then shake hands."""
        super().connect()
        self.sock = self._context.wrap_socket(self.sock, server_hostname=self._name)


@functools.lru_cache(maxsize=64)
def _context(tls: ExtenderTLSConfig | None, enable_https: bool) -> ssl.SSLContext:
    """Whom to trust and what to show.

    With HTTPS switched on and no authority named, any certificate will do, as upstream has it.
    """
    context = ssl.create_default_context()
    authority = tls is not None and (tls.ca_file or tls.ca_data)
    if (tls is not None and tls.insecure) or (enable_https and not authority):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if tls is None:
        return context
    if authority:
        context = _trusting(tls)
    if (tls.cert_file or tls.cert_data) and (tls.key_file or tls.key_data):
        with tempfile.TemporaryDirectory() as folder:
            certificate = _file(pathlib.Path(folder, "cert"), tls.cert_data, tls.cert_file)
            key = _file(pathlib.Path(folder, "key"), tls.key_data, tls.key_file)
            context.load_cert_chain(certificate, key)
    return context


def _trusting(tls: ExtenderTLSConfig) -> ssl.SSLContext:
    """Only the named authority counts; its data go before its file."""
    if tls.ca_data:
        return ssl.create_default_context(cadata=base64.b64decode(tls.ca_data).decode())
    return ssl.create_default_context(cafile=tls.ca_file)


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
    if isinstance(problem, http.client.RemoteDisconnected):
        return "EOF"
    return str(problem)
