"""A program that runs in a container: what it has printed, when it goes on, how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import Unmodelled
from kubestage.programs import http, running
from kubestage.programs.agnhost.server import Server
from kubestage.programs.calls import Buffer

if TYPE_CHECKING:
    from kubestage.programs.calls import Sink
    from kubestage.programs.context import ContainerContext
    from kubestage.programs.http import HttpAnswer, HttpRequest

MOST_LOGGED: Final = 10 * 2**20
"""How much of a log is kept, in bytes; real kubelets rotate logs of that size."""
MOST_WAKES: Final = 100_000
_MOST_VISITS: Final = 2_000


class Output(NamedTuple):
    """What a program wrote at once."""

    now_ns: int
    data: bytes


class _Log:
    """Where a program prints to: the log of its container."""

    def __init__(self, process: Process) -> None:
        self._process = process

    def write(self, data: bytes) -> None:
        self._process.print(data)


class Process:
    """The first process of a container.

    Once it does something that is not modelled, `unmodelled` says what. `visits` counts how often
    the cluster had to look at it: one that polls without end is no longer followed at some point.
    """

    def __init__(self, words: list[str], context: ContainerContext, epoch_ns: int) -> None:
        self.context = context
        self.epoch_ns = epoch_ns
        self.words = words
        self.log: list[Output] = []
        self._logged = 0
        self.ended_ns: int | None = None
        self.unmodelled = ""
        self.visits = 0
        context.execute = self._execute
        log = _Log(self)
        self.machine = running.machine_of(words, context, b"", log, log)

    def print(self, data: bytes) -> None:
        """Log what it writes."""
        if not data:
            return
        self.log.append(Output(self.context.now_ns, data))
        self._logged += len(data)
        while self._logged > MOST_LOGGED:
            self._logged -= len(self.log.pop(0).data)

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.machine.exit_code is not None

    @property
    def exit_code(self) -> int:
        """How it has ended."""
        return self.machine.exit_code or 0

    @property
    def wake_ns(self) -> int | None:
        """When anything in it changes next."""
        return None if self.is_over or self.unmodelled else self.machine.wake_ns

    @property
    def due_ns(self) -> int | None:
        """When the cluster has to look at it again; None if only observers need to."""
        if self.unmodelled or self.is_over:
            return None
        machine = self.machine
        if machine.is_endless or self.visits > _MOST_VISITS:
            return None
        if machine.waiting is not None and not machine.jobs:
            return machine.waiting.due_ns
        return machine.wake_ns

    def run(self, now_ns: int) -> None:
        """Let it run once, at a time at which it is due."""
        self.context.at(now_ns, self.epoch_ns)
        try:
            self.machine.run(now_ns)
        except Unmodelled as error:
            self.unmodelled = str(error)
        if self.is_over and self.ended_ns is None:
            self.ended_ns = now_ns

    def advance(self, now_ns: int) -> None:
        """Let it run up to a time."""
        for _ in range(MOST_WAKES):
            wake_ns = self.wake_ns
            if wake_ns is None or wake_ns > now_ns:
                break
            self.run(wake_ns)
        else:
            self.unmodelled = "a program that was not looked at for too long"
        if not self.is_over:
            self.context.at(now_ns, self.epoch_ns)

    def signal(self, name: str, now_ns: int) -> bool:
        """Send a signal; whether it has any effect."""
        if self.is_over or self.unmodelled:
            return False
        self.context.at(now_ns, self.epoch_ns)
        has_effect = self.machine.signal(name, now_ns)
        if has_effect:
            self.run(now_ns)
        return has_effect

    def execute(
        self, words: list[str], stdin: bytes | None, now_ns: int
    ) -> tuple[bytes, bytes, int]:
        """Run another program beside it: what it prints, its errors, and its exit code."""
        self.context.at(now_ns, self.epoch_ns)
        out, err = Buffer(), Buffer()
        code = running.finish(words, self.context, stdin, out, err)
        return out.data, err.data, code

    def _execute(self, words: list[str], sink: Sink) -> int:
        return running.finish(words, self.context, b"", sink, sink)

    def ask(self, port: int, request: HttpRequest, now_ns: int) -> HttpAnswer | None:
        """The answer to a request; None if nothing of it serves there."""
        server, is_udp = self.server, request.method == http.DATAGRAM
        if server is None or port not in (server.udp_ports if is_udp else server.ports):
            return None
        self.context.at(now_ns, self.epoch_ns)
        if is_udp:
            return http.HttpAnswer(0, server.on_datagram(port, request.body, request.client))
        if request.method == http.RAW:
            return http.HttpAnswer(0, server.received(port, request.body, request.client))
        if request.is_tls and port not in server.tls_ports:
            return http.HttpAnswer(0, http.NO_TLS.encode())
        if port in server.tls_ports and not request.is_tls:
            return http.HttpAnswer(400, b"Client sent an HTTP request to an HTTPS server.\n")
        return server.answer(port, request)

    @property
    def server(self) -> Server | None:
        """What it serves, if it is a server."""
        if self.is_over or self.unmodelled:
            return None
        found = running.server_of(self.machine)
        return found if isinstance(found, Server) else None
