"""Serves a cluster, from the first file that is read to the last change that is stored."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import shutil
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.errors import InputError
from kubestage.runs.inputs import plugin_files
from kubestage.runs.observer import Observer
from kubestage.scenario import resource
from kubestage.server.launch import (
    cluster,
    endpoint,
    parent,
    ready_file,
    resolution,
    result_settings,
)
from kubestage.stage.collections import COLLECTIONS

if TYPE_CHECKING:
    import pathlib
    import socket
    from collections.abc import Iterator

    from kubestage.runs.run_settings import RunSettings
    from kubestage.server import assembly
    from kubestage.server.launch.cluster import ServedCluster, ServeInputs
    from kubestage.server.launch.endpoint import ServerEndpoint
    from kubestage.server.launch.options import ServeOptions
    from kubestage.server.launch.parent import ParentProcess
    from kubestage.server.serving import Server
    from kubestage.stage import Stage

_EXTRA: Final = "pip install 'kubestage[server]'"


class ReadyServer(NamedTuple):
    """A server that has started to listen."""

    stage: Stage
    endpoint: ServerEndpoint
    data_dir: pathlib.Path | None
    """Where everything is stored; None if nothing is."""
    runs_pods: bool
    """Whether there are controllers and a scheduler: then nodes are missed."""


class ServeObserver(Observer):
    """Receives notes, and when the server is ready; this one ignores them."""

    def ready(self, server: ReadyServer) -> None:
        """Clients can connect from now on."""


SILENT: Final = ServeObserver()


def serve(options: ServeOptions, *, observer: ServeObserver = SILENT) -> str:
    """Serve until the process is stopped; returns what could not be stored, empty if all was."""
    options = resolution.resolve(options)
    started_by = parent.ParentProcess() if options.exit_with_parent else None
    try:
        from kubestage.server import serving  # noqa: PLC0415 - needs an extra
    except ImportError as error:
        problem = f"serving needs packages that are not installed: {error.name}"
        raise InputError(problem, fix=_EXTRA) from None
    endpoint.check(options)
    ready_file.check(options.ready_file)
    inputs = cluster.read(options, observer)
    with contextlib.ExitStack() as until_ended:
        listening = serving.listen(options.host, options.port)
        until_ended.callback(listening.close)
        served = cluster.open_stage(options, inputs)
        with contextlib.ExitStack() as until_served:
            if served.journal is not None:
                until_served.callback(served.journal.close)
            prepared = endpoint.prepare(options, listening)
            if prepared.temporary is not None:
                until_ended.callback(shutil.rmtree, prepared.temporary, ignore_errors=True)
            server = endpoint.bootstrap(options, prepared)
            cluster.fill(served, options, inputs, server, observer)
            for note in _notes(options, inputs, served, prepared):
                observer.note(note)
            until_ended.callback(ready_file.remove, options.ready_file)
            scheduling = inputs.scheduling
            with plugin_files.error_context(scheduling.plugins):
                running = _Server(options, served, prepared, scheduling, observer, started_by)
                return running.run(listening, until_served)


class _Server(NamedTuple):
    options: ServeOptions
    served: ServedCluster
    endpoint: ServerEndpoint
    settings: RunSettings
    observer: ServeObserver
    started_by: ParentProcess | None = None
    """The process with which this one ends."""

    def run(self, listening: socket.socket, until_served: contextlib.ExitStack) -> str:
        """Serve; returns what could not be stored or recorded."""
        from kubestage.server import serving  # noqa: PLC0415 - needs an extra

        level = self.options.log_level.upper()
        logging.basicConfig(level=level, format="%(levelname)s: %(message)s")
        serving.raise_file_limit()
        with asyncio.Runner(loop_factory=serving.loop_factory()) as runner:
            return runner.run(self._serve(listening, until_served))

    async def _serve(self, listening: socket.socket, until_served: contextlib.ExitStack) -> str:
        from kubestage.server import assembly, serving  # noqa: PLC0415 - needs an extra

        prepared = self.endpoint
        how = serving.ListenOptions(
            certificate=prepared.certificate,
            key=prepared.key,
            log_level=self.options.log_level,
            limits=prepared.security.limits,
        )
        stage = assembly.Served(self.served.stage, self._plan(), self.served.journal)
        stage.start()
        until_served.pop_all()
        server = serving.server(stage.application, how, self._ready)
        # What exists now stays, so the garbage collector need not look at it again.
        gc.freeze()
        gc.set_threshold(*COLLECTIONS)
        orphaned = None
        if self.started_by is not None:
            orphaned = asyncio.create_task(_stop_with(self.started_by, server))
        try:
            await server.serve([listening])
        finally:
            if orphaned is not None:
                orphaned.cancel()
            await stage.close()
        lost = stage.live.durability.failure
        if lost is not None:
            return lost.message
        return "" if stage.recorder is None else stage.recorder.failure

    def _plan(self) -> assembly.AssemblyOptions:
        from kubestage.server import assembly  # noqa: PLC0415 - needs an extra

        options, served = self.options, self.served
        chosen = result_settings.choose(options, served.remembered)
        served.stage.annotates_results = chosen.annotates and options.scheduler == "built-in"
        mode, speed = resolution.mode_and_speed(options)
        data_dir = resolution.data_directory(options)
        return assembly.AssemblyOptions(
            security=self.endpoint.security,
            mode=mode,
            speed=speed,
            scheduler=options.scheduler,
            external=resolution.external_scheduler(options),
            plugins=self.settings.plugins,
            component_settings=self.settings.setting_values,
            controllers=options.controllers,
            settings=msgspec.structs.replace(chosen.scenarios, as_written=options.as_written),
            runs=None if data_dir is None else data_dir / "runs",
            home=data_dir or self.endpoint.temporary,
            record=options.record,
            history=resolution.history(options),
            past=resolution.past(options),
            follows_wall=served.follows_wall,
            webhook_urls=resolution.webhook_urls(options),
            authorization_modes=resolution.authorization_modes(options),
        )

    def _ready(self) -> None:
        options = self.options
        runs_pods = options.controllers != "none" and options.scheduler != "none"
        data_dir = resolution.data_directory(options)
        server = ReadyServer(self.served.stage, self.endpoint, data_dir, runs_pods)
        ready_file.write(options.ready_file, self.endpoint)
        self.observer.ready(server)


async def _stop_with(started_by: ParentProcess, server: Server) -> None:
    await started_by.ended()
    server.stop()


def _notes(
    options: ServeOptions, inputs: ServeInputs, served: ServedCluster, prepared: ServerEndpoint
) -> Iterator[str]:
    """What the user may not have intended."""
    if not served.is_new:
        data_dir = resolution.data_directory(options)
        yield f"goes on from {served.stage.now}, as it was left in {data_dir}"
    loaded = inputs.loaded
    if loaded is not None:
        yield from loaded.notes
        yield from (note for each in loaded.imported for note in each.notes)
        written = [each for each in loaded.documents if resource.is_scenario(each.object)]
        count = len(written) + len(loaded.imported)
        if count and len(loaded.documents) > len(written):
            yield "a Scenario begins by emptying the cluster; what it needs belongs into its events"
    if options.scheduler != "built-in":
        for flag, value in (
            ("--config", options.config is not None),
            ("--plugin", options.plugins),
            ("--result-annotations", options.result_annotations),
        ):
            if value:
                yield f"{flag} has no effect with --scheduler {options.scheduler}"
    if options.settings and options.controllers == "none":
        yield "--setting has no effect with --no-controllers"
    if prepared.certificate is not None:
        yield "clients need the token and trust in the certificate: the kubeconfig has both"
