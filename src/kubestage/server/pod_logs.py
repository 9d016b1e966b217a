"""Logs of a pod: its simulated life, line by line.

Containers run no program here, so there is no output. The log is what happened to
the container: the Events about it, and the changes of its state.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.errors import BadRequest
from kubestage.objects import gvk, timestamps
from kubestage.objects.validation import field, status
from kubestage.server import container_history, options, program_logs
from kubestage.server.response import Response, StreamingResponse
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kubestage.server.container_history import HistoryLine
    from kubestage.server.context import RequestContext
    from kubestage.server.live import Live
    from kubestage.server.request import Request

_TEXT: Final = b"text/plain"
# Among those who watch, which a log that is followed counts as.
_FOLLOWER: Final = ("", "Pod/log", "")
# However much happens elsewhere, a log is looked at this often at most.
_PAUSE_S: Final = 0.2
# Programs print without any change of an object.
_LOOKS_S: Final = 0.5
_LISTS: Final = ("initContainers", "containers", "ephemeralContainers")
_STATUSES: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_WAITING: Final = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


class LogQuery(NamedTuple):
    """Which part of a log is requested, and in what form."""

    container: str = ""
    follows: bool = False
    previous: bool = False
    timestamps: bool = False
    tail: int | None = None
    most_bytes: int | None = None
    since_ns: int | None = None


def read(context: RequestContext) -> Response | StreamingResponse:
    """The log of a container, or a stream that goes on as its life does."""
    live, target = context.live, context.target
    query = _read_query(live, context.request, target.name)
    pod = live.store.get(gvk.POD, target.name, target.namespace)
    query = query._replace(container=container_name(pod, query.container))
    if not pod["spec"].get("nodeName"):
        return Response(200, b"", _TEXT)
    _check_started(pod, query)
    log = _Log(live, pod, query)
    if query.follows:
        return StreamingResponse(log.followed(), _TEXT)
    return Response(200, log.text(), _TEXT)


def _read_query(live: Live, request: Request, name: str) -> LogQuery:
    """The options of a request, checked."""
    tail, most = options.integer(request, "tailLines"), options.integer(request, "limitBytes")
    since_s, since = options.integer(request, "sinceSeconds"), request.parameter("sinceTime")
    problems = []
    if tail is not None and tail < 0:
        problems.append(field.invalid("tailLines", tail, "must be greater than or equal to 0"))
    if most is not None and most < 1:
        problems.append(field.invalid("limitBytes", most, "must be greater than 0"))
    if since_s is not None and since:
        problem = "at most one of `sinceTime` or `sinceSeconds` may be specified"
        problems.append(field.forbidden("", problem))
    elif since_s is not None and since_s < 1:
        problems.append(field.invalid("sinceSeconds", since_s, "must be greater than 0"))
    stream = request.parameter("stream")
    if stream:
        problems.append(field.forbidden("stream", "may not be specified"))
    if problems:
        raise status.invalid({"kind": "PodLogOptions", "metadata": {"name": name}}, problems)
    return LogQuery(
        request.parameter("container"),
        bool(options.boolean(request, "follow")),
        bool(options.boolean(request, "previous")),
        bool(options.boolean(request, "timestamps")),
        tail,
        most,
        _since_ns(live, since_s, since),
    )


def _since_ns(live: Live, seconds: int | None, moment: str) -> int | None:
    if seconds is not None:
        return live.stage.clock.unix_ns - seconds * SECOND_NS
    if not moment:
        return None
    try:
        return timestamps.parse_time(moment)
    except ValueError as error:
        raise BadRequest(str(error)) from None


def container_name(pod: dict[str, Any], name: str) -> str:
    """The requested container; only for a pod with one container need none be named."""
    spec, pod_name = pod["spec"], pod["metadata"]["name"]
    names = [each["name"] for part in _LISTS for each in spec.get(part) or ()]
    if not name and len(spec["containers"]) == 1:
        found: str = spec["containers"][0]["name"]
        return found
    if not name:
        problem = f"a container name must be specified for pod {pod_name}"
        raise BadRequest(f"{problem}, choose one of: [{' '.join(names)}]")
    if name not in names:
        raise BadRequest(f"container {name} is not valid for pod {pod_name}")
    return name


def _check_started(pod: dict[str, Any], query: LogQuery) -> None:
    """Refuse, in the kubelet's words, when the container has not run."""
    where = f'container "{query.container}" in pod "{pod["metadata"]["name"]}"'
    found = container_status(pod, query.container)
    if found is None:
        raise BadRequest(f"{where} is not available")
    state, last = found.get("state") or {}, found.get("lastState") or {}
    if query.previous:
        if not (last.get("terminated") or {}).get("containerID"):
            raise BadRequest(f"previous terminated {where} not found")
    elif not ("running" in state or "terminated" in state or "terminated" in last):
        if "waiting" not in state:
            raise BadRequest(f"{where} is waiting to start - no logs yet")
        reason = state["waiting"].get("reason") or ""
        raise BadRequest(f"{where} is waiting to start: {_WAITING.get(reason, reason)}")


def container_status(pod: dict[str, Any], name: str) -> dict[str, Any] | None:
    """The status of a container."""
    sent = pod.get("status") or {}
    for part in _STATUSES:
        for each in sent.get(part) or ():
            if each["name"] == name:
                found: dict[str, Any] = each
                return found
    return None


class _Log:
    """The log of one container, as it grows."""

    def __init__(self, live: Live, pod: dict[str, Any], query: LogQuery) -> None:
        self._live = live
        self._query = query
        self._uid = pod["metadata"]["uid"]
        self._key = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        self._pod: dict[str, Any] | None = pod
        self._left = query.most_bytes
        self._is_program = False

    def text(self) -> bytes:
        """What there is by now."""
        lines = self._lines()
        if self._query.tail is not None:
            lines = lines[len(lines) - min(self._query.tail, len(lines)) :]
        return self._cut(b"".join(map(self._shown, lines)))

    async def followed(self) -> AsyncIterator[bytes]:
        """What there is, and what comes, until the pod has ended or the limit is reached."""
        fanout = self._live.fanout
        fanout.enter(_FOLLOWER)
        try:
            sent = set(self._lines())
            yield self.text()
            while self._left != 0 and self._is_alive() and not fanout.is_closed:
                await self._changed()
                fresh = [line for line in self._lines() if line not in sent]
                sent.update(fresh)
                await self._live.settled()
                if fresh:
                    yield self._cut(b"".join(map(self._shown, fresh)))
        finally:
            fanout.leave(_FOLLOWER)

    async def _changed(self) -> None:
        """Wait until a pod or an Event changes."""
        store, fanout = self._live.store, self._live.fanout
        logs = [store.collection(each).log for each in (gvk.POD, gvk.EVENT)]
        futures = [fanout.wait(log) for log in logs]
        limit_s = _LOOKS_S if self._is_program else None
        try:
            await asyncio.wait(futures, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in futures:
                each.cancel()
        await asyncio.sleep(_PAUSE_S)
        found = store.read(gvk.POD).get(self._key)
        is_same = found is not None and found["metadata"]["uid"] == self._uid
        self._pod = found if is_same else None

    def _is_alive(self) -> bool:
        if self._pod is None:
            return False
        if self._is_program:
            found = container_status(self._pod, self._query.container) or {}
            return "terminated" not in (found.get("state") or {})
        return (self._pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")

    def _lines(self) -> list[HistoryLine]:
        if self._pod is None:
            return []
        query = self._query
        found = container_status(self._pod, query.container) or {}
        printed = program_logs.lines(self._live, self._uid, query.container, query.previous)
        self._is_program = printed is not None
        if printed is not None:
            since_ns = query.since_ns or 0
            return [line for line in printed if line.unix_ns >= since_ns]
        lines = container_history.lines_of_container(
            self._live.store, self._pod, query.container, found
        )
        if query.previous:
            ended = found["lastState"]["terminated"]["finishedAt"]
            end_ns = timestamps.parse_time(ended)
            lines = [line for line in lines if line.unix_ns <= end_ns]
        if query.since_ns is not None:
            lines = [line for line in lines if line.unix_ns >= query.since_ns]
        return lines

    def _shown(self, line: HistoryLine) -> bytes:
        text = f"{line.text}{line.end}"
        if self._query.timestamps:
            stamp = timestamps.format_time(line.unix_ns)
            if self._is_program:
                stamp = f"{stamp[:-1]}.{line.unix_ns % SECOND_NS:09}Z"
            text = f"{stamp} {text}"
        return text.encode("utf-8", "surrogateescape")

    def _cut(self, text: bytes) -> bytes:
        if self._left is None:
            return text
        shown = text[: self._left]
        self._left -= len(shown)
        return shown
