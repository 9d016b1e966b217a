"""The guard: an ASGI application around another, which lets in only what it should."""

from __future__ import annotations

import asyncio
import hmac
import random
import time
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import ApiError
from kubestage.objects import names
from kubestage.scenario.resource import SCENARIO
from kubestage.server import cluster_paths, page, response, routing
from kubestage.server.security import deadlines, origins, refusals, traffic
from kubestage.server.security.exchange import Exchange
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
    KnowsToken = Callable[[str, str], bool]

_OPEN: Final = ("/healthz", "/livez", "/readyz")
_OWN: Final = "/kubestage/"
_SCENARIOS: Final = f"/apis/{SCENARIO[0]}/scenarios"
_NO_BODY: Final = ("GET", "HEAD")
_MOST_DIGITS: Final = 18
_SWITCHED: Final = 101
_AUDIT_ID: Final = b"audit-id"


class Guard:
    """Checks host and token, and keeps every request within its limits.

    `knows` says whether a token, other than that of the settings, is good for a path.
    """

    def __init__(
        self,
        application: Asgi,
        settings: SecuritySettings,
        counted: Traffic,
        knows: KnowsToken = lambda _path, _token: False,
    ) -> None:
        self._application = application
        self._limits: RequestLimits = settings.limits
        self._hosts = HostCheck(frozenset() if settings.token else settings.hosts)
        self._origins = OriginCheck(self._hosts, settings.origins)
        self._token = settings.token.encode() if settings.token else None
        self._counted = counted
        self._knows = knows
        self._random = random.Random()
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
        path, query = cluster_paths.inner(scope["path"]), scope["query_string"]
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
            exchange.shared = [self._audit_id(scope)]
            if named_page:
                exchange.shared += origins.shared_with(named_page)
            self._check(scope, is_long=is_long)
            if is_long:
                await self._serve_long(scope, exchange, route)
            else:
                most_s = deadlines.seconds(query, self._limits.request_s)
                await self._serve(scope, exchange, most_s)
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
        path = cluster_paths.inner(scope["path"])
        route = self._counted.route("GET", path, is_long=True)
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

    def _audit_id(self, scope: Scope) -> tuple[bytes, bytes]:
        """The header by which a response is found again in logs: the client's, or another."""
        sent = next((value for name, value in scope["headers"] if name == _AUDIT_ID), b"")
        return _AUDIT_ID, sent or names.uid(self._random).encode()

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
        limit = self._limit(cluster_paths.inner(scope["path"]))
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
        if scheme.lower() == b"bearer" and (
            hmac.compare_digest(token, self._token)
            or self._knows(scope["path"], token.decode("latin-1"))
        ):
            return True
        # The page holds no secret, and asks for the token itself.
        return page.is_public(scope["method"], scope["path"], accept.decode("latin-1"))

    async def _serve(self, scope: Scope, exchange: Exchange, most_s: float) -> None:
        if not exchange.is_long or scope["method"] not in _NO_BODY:
            exchange.expect_within(most_s)
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
            await self._serve(scope, exchange, self._limits.request_s)
        finally:
            self._watchers -= 1
            self._counted.closed(route)
