"""Finds the route of a request, calls its handler, and encodes what the handler returns."""

from __future__ import annotations

import asyncio
import difflib
import gzip
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import ApiError, BadRequest, InputError, MethodNotAllowed, NotFound
from kubestage.objects import yaml_text
from kubestage.server import background, json_text, negotiation
from kubestage.server.kubestage_api import call, routes
from kubestage.server.kubestage_api.call import ApiCall, HandlerResult
from kubestage.server.response import JSON, YAML, Response

if TYPE_CHECKING:
    from kubestage.server.kubestage_api.route import Route
    from kubestage.server.live import Live
    from kubestage.server.request import Request

# What is smaller takes one or two packets anyway.
_LARGE: Final = 16 * 1024
_FASTEST: Final = 1


async def handle(live: Live, request: Request) -> Response:
    """Serve a request for a path below ``/kubestage``."""
    accepted = negotiation.negotiate(request.header(b"accept"), converts=False)
    route, path_params = match(request.method, request.path)
    call.check_known(request.query, [each.name for each in route.parameters], "query parameter")
    check_moment(live, route)
    handler = route.handler()
    try:
        returned = await handler(ApiCall(live, request, path_params))
    except InputError as error:
        raise BadRequest(str(error)) from None
    result = returned if isinstance(returned, HandlerResult) else HandlerResult(returned)
    if accepted.media_type == negotiation.YAML:
        # A whole cluster may be in there, and takes a while.
        body = (await asyncio.to_thread(_yaml, result.value)).encode()
    else:
        body = await background.run(json_text.encode, result.value)
    headers: list[tuple[bytes, bytes]] = []
    if len(body) > _LARGE and "gzip" in request.header(b"accept-encoding"):
        body = await background.run(gzip.compress, body, _FASTEST)
        headers = [(b"content-encoding", b"gzip"), (b"vary", b"Accept-Encoding")]
    return Response(
        result.status, body, YAML if accepted.media_type == negotiation.YAML else JSON, headers
    )


def _yaml(value: Any) -> str:
    """A value as YAML; parts of it may be JSON already."""
    return yaml_text.dump(msgspec.json.decode(json_text.encode(value)))


def check_moment(live: Live, route: Route) -> None:
    """Refuse what no past moment has."""
    if live.is_past and not route.is_of_past:
        served = ", ".join(dict.fromkeys(each.path for each in routes.ROUTES if each.is_of_past))
        raise NotFound(f"{route.path} is not served of a past moment: only {served}")


def match(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """The route of a method and path, and the values of the path's parameters."""
    parts = path.rstrip("/").split("/")
    served_as = "GET" if method == "HEAD" else method
    methods = []
    for route in routes.ROUTES:
        path_params = _path_params(route.path.split("/"), parts)
        if path_params is None:
            continue
        if route.method == served_as:
            return route, path_params
        methods.append(route.method)
    if methods:
        raise MethodNotAllowed(f"{method} is not served at {path}: use {' or '.join(methods)}")
    raise _unknown(path)


def _path_params(pattern: list[str], parts: list[str]) -> dict[str, str] | None:
    """The values of a pattern's parameters in a path; None if the path does not match it."""
    if len(pattern) != len(parts):
        return None
    params = {}
    for name, value in zip(pattern, parts, strict=True):
        if name[:1] == "{":
            if not value:
                return None
            params[name[1:-1]] = value
        elif name != value:
            return None
    return params


def _unknown(path: str) -> ApiError:
    known = list(dict.fromkeys(route.path for route in routes.ROUTES))
    near = difflib.get_close_matches(path, known, n=1, cutoff=0.8)
    hint = f"did you mean {near[0]}?" if near else f"GET {routes.ROOT} lists what is"
    return NotFound(f"nothing is served at {path}: {hint}")
