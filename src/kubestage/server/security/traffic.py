"""What is counted of requests; plain numbers, which `/metrics` puts into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import parse_qs

from kubestage.metrics import families

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.kinds import KindTable

# The bounds of apiserver_request_duration_seconds.
_BOUNDS: Final = (
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30,
    45, 60,
)  # fmt: skip
_NO_WATCH: Final = (b"watch=false", b"watch=0")
_NO_FOLLOW: Final = (b"follow=false", b"follow=0")
_MOST_REMEMBERED: Final = 4096
_CODES: Final = {code: str(code) for code in range(600)}
_APPLY: Final = b"application/apply-patch+yaml"
_CONNECTED: Final = frozenset({"attach", "exec", "log", "portforward", "proxy"})
_METHODS: Final = frozenset({"APPLY", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Route(NamedTuple):
    """What a request was about, in the labels of the API server's metrics."""

    verb: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    scope: str = ""
    component: str = "apiserver"


class Traffic:
    """All requests so far."""

    def __init__(self, kinds: KindTable) -> None:
        self._kinds = kinds
        self._collections: dict[tuple[str, str, bool], Route] = {}
        self.in_flight = 0
        self.refused = 0
        self.requests = families.Counter(
            "apiserver_request_total",
            "STABLE",
            "Counter of apiserver requests broken out for each verb, dry run value, group, "
            "version, resource, scope, component, and HTTP response code.",
            (*Route._fields, "dry_run", "code"),
        )
        self.durations = families.Histogram(
            "apiserver_request_duration_seconds",
            "STABLE",
            "Response latency distribution in seconds for each verb, dry run value, group, "
            "version, resource, subresource, scope and component.",
            _BOUNDS,
            (*Route._fields, "dry_run"),
        )
        self.long_running = families.Gauge(
            "apiserver_longrunning_requests",
            "STABLE",
            "Gauge of all active long-running apiserver requests broken out by verb, group, "
            "version, resource, scope and component. Not all requests are tracked this way.",
            Route._fields,
        )

    def route(self, method: str, path: str, *, is_long: bool) -> Route:
        """The resource of a request; all paths that no kind serves count as one."""
        key = (method, path, is_long)
        found = self._collections.get(key)
        if found is not None:
            return found
        route, is_collection = _route(method, path, is_long=is_long)
        if not route.resource:
            return route
        row = self._kinds.by_plural(route.group, route.version, route.resource)
        if row is None or (route.subresource and route.subresource not in row.subresources):
            return Route(route.verb)
        if is_collection:
            self._remember(key, route)
        return route

    def _remember(self, key: tuple[str, str, bool], route: Route) -> None:
        """Lists and creations come again and again by the same path."""
        if len(self._collections) >= _MOST_REMEMBERED:
            self._collections.clear()
        self._collections[key] = route

    def ended(self, route: Route, code: int, seconds: float, dry_run: str = "") -> None:
        """An answer has been sent; no code if the client left before."""
        self.requests.increase(*route, dry_run, _CODES[code])
        if route.verb != "WATCH":
            self.durations.distribution(*route, dry_run).observe(seconds)

    def opened(self, route: Route) -> None:
        """A request begins that may go on for long."""
        self.long_running.increase(*route)

    def closed(self, route: Route) -> None:
        """It has ended."""
        self.long_running.increase(*route, times=-1)


def is_long(path: str, query: bytes) -> bool:
    """Whether a request may go on for as long as the client likes: watches, logs that are
    followed, and the kubestage API, which lets time pass.
    """
    if b"watch" in query:
        return not any(each in query for each in _NO_WATCH)
    if b"follow" in query and path.endswith("/log"):
        return not any(each in query for each in _NO_FOLLOW)
    return path.startswith("/kubestage/") or "/watch/" in path


def dry_run(query: bytes) -> str:
    """What a request that changes nothing is counted as; nothing for all others."""
    if b"dryRun" not in query:
        return ""
    values = parse_qs(query.decode("latin-1"), keep_blank_values=True).get("dryRun", [])
    return ",".join(sorted(set(values))) if set(values) <= {"All"} else "invalid"


def is_apply(method: str, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request applies a configuration, which is counted apart from other patches."""
    return method == "PATCH" and any(
        name == b"content-type" and value == _APPLY for name, value in headers
    )


def _route(method: str, path: str, *, is_long: bool) -> tuple[Route, bool]:
    """What a path is about, and whether it names a collection, in upstream's scopes."""
    if method not in _METHODS or not path.startswith("/"):
        return Route("OTHER"), False
    parts = path.split("/")
    if parts[1] == "api" and len(parts) > 3:
        group, version, rest = "", parts[2], parts[3:]
    elif parts[1] == "apis" and len(parts) > 4:
        group, version, rest = parts[2], parts[3], parts[4:]
    else:
        return Route(method), False
    if rest[0] == "watch":
        rest = rest[1:]
    scope = "cluster"
    if len(rest) > 2 and rest[0] == "namespaces" and rest[2] not in ("status", "finalize"):
        scope, rest = "namespace", rest[2:]
    is_collection = len(rest) <= 1
    if not is_collection or method == "POST":
        scope = "resource"
    subresource = rest[2] if len(rest) > 2 else ""
    if subresource in _CONNECTED:
        method = "CONNECT"
    elif is_long:
        method = "WATCH"
    elif method in ("GET", "HEAD"):
        method = "LIST" if is_collection else "GET"
    resource = rest[0] if rest else ""
    return Route(method, group, version, resource, subresource, scope), is_collection
