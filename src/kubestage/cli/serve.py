"""``kubestage serve``: a Kubernetes API for kubectl and everybody else."""

from __future__ import annotations

import pathlib
from typing import Any, Final

from kubestage.cli import completion, node_options, timing_options
from kubestage.cli import run_options as others
from kubestage.cli import serve_options as options
from kubestage.errors import InputError
from kubestage.runs.inputs import node_shape

EPILOG: Final = """
[bold]Examples[/bold]

kubestage serve --nodes 5                    [dim]# then, in another terminal:[/dim]

export KUBECONFIG=$PWD/.kubestage/kubeconfig; kubectl get nodes

kubestage clock advance 10m                  [dim]# let ten minutes pass[/dim]

kubestage serve cluster/ --in-memory         [dim]# objects of files, nothing kept[/dim]

kubestage serve cluster/ --speed 60          [dim]# an hour passes in a minute[/dim]

kubestage serve --record session.yaml        [dim]# what is asked for, as a Scenario[/dim]

kubestage serve --scheduler outside          [dim]# a kube-scheduler of your own schedules[/dim]

kubestage serve --host 0.0.0.0               [dim]# with TLS and a token, both made if need be[/dim]

Pods, nodes and requests are simulated; everything else is the Kubernetes API as kubectl, client
libraries and controllers know it. Time is virtual: by default it begins now, jumps from event to
event while there is work, passes as on the wall while somebody watches, and else stands still.

On this machine alone nobody needs a password, and pages of other sites are kept out. Whoever
listens to the world (--host) gets TLS and a token.

Ctrl-C ends it well: what was acknowledged is kept, and the next start goes on from there.
"""
_DATA_DIR: Final = ".kubestage"
_FASTEST: Final = 1e6
_MODES: Final = {"jump": "jump", "still": "paused", "realtime": "speed"}


def serve(
    files: options.Files = None,
    port: options.Port = 18080,
    kubeconfig: options.Kubeconfig = None,
    data_dir: options.DataDir = None,
    in_memory: options.InMemory = False,
    durability: options.Durability = "full",
    record: options.Record = None,
    scheduler: options.Scheduler = "built-in",
    config: others.Config = None,
    plugin: others.Plugins = None,
    scheduler_grace: options.Grace = options.GRACE,
    scheduler_timeout: options.Timeout = None,
    scheduler_name: options.Names = None,
    controllers: options.Controllers = True,
    api_only: options.ApiOnly = False,
    disable_admission_plugins: options.DisabledPlugins = None,
    setting: others.Setting = None,
    detail: options.Detail = None,
    result_strategy: options.ResultStrategy = None,
    result_annotations: options.ResultAnnotations = None,
    nodes: node_options.Nodes = None,
    node: node_options.Node = node_shape.DEFAULT,
    seed: options.Seed = None,
    as_written: options.AsWritten = False,
    pace: options.Pace = "jump",
    speed: options.Speed = None,
    start: options.Start = None,
    host: options.Host = "127.0.0.1",
    allow_host: options.AllowHost = None,
    tls_cert: options.TlsCert = None,
    tls_key: options.TlsKey = None,
    token_file: options.TokenFile = None,
    max_objects: options.MaxObjects = 500_000,
    max_watchers: options.MaxWatchers = 10_000,
    max_request_bytes: options.MaxRequestBytes = None,
    log_level: options.LogLevel = "error",
    timings: timing_options.Timings = False,
    profile: timing_options.Profile = None,
) -> int:
    """Serve a cluster to kubectl, client libraries and schedulers of your own."""
    from kubestage.cli import serve_door, serve_results, serve_run

    if api_only:
        scheduler, controllers, pace = _api_only(scheduler, pace)
    _check_choices(pace, scheduler, durability, log_level)
    kept = _kept(data_dir, record, in_memory=in_memory, durability=durability)
    limits = serve_door.limits(host, max_objects, max_watchers, max_request_bytes)
    own = (tls_cert, tls_key, token_file, kubeconfig)
    return serve_run.run(
        serve_run.Request(
            **kept,
            files=files or [],
            nodes=(nodes, node),
            port=port,
            **_scheduling(scheduler, scheduler_grace, scheduler_timeout, scheduler_name),
            config=config,
            plugins=plugin or [],
            has_controllers=controllers,
            disabled_plugins=_disabled(disable_admission_plugins, api_only=api_only),
            settings=setting or [],
            results=serve_results.checked(detail, result_strategy, result_annotations),
            seed=seed,
            as_written=as_written,
            **_time(pace, speed, start),
            door=serve_door.Wishes(host, kept["data_dir"], allow_host or (), *own, limits),
            log_level=log_level,
            **_timing(profile, is_measured=timings),
        )
    )


def _check_choices(pace: str, scheduler: str, durability: str, log_level: str) -> None:
    completion.check_choice(pace, options.PACES, "pace")
    completion.check_choice(scheduler, options.SCHEDULERS, "scheduler")
    completion.check_choice(durability, options.DURABILITIES, "durability")
    completion.check_choice(log_level, options.LOG_LEVELS, "log level")


def _api_only(scheduler: str, pace: str) -> tuple[str, bool, str]:
    """Who schedules, whether there are controllers, and how time passes, for the API alone."""
    if scheduler == "outside":
        fix = "leave it out, and say --scheduler outside --no-controllers"
        raise InputError("has no scheduler", path="--api-only", fix=fix)
    return "none", False, "realtime" if pace == "jump" else pace


def _kept(
    directory: str | None, record: str | None, *, in_memory: bool, durability: str
) -> dict[str, Any]:
    """What is kept, and where."""
    is_relaxed = durability == "relaxed"
    if in_memory and (directory is not None or is_relaxed):
        what = "--durability" if is_relaxed else "--data-dir"
        fix = "leave one of them out"
        raise InputError(f"keeps nothing, so it has no {what}", path="--in-memory", fix=fix)
    path = None if in_memory else pathlib.Path(directory or _DATA_DIR)
    return {"data_dir": path, "is_relaxed": is_relaxed, "record": record}


def _scheduling(
    scheduler: str, grace: str, timeout: str | None, names: list[str] | None
) -> dict[str, Any]:
    """Who schedules."""
    return {"scheduler": scheduler, "outside": _outside(scheduler, grace, timeout, names)}


def _outside(
    scheduler: str, grace: str, timeout: str | None, names: list[str] | None
) -> tuple[float, float | None, tuple[str, ...] | None]:
    """How long a scheduler outside is waited for, and whose pods are its."""
    given = {
        "--scheduler-timeout": timeout is not None,
        "--scheduler-name": bool(names),
        "--scheduler-grace": grace != options.GRACE,
    }
    if scheduler != "outside" and any(given.values()):
        path = next(option for option, is_given in given.items() if is_given)
        raise InputError("is for a scheduler outside", path=path, fix="add --scheduler outside")
    if not all(names or ()):
        raise InputError("is empty", path="--scheduler-name", fix="name it, or leave it out")
    timeout_s = None if timeout is None else _seconds(timeout, "--scheduler-timeout")
    return _seconds(grace, "--scheduler-grace"), timeout_s, tuple(names) if names else None


def _seconds(text: str, path: str) -> float:
    from kubestage.objects import durations

    try:
        seconds = durations.parse_duration(text) / 1e9
    except ValueError as error:
        raise InputError(str(error), path=path, fix="write it as 500ms, 2s or 1m") from error
    if seconds <= 0:
        raise InputError("must be above 0", path=path, fix="write it as 500ms, 2s or 1m")
    return seconds


def _disabled(given: list[str] | None, *, api_only: bool) -> list[str]:
    """The admission plugins to do without. The API alone has nobody who makes accounts."""
    named = [name for each in given or () for name in each.split(",") if name]
    return [*named, "ServiceAccount"] if api_only else named


def _timing(profile: str | None, *, is_measured: bool) -> dict[str, Any]:
    """How durations of the scheduler come about."""
    plane = timing_options.control_plane(profile, is_measured=is_measured)
    return {"is_timed": is_measured, "control_plane": plane}


def _time(pace: str, speed: float | None, start: str | None) -> dict[str, Any]:
    """When time begins, and how it passes."""
    mode = _MODES[pace] if speed is None else "speed"
    return {"mode": mode, "speed": _speed(pace, speed), "start": start}


def _speed(pace: str, speed: float | None) -> float:
    if speed is None:
        return 1.0
    if pace == "still":
        fix = "leave one of them out"
        raise InputError("lets time stand still, so it has no --speed", path="--pace", fix=fix)
    if not 0 < speed <= _FASTEST:
        fix = "write it as in --speed 60, or leave it out"
        raise InputError(f"must be above 0 and at most {_FASTEST:g}", path="--speed", fix=fix)
    return speed
