"""The clusters of a server: list them, fork one, remove one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import NotFound
from kubestage.golang import times
from kubestage.objects import gvk
from kubestage.server import cluster_paths, forking
from kubestage.server.kubestage_api import configuration
from kubestage.server.kubestage_api import history_shapes as shapes
from kubestage.server.kubestage_api.call import HandlerResult

if TYPE_CHECKING:
    from kubestage.server.clusters import Clusters
    from kubestage.server.kubestage_api.call import ApiCall
    from kubestage.server.service import ClusterService

_ALONE: Final = "there is one cluster here, and no room for others"


async def index(call: ApiCall) -> shapes.Clusters:
    """All clusters."""
    return _rows(_clusters(call))


async def fork(call: ApiCall) -> HandlerResult:
    """A new one."""
    clusters, body = _clusters(call), call.body(shapes.NewFork)
    source = clusters.find(body.from_)
    checked = None
    if body.configuration is not None:
        text = body.configuration
        written = text.encode() if isinstance(text, str) else text
        checked = await configuration.check(source.live, written)
    values = {name: _text(value) for name, value in (body.settings or {}).items()}
    request = forking.ForkRequest(
        at=body.at,
        name=body.name,
        title=body.title,
        configuration=checked,
        seed=body.seed,
        settings=None if body.settings is None else values,
    )
    return HandlerResult(_row(await forking.fork(clusters, source, request)), 201)


async def remove(call: ApiCall) -> shapes.Clusters:
    """Remove one; answers with those that are left."""
    clusters = _clusters(call)
    await clusters.remove(call.path_params["cluster"])
    return _rows(clusters)


def _text(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _clusters(call: ApiCall) -> Clusters:
    if call.live.state.clusters is None:
        raise NotFound(_ALONE)
    return call.live.state.clusters


def _rows(clusters: Clusters) -> shapes.Clusters:
    return shapes.Clusters(clusters=[_row(each, clusters) for each in clusters])


def _row(service: ClusterService, clusters: Clusters | None = None) -> shapes.Cluster:
    entry, store = service.entry, service.live.store
    is_first = clusters is not None and service is clusters.first
    origin = None
    if entry.origin is not None:
        at = times.rfc3339_nano(entry.origin.unix_ns)
        origin = shapes.Origin(cluster=entry.origin.cluster, at=at)
    return shapes.Cluster(
        name="" if is_first else entry.name,
        path="" if is_first else cluster_paths.of(entry.name),
        title=entry.title or entry.name or entry.kind,
        kind=entry.kind,
        is_read_only=entry.is_read_only,
        origin=origin,
        now=times.rfc3339_nano(service.now_ns),
        nodes=len(store.read(gvk.NODE)),
        pods=len(store.read(gvk.POD)),
    )
