"""Requests through the API to the kubelet of a node: its metrics, its pods, its health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.cluster import node_stats, node_summary
from kubestage.errors import MethodNotAllowed
from kubestage.metrics.families import exposition
from kubestage.objects import gvk
from kubestage.server.containers import proxy
from kubestage.server.response import Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.controllers.kubelet.node import Node
    from kubestage.metrics.families import Family
    from kubestage.server.context import RequestContext
    from kubestage.server.live import Live
    from kubestage.sim.clock import Clock
    from kubestage.store.store import Store

_JSON: Final = b"application/json"
_TEXT: Final = b"text/plain; charset=utf-8"
_METRICS: Final = b"text/plain; version=0.0.4; charset=utf-8"


def answer(context: RequestContext) -> Response:
    """A page of the kubelet that a path names; a node whose kubelet is silent gives no answer."""
    _, name, _ = proxy.split(context.target.name)
    live = context.live
    live.store.get(gvk.NODE, name)
    kubelet = proxy.need_kubelet(context)
    redirect = proxy.redirect(context)
    if redirect is not None:
        return redirect
    node = kubelet.nodes.get(name)
    if node is None or not node.speaks:
        raise proxy.refused()
    path = proxy.parts(context)[1].strip("/")
    if context.request.method not in ("GET", "HEAD"):
        raise MethodNotAllowed("the kubelet of a simulated node can only be read", {})
    return page(live, node, path)


def page(live: Live, node: Node, path: str) -> Response:
    """A page of a kubelet."""
    clock = live.stage.clock
    if path in _FAMILIES:
        return Response(200, exposition(_FAMILIES[path](node, clock)).encode(), _METRICS)
    found = _PAGES.get(path)
    if found is None:
        return Response(404, b"404 page not found\n", _TEXT)
    return found(node, clock, live.store)


def _own(node: Node, _clock: Clock) -> list[Family]:
    return node_stats.kubelet_families([node])


def _resources(node: Node, clock: Clock) -> list[Family]:
    return node_stats.resource_families(node, clock)


def _cadvisor(node: Node, clock: Clock) -> list[Family]:
    pods = node_stats.pods_of([node], clock.now_ns)
    return node_stats.cadvisor_families(pods, {}, clock.epoch_ns)


def _health(_node: Node, _clock: Clock, _store: Store) -> Response:
    return Response(200, b"ok", _TEXT)


def _pods(node: Node, _clock: Clock, store: Store) -> Response:
    found = store.list(gvk.POD, field_selector=f"spec.nodeName={node.name}").items
    body = {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": found}
    return Response(200, msgspec.json.encode(body), _JSON)


def _summary(node: Node, clock: Clock, _store: Store) -> Response:
    return Response(200, node_summary.summary(node, node.name, clock, []), _JSON)


_FAMILIES: Final[dict[str, Callable[[Node, Clock], list[Family]]]] = {
    "metrics": _own,
    "metrics/cadvisor": _cadvisor,
    "metrics/resource": _resources,
    "metrics/probes": lambda _node, _clock: [],
}
_PAGES: Final[dict[str, Callable[[Node, Clock, Store], Response]]] = {
    "healthz": _health,
    "pods": _pods,
    "stats/summary": _summary,
}
