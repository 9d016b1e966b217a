"""The guard: an ASGI application around another, which lets in only what it should."""

from __future__ import annotations

import asyncio
import hmac
import time
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import ApiError
from kubestage.scenario.resource import SCENARIO
from kubestage.server import page, response, routing
from kubestage.server.security import origins, refusals, traffic
from kubestage.server.security.hosts import HostCheck
from kubestage.server.security.origins import OriginCheck

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from kubestage.server.security.settings import RequestLimits, SecuritySettings
    from kubestage.server.security.traffic import Route, Traffic

    Message = MutableMapping[str, Any]
    Scope = Message
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

_OPEN: Final = ("/healthz", "/livez", "/readyz")
_OWN: Final = "/kubestage/"
_SCENARIOS: Final = f"/apis/{SCENARIO[0]}/scenarios"
_NO_BODY: Final = ("GET", "HEAD")
_MOST_DIGITS: Final = 18
_START: Final = "http.response.start"
_SWITCHED: Final = 101


class Guard:
    """Checks host and token, and keeps every request within its limits."""

    def __init__(self, application: Asgi, settings: SecuritySettings, counted: Traffic) -> None:
        self._application = application
        self._limits: RequestLimits = settings.limits
        self._hosts = HostCheck(frozenset() if settings.token else settings.hosts)
        self._origins = OriginCheck(self._hosts, settings.origins)
        self._token = settings.token.encode() if settings.token else None
        self._counted = counted
        self._watchers = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it here."""
        if scope["type"] == "websocket":
            await self._connect(scope, receive, send)
            return
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        began_s = time.perf_counter()
        path, query = scope["path"], scope["query_string"]
        is_long = traffic.is_long(path, query)
        method = "APPLY" if traffic.is_apply(scope["method"], scope["headers"]) else scope["method"]
        route = self._counted.route(method, path, is_long=is_long)
        exchange = Exchange(scope, receive, send, self._limit(path), is_long=is_long)
        named_page = self._named_page(scope)
        self._counted.in_flight += 1
        try:
            if named_page and scope["method"] == "OPTIONS":
                await exchange.answer(204, origins.preflight(named_page))
                return
            exchange.shared = origins.shared_with(named_page) if named_page else []
            self._check(scope, is_long=is_long)
            if is_long:
                await self._serve_long(scope, exchange, route)
            else:
                await self._serve(scope, exchange)
        except ApiError as error:
            self._counted.refused += 1
            await exchange.refuse(error)
        finally:
            self._counted.in_flight -= 1
            took_s = time.perf_counter() - began_s
            self._counted.ended(route, exchange.status, took_s, traffic.dry_run(query))

    async def _connect(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a WebSocket in, by the same rules, or refuse it before it is one."""
        began_s = time.perf_counter()
        route = self._counted.route("GET", scope["path"], is_long=True)
        code = _SWITCHED
        self._counted.in_flight += 1
        try:
            self._check({**scope, "method": "GET"}, is_long=True)
            self._watchers += 1
            try:
                async with asyncio.timeout(self._limits.request_s):
                    await self._application(scope, receive, send)
            except TimeoutError:
                # A client that does not read what is sent is disconnected.
                code = 0
            finally:
                self._watchers -= 1
        except ApiError as error:
            self._counted.refused += 1
            code = error.code
            for message in response.denial(error):
                await send(message)
        finally:
            self._counted.in_flight -= 1
            self._counted.ended(route, code, time.perf_counter() - began_s)

    def _limit(self, path: str) -> int:
        if path.startswith(_OWN):
            return self._limits.own_body_bytes
        if path.startswith(_SCENARIOS):
            return self._limits.scenario_body_bytes
        return self._limits.body_bytes

    def _check(self, scope: Scope, *, is_long: bool) -> None:
        """Raise an error if a request is not allowed."""
        if not scope["path"].startswith("/"):
            raise routing.no_such_page()
        host = origin = authorization = accept = b""
        length = 0
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
            elif name == b"authorization":
                authorization = value
            elif name == b"accept":
                accept = value
            elif name == b"origin":
                origin = value
            elif name == b"content-length":
                # A number of this many digits is too large, whatever it is.
                length = int(value[:_MOST_DIGITS]) if value.isdigit() else 0
        if not self._hosts.admits(host):
            raise refusals.foreign_host(host.decode("latin-1"))
        if origin and not self._admits_page(scope, origin, host):
            raise refusals.foreign_origin(origin.decode("latin-1"))
        if not self._is_known(scope, authorization, accept):
            raise refusals.unauthorized()
        limit = self._limit(scope["path"])
        if length > limit:
            raise refusals.too_large(limit)
        if is_long and self._watchers >= self._limits.watchers:
            raise refusals.too_many_watchers(self._limits.watchers)

    def _named_page(self, scope: Scope) -> bytes:
        """The origin of a request, if it is one of another server that the user has named."""
        origin = next((value for name, value in scope["headers"] if name == b"origin"), b"")
        return origin if origin and self._origins.is_named(origin) else b""

    def _admits_page(self, scope: Scope, origin: bytes, host: bytes) -> bool:
        """Whether a page may send this request; a WebSocket carries input."""
        if scope["type"] == "http" and scope["method"] in _NO_BODY:
            return self._origins.may_read(origin)
        return self._origins.may_write(origin, host)

    def _is_known(self, scope: Scope, authorization: bytes, accept: bytes) -> bool:
        if self._token is None or scope["path"].startswith(_OPEN):
            return True
        scheme, _, token = authorization.partition(b" ")
        if scheme.lower() == b"bearer" and hmac.compare_digest(token, self._token):
            return True
        # The page holds no secret, and asks for the token itself.
        return page.is_public(scope["method"], scope["path"], accept.decode("latin-1"))

    async def _serve(self, scope: Scope, exchange: Exchange) -> None:
        if not exchange.is_long or scope["method"] not in _NO_BODY:
            exchange.expect_within(self._limits.request_s)
        try:
            await self._application(scope, exchange.receive, exchange.send)
        except asyncio.CancelledError:
            if not exchange.forgive():
                raise
            await exchange.refuse(refusals.too_late())
        finally:
            exchange.stop_timer()

    async def _serve_long(self, scope: Scope, exchange: Exchange, route: Route) -> None:
        """A request that may last; only its body has to come in time."""
        self._watchers += 1
        self._counted.opened(route)
        try:
            await self._serve(scope, exchange)
        finally:
            self._watchers -= 1
            self._counted.closed(route)


class Exchange:
    """One request and its answer: how much has come, and whether the response has started."""

    __slots__ = (
        "_is_read", "_left", "_limit", "_receive", "_scope", "_send", "_task", "_timer", "is_long",
        "shared", "status",
    )  # fmt: skip

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, limit: int, *, is_long: bool
    ) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._limit = self._left = limit
        self._timer: asyncio.TimerHandle | None = None
        # The one that took too long.
        self._task: asyncio.Task[Any] | None = None
        self.is_long = is_long
        self.status = 0
        self._is_read = False
        # What lets a page of another server read the response.
        self.shared: list[tuple[bytes, bytes]] = []

    async def receive(self) -> Message:
        """The next part of the body; refused when it is too much."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            if self._left < 0:
                raise refusals.too_large(self._limit)
            self._is_read = not message.get("more_body")
            if self.is_long and self._is_read:
                self.stop_timer()
        return message

    async def send(self, message: Message) -> None:
        """A part of the answer."""
        if message["type"] == _START:
            self.status = message["status"]
            if self.shared:
                message = {**message, "headers": [*message["headers"], *self.shared]}
        await self._send(message)

    def expect_within(self, seconds: float) -> None:
        """Cancel the task at hand if it is not done in time."""
        task = asyncio.current_task()
        assert task is not None
        self._timer = asyncio.get_running_loop().call_later(seconds, self._expire, task)

    def stop_timer(self) -> None:
        """Nothing is overdue any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expire(self, task: asyncio.Task[Any]) -> None:
        self._task = task
        task.cancel()

    def forgive(self) -> bool:
        """Whether the task was cancelled for being late, and can still say so."""
        if self._task is None or self.status:
            return False
        self._task.uncancel()
        return True

    async def refuse(self, error: ApiError) -> None:
        """Answer with a Status, unless another answer is under way."""
        if self.status:
            return
        answer = response.error_response(error)
        headers = [*answer.headers, (b"content-length", str(len(answer.body)).encode())]
        if not self._is_read and _has_body(self._scope):
            # The rest of the request is not wanted: the connection ends here.
            headers.append((b"connection", b"close"))
        await self.answer(answer.status, headers, answer.body)

    async def answer(
        self, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b""
    ) -> None:
        """Send a whole response."""
        await self.send({"type": _START, "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


def _has_body(scope: Scope) -> bool:
    """Whether the head of a request says that a body follows."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )
