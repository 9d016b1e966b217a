"""What ``kubestage serve`` does, from the first file to the last change."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import pathlib  # noqa: TC003 - read by msgspec
import shutil
import time
from typing import TYPE_CHECKING, Any, Final

import msgspec
import typer

from kubestage.cli import failures, running, serve_door, serve_greeting, serve_results, serve_stage
from kubestage.cli.living import controller_settings
from kubestage.cli.serve_door import Wishes  # noqa: TC001 - read by msgspec
from kubestage.cli.serve_options import Scheduling  # noqa: TC001 - read by msgspec
from kubestage.cli.serve_results import Results  # noqa: TC001 - read by msgspec
from kubestage.cluster.profile import Profile as ControlPlane  # noqa: TC001 - read by msgspec
from kubestage.errors import InputError
from kubestage.objects import timestamps
from kubestage.runs.inputs import config_file, loading, plain_nodes, plugin_files, staging
from kubestage.scenario import resource
from kubestage.scheduler.record import Recording
from kubestage.scheduler.selection import TieBreak
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator, Mapping

    from kubestage.cli.serve_door import Door
    from kubestage.cli.serve_stage import Made
    from kubestage.runs.inputs.loading import Loaded
    from kubestage.server import assembly
    from kubestage.server.outside import OutsideSettings

_EXTRA: Final = "pip install 'kubestage[server]'"


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """All that a person asked for."""

    files: list[str]
    port: int
    data_dir: pathlib.Path | None
    is_relaxed: bool
    record: str | None
    scheduler: Scheduling
    # Of a scheduler outside: its grace and timeout in seconds, and its names.
    outside: tuple[float, float | None, tuple[str, ...] | None]
    config: str | None
    plugins: list[str]
    has_controllers: bool
    disabled_plugins: list[str]
    settings: list[str]
    results: Results
    # How many to add, if any, and what each of them has.
    nodes: tuple[int | None, str]
    seed: int | None
    as_written: bool
    start: str | None
    mode: str
    speed: float
    door: Wishes
    log_level: str
    is_timed: bool = False
    control_plane: ControlPlane | None = None


def run(request: Request) -> int:
    """Serve until somebody stops it."""
    try:
        from kubestage.server import serving
    except ImportError as error:
        problem = f"serving needs packages that are not installed: {error.name}"
        raise InputError(problem, fix=_EXTRA) from None
    wishes = request.door
    serve_door.check(wishes)
    loaded = _loaded(request)
    wanted = _wanted(request, loaded)
    with contextlib.ExitStack() as until_ended:
        listening = serving.listen(wishes.host, request.port)
        until_ended.callback(listening.close)
        made = serve_stage.make(wanted, loaded, request.data_dir, is_relaxed=request.is_relaxed)
        with contextlib.ExitStack() as until_served:
            if made.journal is not None:
                until_served.callback(made.journal.close)
            door = serve_door.prepare(wishes, listening)
            if door.passing is not None:
                until_ended.callback(shutil.rmtree, door.passing, ignore_errors=True)
            for note in _notes(request, loaded, made, door):
                typer.echo(f"Note: {note}", err=True)
            with plugin_files.blaming(wanted.settings.plugins):
                served = _Served(request, made, door, wanted.settings.plugins)
                failure = served.run(listening, until_served)
    if failure:
        failures.tell(failure)
        return failures.NOT_AS_WANTED
    return 0


def _loaded(request: Request) -> Loaded | None:
    """What files have, and nodes that were asked for."""
    loaded = staging.load(request.files, request.config) if request.files else loading.Loaded()
    plain_nodes.add(loaded, *request.nodes)
    return loaded if loaded.documents or loaded.imported else None


def _wanted(request: Request, loaded: Loaded | None) -> serve_stage.Wanted:
    imported = () if loaded is None else loaded.imported
    configuration = config_file.load(request.config, config_file.Flags(), imported)
    plugins = plugin_files.load(request.plugins, configuration)
    config_file.check(configuration, plugins, request.config)
    laws = running.laws(request.settings)
    controllers = controller_settings(laws) if request.has_controllers else None
    # What is kept of attempts on a server is its own business; here it would grow for ever.
    settings = running.Settings(
        configuration,
        plugins,
        request.seed or 0,
        TieBreak("heap"),
        Recording.NONE,
        laws,
        as_written=request.as_written,
        stopwatch=time.perf_counter_ns if request.is_timed else None,
        control_plane=request.control_plane,
    )
    now = _now(request.mode)
    return serve_stage.Wanted(
        settings=settings,
        is_configured=request.config is not None,
        scheduler=request.scheduler,
        controllers=controllers,
        disabled_plugins=request.disabled_plugins,
        seed=request.seed,
        start=now if request.start == "now" else _start(request.start),
        # The API alone is that of a new cluster, in which nobody has defined anything.
        shows_definitions=request.scheduler != "none" or request.has_controllers,
        now=now,
    )


def _now(mode: str) -> str:
    """When time begins, in whole seconds; a clock that jumps is to have some way to go."""
    from kubestage.server.wall_clock import LAG_NS

    now_ns = time.time_ns() - (LAG_NS if mode == "jump" else 0)
    return timestamps.format_time(now_ns // SECOND_NS * SECOND_NS)


def _start(text: str | None) -> str | None:
    """The moment that a person means."""
    if text is None:
        return None
    try:
        return timestamps.format_time(timestamps.parse_time(text))
    except ValueError:
        fix = "write now, or as in 2026-01-01T00:00:00Z"
        raise InputError(f'"{text}" is no time', path="--start", fix=fix) from None


class _Served(msgspec.Struct, frozen=True):
    """What is served, to whom."""

    request: Request
    made: Made
    door: Door
    plugins: Mapping[str, type[Any]]

    def run(self, listening: socket.socket, until_served: contextlib.ExitStack) -> str:
        """Serve; what could not be kept of it, or recorded if that was asked for."""
        from kubestage.server import serving

        level = self.request.log_level.upper()
        logging.basicConfig(level=level, format="%(levelname)s: %(message)s")
        serving.raise_file_limit()
        with asyncio.Runner(loop_factory=serving.loop_factory()) as runner:
            return runner.run(self._serve(listening, until_served))

    async def _serve(self, listening: socket.socket, until_served: contextlib.ExitStack) -> str:
        from kubestage.server import assembly, serving

        door = self.door
        how = serving.Options(
            certificate=door.certificate,
            key=door.key,
            log_level=self.request.log_level,
            limits=door.settings.limits,
        )
        stage = assembly.Served(self.made.stage, self._plan(), self.made.journal)
        stage.start()
        until_served.pop_all()
        server = serving.server(stage.application, how, self._tell)
        # What is there now stays, so that nobody looks at it again for what could go.
        gc.freeze()
        try:
            await server.serve([listening])
        finally:
            await stage.close()
        lost = stage.live.durability.failure
        if lost is not None:
            return lost.message
        return "" if stage.recorder is None else stage.recorder.failure

    def _plan(self) -> assembly.Plan:
        from kubestage.server import assembly
        from kubestage.server.pacing import Mode

        request, made = self.request, self.made
        chosen = serve_results.choose(request.results, made.remembered)
        made.stage.annotates_results = chosen.annotates and request.scheduler == "built-in"
        return assembly.Plan(
            door=self.door.settings,
            mode=Mode(request.mode),
            speed=request.speed,
            scheduler=request.scheduler,
            outside=_outside(request),
            plugins=self.plugins,
            settings=msgspec.structs.replace(chosen.settings, as_written=request.as_written),
            runs=None if request.data_dir is None else request.data_dir / "runs",
            record=request.record,
            follows_wall=self.made.follows_wall,
        )

    def _tell(self) -> None:
        is_bare = not self.request.has_controllers or self.request.scheduler == "none"
        serve_greeting.tell(self.made.stage, self.door, self.request.data_dir, is_bare=is_bare)


def _outside(request: Request) -> OutsideSettings:
    from kubestage.server.outside import OutsideSettings

    grace_s, timeout_s, names = request.outside
    # A pod that it has yet to look at is waited for longer.
    return OutsideSettings(grace_s, 10 * grace_s, timeout_s, names)


def _notes(request: Request, loaded: Loaded | None, made: Made, door: Door) -> Iterator[str]:
    """What a person may not have meant."""
    if not made.is_new:
        yield f"goes on from {made.stage.now}, as it was left in {request.data_dir}"
    if loaded is not None:
        yield from (note for each in loaded.imported for note in each.notes)
        written = [each for each in loaded.documents if resource.is_scenario(each.object)]
        count = len(written) + len(loaded.imported)
        if count and len(loaded.documents) > len(written):
            yield "a Scenario begins by emptying the cluster; what it needs belongs into its events"
    if request.config is not None and request.scheduler != "built-in":
        yield f"--config has no effect with --scheduler {request.scheduler}"
    if request.plugins and request.scheduler != "built-in":
        yield f"--plugin has no effect with --scheduler {request.scheduler}"
    if request.results.annotations and request.scheduler != "built-in":
        yield f"--result-annotations has no effect with --scheduler {request.scheduler}"
    if request.settings and not request.has_controllers:
        yield "--setting has no effect with --no-controllers"
    if door.certificate is not None:
        yield "clients need the token and trust in the certificate: the kubeconfig has both"
