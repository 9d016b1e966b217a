"""metrics.k8s.io: what pods and nodes use, as far as the stage's metrics know it by now."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import NotFound
from kubestage.golang import durations
from kubestage.objects import gvk, quantity, timestamps
from kubestage.server import dispatch, negotiation, routing
from kubestage.server.pacing import Mode, Pacer
from kubestage.server.response import YAML, Response, json_response

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.metrics.samples import PodSample
    from kubestage.metrics.scraper import Metrics
    from kubestage.server.live import Live
    from kubestage.server.request import Request

_API_VERSION: Final = "metrics.k8s.io/v1beta1"
_NANO: Final = -9
# How often, and after which real time, to look whether a clock that jumps has come to rest.
_SAMPLES: Final = 40
_SAMPLE_S: Final = 0.05
_COLUMNS: Final = (
    {"name": "Name", "type": "string", "format": "name", "description": "Name of the resource"},
    {"name": "cpu", "type": "string", "format": "quantity"},
    {"name": "memory", "type": "string", "format": "quantity"},
    {"name": "Window", "type": "string", "format": "duration"},
)


async def handle(live: Live, request: Request) -> Response:
    """The usage of pods or nodes, of one or of all that fit the selectors."""
    resource, namespace, name = _addressed(request.path)
    if request.method not in ("GET", "HEAD"):
        raise dispatch.not_allowed()
    accept = request.header(b"accept")
    form = negotiation.negotiate(accept, is_list=not name)
    await _sample(live)
    items = _Reading(live).of(request, resource, namespace, name)
    if form.kind == "Table":
        return json_response(_table(items, form.version))
    answer = items[0] if name else _list(resource, items)
    if form.media_type == negotiation.YAML:
        return Response(200, msgspec.yaml.encode(answer, order="sorted"), YAML)
    return json_response(answer)


async def _sample(live: Live) -> None:
    """Sample usage from now on.

    A clock that jumps stands still when all is quiet. It goes on a little for pods of which nothing
    is known, so that what they use can become known at all.
    """
    metrics, pace = live.stage.metrics, live.pace
    if metrics is None:
        return
    metrics.require()
    if not isinstance(pace, Pacer) or pace.mode is not Mode.JUMP:
        return
    for _ in range(_SAMPLES):
        if pace.is_quiet or not _has_unknown(live, metrics):
            break
        # Something is under way that is over in a moment.
        await asyncio.sleep(_SAMPLE_S)
    if pace.is_quiet and pace.state()["scenario"] is None and _has_unknown(live, metrics):
        settings = metrics.settings
        await pace.advance(settings.fresh_ns + settings.resolution_ns + settings.delay_ns)


def _has_unknown(live: Live, metrics: Metrics) -> bool:
    return any(
        (pod.get("status") or {}).get("phase") == "Running"
        and pod["metadata"]["name"] not in metrics.board.pods(pod["metadata"]["namespace"])
        for pod in live.store.read(gvk.POD).values()
    )


def _addressed(path: str) -> tuple[str, str | None, str]:
    """Resource, namespace and name that a path names."""
    _, _, _, version, *rest = path.rstrip("/").split("/")
    namespace = None
    if len(rest) > 2 and rest[0] == "namespaces":
        namespace, rest = rest[1], rest[2:]
    resource = rest[0] if rest else ""
    name = rest[1] if len(rest) > 1 else ""
    is_pod, is_node = resource == "pods", resource == "nodes" and namespace is None
    is_lost = is_pod and bool(name) and namespace is None
    if version != "v1beta1" or len(rest) > 2 or is_lost or not (is_pod or is_node):
        raise routing.no_such_path()
    return resource, namespace, name


class _Reading:
    """What is known at one moment."""

    def __init__(self, live: Live) -> None:
        self._store = live.store
        self._now = live.stage.now
        self._unix_ns = live.stage.clock.unix_ns
        metrics = live.stage.metrics
        self._board = None if metrics is None or not metrics.is_on else metrics.board
        self._resolution_ns = 0 if metrics is None else metrics.settings.resolution_ns

    def of(self, request: Request, resource: str, namespace: str | None, name: str) -> list[Json]:
        """PodMetrics or NodeMetrics; the one of a name must be there."""
        kind = gvk.POD if resource == "pods" else gvk.NODE
        if name:
            objects = [self._store.get(kind, name, namespace)]
        else:
            objects = self._store.list(
                kind,
                namespace,
                label_selector=request.parameter("labelSelector"),
                field_selector=request.parameter("fieldSelector"),
            ).items
        items = self._pods(objects) if kind is gvk.POD else self._nodes(objects)
        if name and not items:
            subject = f"{namespace}/{name}" if namespace else name
            plural = "podmetrics" if kind is gvk.POD else "nodemetrics"
            details = {"name": subject, "group": "metrics.k8s.io", "kind": plural}
            raise NotFound(f'{plural}.metrics.k8s.io "{subject}" not found', details)
        return items

    def _sample(self, pod: Json) -> PodSample | None:
        if self._board is None:
            return None
        metadata = pod["metadata"]
        return self._board.pods(metadata["namespace"]).get(metadata["name"])

    def _pods(self, pods: list[Json]) -> list[Json]:
        items = []
        for pod in pods:
            sample = self._sample(pod)
            if sample is None:
                continue
            containers = [
                {"name": name, "usage": _usage(each.cpu_nanos, each.memory_bytes)}
                for name, each in sample.containers.items()
            ]
            item = self._item("PodMetrics", pod, sample.unix_ns, sample.window_ns)
            items.append({**item, "containers": containers})
        return items

    def _nodes(self, nodes: list[Json]) -> list[Json]:
        """What the pods of each node use together.

        A node on which pods run is known when any of them is; any other uses nothing.
        """
        if self._board is None:
            return []
        totals = {node["metadata"]["name"]: _Total() for node in nodes}
        busy = set()
        for pod in self._store.read(gvk.POD).values():
            name = pod["spec"].get("nodeName") or ""
            total = totals.get(name)
            if total is None or (pod.get("status") or {}).get("phase") != "Running":
                continue
            busy.add(name)
            sample = self._sample(pod)
            if sample is not None:
                total.add(sample)
        items = []
        for node in nodes:
            name = node["metadata"]["name"]
            total = totals[name]
            if name not in busy:
                total.unix_ns, total.window_ns = self._unix_ns, self._resolution_ns
            if total.window_ns:
                item = self._item("NodeMetrics", node, total.unix_ns, total.window_ns)
                items.append({**item, "usage": _usage(total.cpu_nanos, total.memory_bytes)})
        return items

    def _item(self, kind: str, obj: Json, unix_ns: int, window_ns: int) -> Json:
        named = obj["metadata"]
        metadata = {"name": named["name"]}
        if "namespace" in named:
            metadata["namespace"] = named["namespace"]
        metadata["creationTimestamp"] = self._now
        if named.get("labels"):
            metadata["labels"] = named["labels"]
        return {
            "kind": kind,
            "apiVersion": _API_VERSION,
            "metadata": metadata,
            "timestamp": timestamps.format_time(unix_ns),
            "window": durations.go_string(window_ns),
        }


class _Total:
    """What several pods use together."""

    __slots__ = ("cpu_nanos", "memory_bytes", "unix_ns", "window_ns")

    def __init__(self) -> None:
        self.cpu_nanos = self.memory_bytes = self.unix_ns = self.window_ns = 0

    def add(self, sample: PodSample) -> None:
        """Count a pod in."""
        self.unix_ns = max(self.unix_ns, sample.unix_ns)
        self.window_ns = max(self.window_ns, sample.window_ns)
        for each in sample.containers.values():
            self.cpu_nanos += each.cpu_nanos
            self.memory_bytes += each.memory_bytes


def _usage(cpu_nanos: int, memory_bytes: int) -> dict[str, str]:
    cpu = quantity.Quantity(cpu_nanos, _NANO)
    memory = quantity.from_int(memory_bytes, quantity.BINARY_SI)
    return {"cpu": cpu.canonical, "memory": memory.canonical}


def _list(resource: str, items: list[Json]) -> Json:
    kind = "PodMetricsList" if resource == "pods" else "NodeMetricsList"
    bare = [
        {name: part for name, part in item.items() if name not in ("kind", "apiVersion")}
        for item in items
    ]
    return {"kind": kind, "apiVersion": _API_VERSION, "metadata": {}, "items": bare}


def _table(items: list[Json], version: str) -> Json:
    rows = []
    for item in items:
        used = [item["usage"]] if "usage" in item else [c["usage"] for c in item["containers"]]
        cpu = sum((quantity.parse(each["cpu"]) for each in used), quantity.Quantity(0, _NANO))
        memory = sum(quantity.value_of(each["memory"]) for each in used)
        shown = _usage(cpu.scaled_value(_NANO), memory)
        cells = [item["metadata"]["name"], shown["cpu"], shown["memory"], item["window"]]
        rows.append({"cells": cells, "object": item})
    return {
        "kind": "Table",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": {},
        "columnDefinitions": [{"description": "", "priority": 0, **each} for each in _COLUMNS],
        "rows": rows,
    }
