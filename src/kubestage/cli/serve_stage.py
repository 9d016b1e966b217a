"""The stage behind a server: new, or as an earlier process left it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence  # noqa: TC003 - read by msgspec
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage import stage as stages
from kubestage.cli import running
from kubestage.errors import ApiError, InputError
from kubestage.objects import timestamps
from kubestage.runs.inputs import config_file, staging
from kubestage.scenario import recorded_times, resource
from kubestage.scheduler import config
from kubestage.server.kubestage_api import configuration
from kubestage.store.admission import plugins

if TYPE_CHECKING:
    import pathlib

    from kubestage.cli.running import Settings
    from kubestage.controllers.settings import Settings as ControllerSettings
    from kubestage.objects.manifest import Document
    from kubestage.runs.inputs.loading import Loaded
    from kubestage.server.journal.journal import Journal
    from kubestage.stage import Stage

# Infrastructure is there, and quotas are counted, before the first pod is asked for.
_SETTLING_NS: Final = 1_000_000
# What a data directory remembers of a clock that began with the wall clock's time.
_CLOCK: Final = "clock"
_WALL: Final = "wall"


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What the cluster is to be like.

    The scheduler has the configuration that it was given last, over the API, unless a person named
    one (`is_configured`). `controllers` is None if there are to be none. `start` is the moment at
    which time begins, for a stage that is new; `now` is when, if nobody says so.
    `shows_definitions` is whether CustomResourceDefinitions of our own kinds are seen.
    """

    settings: Settings
    is_configured: bool
    scheduler: str
    controllers: ControllerSettings | None
    disabled_plugins: list[str]
    seed: int | None
    start: str | None
    now: str
    shows_definitions: bool = True


class Made(msgspec.Struct, frozen=True):
    """A stage with all that was asked for on it, and who keeps it.

    Its time `follows_wall` if it began with the wall clock's.
    """

    stage: Stage
    follows_wall: bool
    journal: Journal | None = None
    is_new: bool = True
    remembered: Mapping[str, str] = {}


def make(
    wanted: Wanted, loaded: Loaded | None, data_dir: pathlib.Path | None, *, is_relaxed: bool
) -> Made:
    """Open the data directory, bring the cluster to life and put the objects of files on it."""
    made = _opened(wanted, loaded, data_dir, is_relaxed=is_relaxed)
    stage = made.stage
    if wanted.scheduler == "built-in":
        running.add_scheduler(stage, _settings(wanted, made), ())
    first, rest, scenarios = _sorted(loaded)
    if wanted.shows_definitions:
        stage.store.show_definitions()
    stage.store.implicit_namespaces = True
    as_written = wanted.settings.as_written
    _put(stage, loaded, staging.in_order(first, as_written=as_written), made)
    if wanted.controllers is not None:
        stage.add_controllers(wanted.controllers)
        stage.run(_SETTLING_NS)
    _put(stage, loaded, rest, made)
    stage.store.implicit_namespaces = False
    _put(stage, loaded, scenarios, made)
    for each in () if loaded is None else loaded.imported:
        stage.apply([each.scenario])
    return made


def _settings(wanted: Wanted, made: Made) -> Settings:
    """The settings of the scheduler; what it was told over the API is not forgotten."""
    text = made.remembered.get(configuration.REMEMBERED)
    if text is None or wanted.is_configured:
        return wanted.settings
    try:
        known = config.from_dict(msgspec.json.decode(text))
        config_file.check(known, wanted.settings.plugins, None)
    except config.ConfigError as error:
        fix = "name the plugins that it needs with --plugin, or another one with --config"
        problem = f"the scheduler's configuration that was put last cannot be used: {error}"
        raise InputError(problem, fix=fix) from None
    return dataclasses.replace(wanted.settings, configuration=known)


def _opened(
    wanted: Wanted, loaded: Loaded | None, data_dir: pathlib.Path | None, *, is_relaxed: bool
) -> Made:
    given = wanted.start or _newest(loaded)
    start = given or wanted.now
    follows_wall = start == wanted.now
    if data_dir is None:
        store = _store(wanted)
        new = stages.Stage(wanted.seed or 0, start=start, implicit_namespaces=False, **store)
        return Made(new, follows_wall)
    from kubestage.server.journal.opening import open_directory

    opened = open_directory(data_dir, is_relaxed=is_relaxed)
    if wanted.start is not None and not opened.is_new:
        opened.close()
        fix = "leave it out, or begin anew with another --data-dir"
        raise InputError("time goes on from where it stopped", path="--start", fix=fix)
    if opened.is_new:
        remembered = {_CLOCK: _WALL} if follows_wall else {}
    else:
        remembered, follows_wall = {}, opened.remembered.get(_CLOCK) == _WALL
    stage, journal = opened.stage(wanted.seed, start=start, remembered=remembered, **_store(wanted))
    return Made(stage, follows_wall, journal, opened.is_new, opened.remembered)


def _store(wanted: Wanted) -> dict[str, Any]:
    """What the store is made with. What controllers do at home, nobody does where there are none:
    garbage stays, and namespaces do not end.
    """
    try:
        chosen = plugins.without(wanted.disabled_plugins)
    except InputError as error:
        error.path = "--disable-admission-plugins"
        raise
    return {
        **chosen._asdict(),
        "garbage": "manual" if wanted.controllers is None else "immediate",
        "seeded_by": "kube-apiserver",
        # A client that knew another cluster here must not take this one's versions for that one's.
        "first_revision": time.time_ns() // 1_000_000,
    }


def _newest(loaded: Loaded | None) -> str | None:
    """The newest moment that the objects mention: it is not to lie ahead. A recording begins when
    it was begun.
    """
    if loaded is None:
        return None
    imported = [each.scenario for each in loaded.imported]
    begun: list[str | None] = [each["metadata"].get("creationTimestamp") for each in imported]
    if any(begun):
        return min(each for each in begun if each)
    written = (document.object for document in loaded.documents)
    recorded_ns = recorded_times.newest_ns([*written, *imported])
    return timestamps.format_time(recorded_ns) if recorded_ns else None


def _sorted(
    loaded: Loaded | None,
) -> tuple[list[Document], list[Document], list[Document]]:
    """What a cluster is made of, what is asked of it, and Scenarios, which come last."""
    if loaded is None:
        return [], [], []
    first, rest = staging.split(loaded)
    scenarios = [each for each in first if resource.is_scenario(each.object)]
    return [each for each in first if each not in scenarios], rest, scenarios


def _put(stage: Stage, loaded: Loaded | None, documents: Sequence[Document], made: Made) -> None:
    if loaded is None:
        return
    if made.is_new:
        staging.put(stage, loaded, documents, is_new=staging.is_new)
        return
    for document in documents:
        _apply(stage, loaded, document)


def _apply(stage: Stage, loaded: Loaded, document: Document) -> None:
    """Put an object on a stage that may have it already: then it becomes what the file says."""
    obj: dict[str, Any] = document.object
    if "uid" in (obj.get("metadata") or {}):
        fix = "begin anew with another --data-dir, or take its uid and status out"
        problem = "was recorded in another cluster, and here is one already"
        raise loaded.place(document, InputError(problem, path="metadata.uid", fix=fix))
    try:
        stage.apply([obj])
    except ApiError as error:
        raise loaded.place(document, staging.refusal(error)) from error
    except InputError as error:
        raise loaded.place(document, error) from None
