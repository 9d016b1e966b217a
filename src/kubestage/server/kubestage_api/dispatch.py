"""Finds the endpoint that a request means, has it serve, and writes down what it says."""

from __future__ import annotations

import asyncio
import difflib
import importlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import ApiError, BadRequest, InputError, MethodNotAllowed, NotFound
from kubestage.objects import yaml_text
from kubestage.server import negotiation
from kubestage.server.kubestage_api import call, endpoints
from kubestage.server.kubestage_api.call import Answer, Call
from kubestage.server.response import JSON, YAML, Response

if TYPE_CHECKING:
    from kubestage.server.kubestage_api.endpoints import Endpoint
    from kubestage.server.live import Live
    from kubestage.server.request import Request

_AT: Final = "kubestage.server.kubestage_api."


async def respond(live: Live, request: Request) -> Response:
    """Serve a request."""
    form = negotiation.negotiate(request.header(b"accept"), converts=False)
    endpoint, parts = find(request.method, request.path)
    call.check_known(request.query, [each.name for each in endpoint.parameters], "query parameter")
    module, _, name = endpoint.handler.partition(":")
    handler: Any = getattr(importlib.import_module(_AT + module), name)
    try:
        said = await handler(Call(live, request, parts))
    except InputError as error:
        raise BadRequest(str(error)) from None
    answer = said if isinstance(said, Answer) else Answer(said)
    if form.media_type == negotiation.YAML:
        # A whole cluster may be in there, and takes a while.
        told = await asyncio.to_thread(yaml_text.dump, msgspec.to_builtins(answer.value))
        return Response(answer.status, told.encode(), YAML)
    return Response(answer.status, msgspec.json.encode(answer.value), JSON)


def find(method: str, path: str) -> tuple[Endpoint, dict[str, str]]:
    """The endpoint of a path, and the parts of the path that it has names for."""
    given = path.rstrip("/").split("/")
    wanted = "GET" if method == "HEAD" else method
    methods = []
    for endpoint in endpoints.ALL:
        parts = _matched(endpoint.path.split("/"), given)
        if parts is None:
            continue
        if endpoint.method == wanted:
            return endpoint, parts
        methods.append(endpoint.method)
    if methods:
        raise MethodNotAllowed(f"{method} is not served at {path}: use {' or '.join(methods)}")
    raise _unknown(path)


def _matched(pattern: list[str], given: list[str]) -> dict[str, str] | None:
    if len(pattern) != len(given):
        return None
    parts = {}
    for name, value in zip(pattern, given, strict=True):
        if name[:1] == "{":
            if not value:
                return None
            parts[name[1:-1]] = value
        elif name != value:
            return None
    return parts


def _unknown(path: str) -> ApiError:
    known = list(dict.fromkeys(endpoint.path for endpoint in endpoints.ALL))
    near = difflib.get_close_matches(path, known, n=1, cutoff=0.8)
    hint = f"did you mean {near[0]}?" if near else f"GET {endpoints.ROOT} lists what is"
    return NotFound(f"nothing is served at {path}: {hint}")
