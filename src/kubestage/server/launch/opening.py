"""Kept runs served to a browser: read-only, each with its whole past.

`serve` does it until the process is stopped, `show` in the background, for notebooks and tests::

    from kubestage.runs.opening import open_runs
    from kubestage.server.launch import opening

    with opening.show(open_runs(["runs/before", "runs/after"])) as page:
        print(page.address)
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import threading
from typing import TYPE_CHECKING, Final, Self

from kubestage.errors import InputError
from kubestage.server.launch import endpoint, resolution
from kubestage.server.launch.open_options import OpenOptions
from kubestage.server.launch.options import ServeOptions

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence

    from kubestage.runs.opening import OpenedRun
    from kubestage.server.clusters import ClusterEntry
    from kubestage.server.launch.endpoint import ServerEndpoint
    from kubestage.server.serving import Server

    OnReady = Callable[[ServerEndpoint], None]

_EXTRA: Final = "pip install 'kubestage[server]'"
_DEFAULT: Final = OpenOptions()


def check() -> None:
    """InputError if what a server needs is not installed."""
    try:
        from kubestage.server import serving  # noqa: F401, PLC0415 - needs an extra
    except ImportError as error:
        problem = f"showing runs needs packages that are not installed: {error.name}"
        raise InputError(problem, fix=_EXTRA) from None


def link(runs: Sequence[OpenedRun]) -> str:
    """What to look at first, behind the address of the server: of a comparison, both runs."""
    if len(runs) > 1 and all(each.is_contender for each in runs[:2]):
        return side_by_side(runs)
    return "/ui/"


def side_by_side(runs: Sequence[OpenedRun]) -> str:
    """The first two runs on one clock."""
    return f"/ui/#/compare?left={runs[0].name}&right={runs[1].name}"


def entries(runs: Sequence[OpenedRun]) -> list[ClusterEntry]:
    """Runs as clusters of a server; the first one is at the root, too."""
    from kubestage.server.clusters import ClusterEntry  # noqa: PLC0415 - needs an extra

    return [
        ClusterEntry(
            stage=run.stage,
            name=run.name,
            title=run.title,
            kind=run.kind,
            history=run.history,
            attempts=run.attempts.rows,
            is_read_only=True,
            agreement=run.agreement,
            node_decisions=run.node_decisions,
            plugins=run.plugins,
            settings=run.settings,
            forks_have_controllers=run.has_controllers,
        )
        for run in runs
    ]


def serve(runs: Sequence[OpenedRun], options: OpenOptions = _DEFAULT, *, on_ready: OnReady) -> None:
    """Serve runs until the process is stopped; `on_ready` is called when clients can connect."""
    _Serving(runs, options, on_ready).run()


def show(runs: Sequence[OpenedRun], options: OpenOptions = _DEFAULT) -> ShownRuns:
    """Serve runs in the background until `close`, or until the process ends."""
    return ShownRuns(runs, options)


class ShownRuns:
    """A server in the background; `address` is that of the page."""

    def __init__(self, runs: Sequence[OpenedRun], options: OpenOptions) -> None:
        self.address = ""
        self._is_ready = threading.Event()
        self._failure: BaseException | None = None
        self._serving = _Serving(runs, options, self._ready)
        self._link = link(runs)
        self._thread = threading.Thread(target=self._run, name="kubestage-open", daemon=True)
        self._thread.start()
        self._is_ready.wait()
        self._raise_failure()

    @property
    def page(self) -> str:
        """What to open in a browser."""
        return f"{self.address}{self._link}"

    def close(self) -> None:
        """Stop serving."""
        self._serving.stop()
        self._thread.join()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _ready(self, prepared: ServerEndpoint) -> None:
        self.address = prepared.address
        self._is_ready.set()

    def _run(self) -> None:
        try:
            self._serving.run()
        except BaseException as error:  # noqa: BLE001 - raised where it was started
            self._failure = error
        finally:
            self._is_ready.set()

    def _repr_html_(self) -> str:
        return f'<a href="{self.page}" target="_blank">{self.page}</a>'

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Serving:
    """One server of kept runs."""

    def __init__(self, runs: Sequence[OpenedRun], options: OpenOptions, on_ready: OnReady) -> None:
        if not runs:
            raise InputError("there is no run to show", fix="name one")
        self._runs, self._on_ready = runs, on_ready
        chosen = ServeOptions(port=options.port, host=options.host, in_memory=True)
        self._options = resolution.resolve(chosen)
        self._server: Server | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self) -> None:
        """Serve until it is stopped."""
        check()
        from kubestage.server import serving  # noqa: PLC0415 - needs an extra

        with contextlib.ExitStack() as stack:
            listening = serving.listen(self._options.host, self._options.port)
            stack.callback(listening.close)
            prepared = endpoint.prepare(self._options, listening)
            if prepared.temporary is not None:
                stack.callback(shutil.rmtree, prepared.temporary, ignore_errors=True)
            runner = stack.enter_context(asyncio.Runner(loop_factory=serving.loop_factory()))
            runner.run(self._serve(listening, prepared))

    def stop(self) -> None:
        """Stop serving, from another thread."""
        if self._loop is not None and self._server is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._server.stop)

    async def _serve(self, listening: socket.socket, prepared: ServerEndpoint) -> None:
        from kubestage.server import assembly, serving  # noqa: PLC0415 - needs an extra
        from kubestage.server.pacing import Mode  # noqa: PLC0415 - needs an extra

        plan = assembly.AssemblyOptions(security=prepared.security, mode=Mode.PAUSED)
        first, *others = entries(self._runs)
        served = assembly.Served(first, plan, others=others)
        served.start()
        how = serving.ListenOptions(
            certificate=prepared.certificate, key=prepared.key, limits=prepared.security.limits
        )
        self._server = serving.server(served.application, how, lambda: self._on_ready(prepared))
        self._loop = asyncio.get_running_loop()
        try:
            await self._server.serve([listening])
        finally:
            await served.close()
