"""Forks: clusters that begin with the objects of a moment of another one, and go their own way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.errors import BadRequest
from kubestage.runs import living, run_settings
from kubestage.scheduler import config
from kubestage.server import moments
from kubestage.server.clusters import FORK, ClusterEntry, ForkOrigin
from kubestage.server.kubestage_api import recorders
from kubestage.server.kubestage_api.history import timeline_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.controllers.settings import Settings as ControllerSettings
    from kubestage.results.history.cluster_history import Moment
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.server.clusters import Clusters
    from kubestage.server.service import ClusterService
    from kubestage.stage import Stage


class ForkRequest(NamedTuple):
    """What a fork is to be like; what is None is as in the cluster that is forked."""

    at: str | None = None
    """The moment; None is now."""
    name: str | None = None
    title: str | None = None
    configuration: SchedulerConfiguration | None = None
    seed: int | None = None
    settings: Mapping[str, str] | None = None
    """Settings of controllers and autoscalers, by name."""


async def fork(clusters: Clusters, source: ClusterService, request: ForkRequest) -> ClusterService:
    """Fork a cluster: the new one is paused at that moment, and its original goes on.

    Scheduler and controllers begin as after a restart of the control plane: they take over the
    objects, and have forgotten what they were about to do (backoffs, timers, metrics).
    """
    clusters.check_room()
    name = request.name or clusters.new_name()
    clusters.check_name(name)
    timeline = timeline_of(source.live)
    unix_ns = source.now_ns if request.at is None else timeline.moment(request.at)
    values = dict(source.options.component_settings)
    controllers = _controllers(source, values, request.settings)
    moment = timeline.history.moment_at(unix_ns)
    with clusters.reserved(name):
        stage = await moments.run(_stage, source, request, moment, controllers)
    origin = ForkOrigin("" if source is clusters.first else source.entry.name, unix_ns)
    return clusters.add(
        ClusterEntry(
            stage=stage,
            name=name,
            title=request.title or "",
            kind=FORK,
            origin=origin,
            plugins=source.options.plugins,
            settings=values,
            attempts=recorders.attempts(source.live).until(unix_ns),
        )
    )


def _controllers(
    source: ClusterService, values: dict[str, str], chosen: Mapping[str, str] | None
) -> ControllerSettings | None:
    """The settings of the fork's controllers, None if it has none; `values` takes in the chosen."""
    stage, has_some = source.live.stage, source.entry.forks_have_controllers
    if has_some is None:
        has_some = stage.controllers is not None
    if not chosen:
        if not has_some:
            return None
        return stage.controller_settings
    if not has_some:
        raise BadRequest("settings: no controllers are at work in this cluster")
    values |= run_settings.setting_values([f"{name}={value}" for name, value in chosen.items()])
    return living.controller_settings(values)


def _stage(
    source: ClusterService,
    request: ForkRequest,
    moment: Moment,
    controllers: ControllerSettings | None,
) -> Stage:
    """The stage of a fork; what is stored never changes, so this is done in a thread."""
    before = source.live.stage
    stage = moments.stage_of(before, moment, seed=request.seed)
    if before.scheduler is not None or request.configuration is not None or before.scenarios:
        plugins, known = dict(source.options.plugins), config.default()
        if before.scheduler is not None:
            plugins = {**before.scheduler.user_plugins, **plugins}
            known = before.scheduler.configuration
        configuration = request.configuration or known
        moments.add_scheduler(stage, configuration, plugins, before.scheduler)
    if controllers is not None:
        stage.add_controllers(controllers, holds_pods=before.holds_pods)
    return stage
