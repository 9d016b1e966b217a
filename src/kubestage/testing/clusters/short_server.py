"""An HTTP server that begins and ends within a test, in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kubestage.errors import SimulationError
from kubestage.results.history.cluster_history import HistoryLimits as PastLimits
from kubestage.server import assembly, serving
from kubestage.server.security import traffic

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Coroutine

    from kubestage.server.assembly import Served
    from kubestage.server.pacing import Mode
    from kubestage.server.request_faults import RequestFaults
    from kubestage.server.security.guard import Asgi, Receive, Scope, Send
    from kubestage.stage import Stage

T = TypeVar("T")

_TICK_S: Final = 0.1
_LOGGER: Final = "uvicorn.error"
# Tests look at the present; what their cluster was before is recorded only if they are kept.
_NO_PAST: Final = PastLimits(0, 0)


class ClientActivity:
    """Which requests are under way, and when the last one ended: around an application."""

    def __init__(self, application: Asgi) -> None:
        self._application = application
        self.has_watches = False
        """Whether a client has watched anything: such clients react to what happens."""
        self._under_way = 0
        self._last_s = float("-inf")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request served; watches are not counted, for they never end."""
        query = scope.get("query_string", b"")
        if scope["type"] != "http" or traffic.is_long(scope["path"], query):
            self.has_watches = True
            self._last_s = time.monotonic()
            await self._application(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self._application(scope, receive, send)
        finally:
            self._under_way -= 1
            self._last_s = time.monotonic()

    @property
    def idle_s(self) -> float:
        """For how long no client has requested anything."""
        return 0.0 if self._under_way else time.monotonic() - self._last_s


class _ShortServer(serving.Server):
    """Ends as soon as it is to, and waits for no client."""

    async def main_loop(self) -> None:
        """Serve until it is stopped."""
        self._stopping = asyncio.Event()
        counter = 0
        while not await self.on_tick(counter):
            counter = (counter + 1) % 864000
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_TICK_S):
                    await self._stopping.wait()

    def stop(self) -> None:
        """Stop at once."""
        super().stop()
        self._stopping.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close all connections; requests that are still under way are over."""
        for server in self.servers:
            server.close()
        for each in sockets or ():
            each.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        tasks = list(self.server_state.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class ServerThread:
    """Serves a stage in a thread until `close`; what touches the stage is done in that thread."""

    def __init__(
        self, stage: Stage, listening: socket.socket, mode: Mode, faults: RequestFaults
    ) -> None:
        self._stage = stage
        self._listening = listening
        self._mode = mode
        self._faults = faults
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._level = logging.getLogger(_LOGGER).level
        self._thread = threading.Thread(target=self._run, name="kubestage-server", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure

    @property
    def is_closed(self) -> bool:
        """Whether nothing is served any more."""
        return not self._thread.is_alive()

    def do(self, work: Callable[[], T]) -> T:
        """What a function returns that is called in the thread."""
        if threading.current_thread() is self._thread:
            return work()

        async def call() -> T:
            return work()

        return self.wait_for(call())

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine returns that is awaited in the thread."""
        if threading.current_thread() is self._thread:
            work.close()
            raise SimulationError("the server's thread cannot wait for itself")
        if not self._thread.is_alive():
            work.close()
            raise SimulationError("the server of this cluster has ended")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """Stop serving; open connections are closed."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end)
            self._thread.join()
        logging.getLogger(_LOGGER).setLevel(self._level)

    def _end(self) -> None:
        # That requests under way are cut off is no error of theirs.
        logging.getLogger(_LOGGER).setLevel(logging.CRITICAL)
        self.served.live.fanout.close()
        self._server.stop()

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=serving.loop_factory()) as runner:
                runner.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
            self._failure = error
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        plan = assembly.AssemblyOptions(mode=self._mode, past=_NO_PAST)
        self.served: Served = assembly.Served(self._stage, plan)
        self.served.live.faults = self._faults
        self.served.start()
        self.activity = ClientActivity(self.served.application)
        how = serving.ListenOptions(limits=plan.security.limits)
        self._server = serving.server(self.activity, how, self._on_started, _ShortServer)
        try:
            await self._server.serve([self._listening])
        finally:
            await self.served.close()

    def _on_started(self) -> None:
        self._loop.call_soon(self._ready.set)
