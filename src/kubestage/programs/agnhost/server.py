"""What the servers of agnhost have in common: ports, requests and Go's log lines."""

from __future__ import annotations

import abc
import datetime as dt
from typing import TYPE_CHECKING

from kubestage.programs import http
from kubestage.programs.calls import Call, Waiting

if TYPE_CHECKING:
    from kubestage.programs.http import HttpAnswer, HttpRequest


class Server(Waiting, abc.ABC):
    """A program that serves on ports until it is stopped."""

    ports: frozenset[int] = frozenset()
    """Of TCP."""
    tls_ports: frozenset[int] = frozenset()
    """Those of them where it speaks TLS."""
    udp_ports: frozenset[int] = frozenset()
    stop_code: int | None = None
    """How it ends at a signal; None if it does not handle it."""

    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self.started_ns = call.context.now_ns

    @abc.abstractmethod
    def answer(self, port: int, request: HttpRequest) -> HttpAnswer:
        """The answer to a request over HTTP."""

    def received(self, port: int, data: bytes, client: str) -> bytes:
        """What a client gets for bytes that are no request: Go's servers of HTTP refuse them."""
        del port, client
        return http.BAD_REQUEST if data else b""

    def on_datagram(self, port: int, data: bytes, client: str) -> bytes:
        """What a client gets over UDP; empty if nothing is sent, as by all without `udp_ports`."""
        del port, data, client
        return b""

    def is_serving(self, port: int, service: str) -> str:
        """What is wrong with a gRPC service; empty if it is healthy."""
        del service
        return f"timeout: failed to connect service on port {port}"

    def resume(self, now_ns: int) -> bool:
        """It ends only if it was stopped."""
        if self.is_stopping:
            return True
        self.wake_ns = None
        del now_ns
        return False

    is_stopping = False

    def stop(self, code: int, at_ns: int) -> None:
        """End at a time."""
        self.is_stopping, self.code, self.wake_ns = True, code, at_ns

    def on_signal(self, name: str, now_ns: int) -> bool:
        """Handle SIGTERM, if it does."""
        if name != "TERM" or self.stop_code is None:
            return False
        self.stop(self.stop_code, now_ns)
        return True

    def log(self, text: str) -> None:
        """Log a line, as Go's log package does."""
        now = dt.datetime.fromtimestamp(self.call.context.unix_ns // 10**9, dt.UTC)
        self.call.err.write(f"{now:%Y/%m/%d %H:%M:%S} {text}\n".encode())
