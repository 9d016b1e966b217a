"""Runs the application on a socket until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import importlib.util
import logging
import resource
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any, Final

import msgspec
import uvicorn

from kubestage.errors import InputError
from kubestage.server.security import slow_clients
from kubestage.server.security.settings import RequestLimits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BACKLOG: Final = 2048
_GRACE_S: Final = 1
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_KEEP_ALIVE: Final = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4}
_LOGGER: Final = "uvicorn.error"
# Nothing is read from a WebSocket but that it opens and closes.
_MOST_MESSAGE_BYTES: Final = 64 * 1024


class ListenOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How to serve: files of certificate and key for https, and how much is logged."""

    certificate: str | None = None
    key: str | None = None
    log_level: str = "error"
    limits: RequestLimits = RequestLimits()


def listen(host: str, port: int) -> socket.socket:
    """A socket that clients may connect to at once; refused if the address cannot be had."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
    except socket.gaierror:
        fix = "use 127.0.0.1, or an address of this machine"
        raise InputError(f'no address "{host}"', path="--host", fix=fix) from None
    family, kind, protocol, _, address = found[0]
    listening = socket.socket(family, kind, protocol)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _notice_vanished(listening)
    try:
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise _refused(host, port, error) from None
    return listening


def _notice_vanished(listening: socket.socket) -> None:
    """Have connections end whose client is gone without a word; they inherit this."""
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE.items():
        # Not every system lets one choose.
        if hasattr(socket, name):
            listening.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def _refused(host: str, port: int, error: OSError) -> InputError:
    if error.errno == errno.EADDRINUSE:
        fix = "stop the process that listens there, or let one be chosen: --port 0"
        return InputError(f"port {port} is taken", path="--port", fix=fix)
    if error.errno in (errno.EACCES, errno.EPERM):
        fix = "use one above 1023, such as 18080"
        return InputError(f"port {port} is not ours to use", path="--port", fix=fix)
    fix = "use 127.0.0.1, or an address of this machine"
    return InputError(f'"{host}" is no address of this machine', path="--host", fix=fix)


def raise_file_limit() -> int:
    """Have as many files open as the system lets us: each client is one. Returns how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class Server(uvicorn.Server):
    """uvicorn, which ends quietly at a signal."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to serve, and say so."""
        await super().startup(sockets)
        self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop to serve. That watches are cut off is no error."""
        logging.getLogger(_LOGGER).setLevel(logging.CRITICAL)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """End at a signal; being stopped is how a server ends well.

        Signals come to the main thread alone: a server in another one is stopped by `stop`.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        for each in _SIGNALS:
            loop.add_signal_handler(each, self.stop)
        try:
            yield
        finally:
            for each in _SIGNALS:
                loop.remove_signal_handler(each)

    def stop(self) -> None:
        """Stop serving; at a second call, without waiting for open requests."""
        self.force_exit = self.should_exit
        self.should_exit = True


def _websocket_protocol() -> Any:
    """What makes the protocol of a WebSocket, loaded when the first one comes."""
    if importlib.util.find_spec("wsproto") is None:
        return "none"

    def protocol(**options: Any) -> Any:
        from uvicorn.protocols.websockets import wsproto_impl  # noqa: PLC0415

        return wsproto_impl.WSProtocol(**options)

    return protocol


def server(
    application: Any,
    options: ListenOptions,
    on_started: Callable[[], None],
    make: type[Server] = Server,
) -> Server:
    """A server for an application; `serve` runs it."""
    limits = options.limits
    config = uvicorn.Config(
        application,
        loop="auto",
        http=slow_clients.protocol(limits),
        ws=_websocket_protocol(),
        ws_max_size=_MOST_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        log_level=options.log_level,
        access_log=options.log_level in ("debug", "info"),
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        limit_concurrency=limits.connections,
        timeout_keep_alive=limits.idle_s,
        timeout_graceful_shutdown=_GRACE_S,
        h11_max_incomplete_event_size=limits.head_bytes,
        ssl_certfile=options.certificate,
        ssl_keyfile=options.key,
    )
    return make(config, on_started)


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop]:
    """The event loop to run it in: the fast one if it is installed."""
    try:
        import uvloop  # noqa: PLC0415 - may not be there
    except ImportError:
        return asyncio.new_event_loop
    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
