"""``/metrics``: the numbers of the server, of the stage and of its scheduler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import ApiError
from kubestage.metrics.families import Counter, Family, Gauge, exposition
from kubestage.server import authorizing, health, routing
from kubestage.server import request as requests
from kubestage.server.pacing import Mode, Pacer
from kubestage.server.response import Response, error_response
from kubestage.store.admission.pod_security import PodSecurityEvaluation
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Iterator

    from kubestage.server.live import Live
    from kubestage.server.request import Request
    from kubestage.server.security.guard import Asgi, Receive, Scope, Send
    from kubestage.server.security.traffic import Traffic

PATH: Final = "/metrics"
_SLIS: Final = "/metrics/slis"
_CONTENT_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"
_STABLE, _ALPHA = "STABLE", "ALPHA"


class Exposition:
    """An ASGI application that answers `/metrics` and leaves all else to another.

    What is counted elsewhere is formatted at each request.
    """

    def __init__(self, application: Asgi, live: Live, traffic: Traffic) -> None:
        self._application = application
        self._live = live
        self._traffic = traffic

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer, or let the other one do it."""
        if scope.get("path") == PATH and scope.get("method") in ("GET", "HEAD"):
            return self._answer(scope, send)
        return self._application(scope, receive, send)

    async def _answer(self, scope: Scope, send: Send) -> None:
        found = self._found(requests.parse(dict(scope)))
        headers = [*found.headers, (b"content-length", str(len(found.body)).encode())]
        await send({"type": "http.response.start", "status": found.status, "headers": headers})
        body = b"" if scope["method"] == "HEAD" else found.body
        await send({"type": "http.response.body", "body": body})

    def _found(self, request: Request) -> Response:
        try:
            authorizing.check(self._live, request)
        except ApiError as error:
            return error_response(error)
        text = _text(self._live, _requests(self._traffic))
        return Response(200, text.encode(), _CONTENT_TYPE)


async def handle(live: Live, request: Request) -> Response:
    """The health checks as metrics, and those of an application without a guard."""
    if request.path == _SLIS:
        return Response(200, exposition([_health(live)]).encode(), _CONTENT_TYPE)
    if request.path != PATH:
        raise routing.no_such_page()
    return Response(200, _text(live, ()).encode(), _CONTENT_TYPE)


def _text(live: Live, more: Iterable[Family]) -> str:
    """All metrics, as a Prometheus server reads them."""
    families = [*more, *_store(live), _pod_security(live), *_stage(live)]
    if live.classifier is not None:
        families += live.classifier.families()
    if live.stage.scheduler is not None:
        families += live.stage.scheduler.metrics.families()
    return exposition(families)


def _requests(traffic: Traffic) -> Iterator[Family]:
    yield traffic.requests
    yield traffic.durations
    yield traffic.long_running
    yield SingleValue(
        "kubestage_requests_in_flight", "Requests that are being served.", traffic.in_flight
    )
    yield SingleValue(
        "kubestage_requests_refused",
        "Requests that were refused by the guard, before they were routed.",
        traffic.refused,
    )


def _health(live: Live) -> Family:
    checks = Gauge(
        "kubernetes_healthcheck",
        _STABLE,
        "This metric records the result of a single healthcheck.",
        ("name", "type"),
    )
    checks.put({labels: int(is_well) for labels, is_well in health.outcomes(live).items()})
    return checks


def _store(live: Live) -> Iterator[Family]:
    objects = Gauge(
        "apiserver_storage_objects",
        _STABLE,
        "Number of stored objects at the time of last check split by kind.",
        ("resource",),
    )
    resources = Gauge(
        "apiserver_resource_objects",
        _ALPHA,
        "Number of stored objects at the time of last check split by kind.",
        ("group", "resource"),
    )
    for each in live.store.collections():
        count = len(each.objects)
        objects.increase(each.kind.resource, times=count)
        resources.increase(each.kind.group, each.kind.plural, times=count)
    yield objects
    yield resources
    revision = live.store.revision
    yield SingleValue("kubestage_revision", "The version of the newest change.", revision)
    yield SingleValue(
        "kubestage_journal_lag",
        "How many changes are not safe on disk yet.",
        max(revision - live.durability.revision, 0),
    )
    yield SingleValue(
        "kubestage_hidden_changes",
        "How many changes watchers have not received yet.",
        max(revision - live.fanout.visible, 0),
    )
    yield SingleValue("kubestage_watchers", "Watches that are open.", live.fanout.watchers)


def _pod_security(live: Live) -> Family:
    evaluations = Counter(
        "pod_security_evaluations_total",
        _ALPHA,
        "Number of policy evaluations that occurred, not counting ignored or exempt requests.",
        PodSecurityEvaluation._fields,
    )
    for evaluation, count in sorted(live.store.pod_security.counts.items()):
        evaluations.increase(*evaluation, times=count)
    return evaluations


def _stage(live: Live) -> Iterator[Family]:
    clock, pace = live.stage.clock, live.pace
    yield SingleValue(
        "kubestage_virtual_seconds", "Virtual time since the start.", clock.elapsed_ns / SECOND_NS
    )
    yield SingleValue(
        "kubestage_virtual_timestamp_seconds",
        "Virtual time of the calendar, in seconds since 1970.",
        clock.unix_ns / SECOND_NS,
    )
    if isinstance(pace, Pacer):
        modes = Gauge("kubestage_clock_mode", _ALPHA, "How virtual time passes.", ("mode",))
        modes.put({(mode.value,): int(mode is pace.mode) for mode in Mode})
        yield modes
        yield SingleValue("kubestage_clock_speed", "Virtual seconds in a second.", pace.speed)


class SingleValue(Family):
    """One number as it is now."""

    kind = "gauge"

    def __init__(self, name: str, text: str, value: float) -> None:
        super().__init__(name, _ALPHA, text)
        self.value = value

    def samples(self) -> Iterator[tuple[str, list[tuple[str, str]], float]]:
        """The one line."""
        yield "", [], self.value
