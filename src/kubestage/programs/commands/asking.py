"""Requests of commands to servers in other pods."""

from __future__ import annotations

import http as http_library
from typing import TYPE_CHECKING, Final

from kubestage.errors import Unmodelled
from kubestage.programs import http

if TYPE_CHECKING:
    from kubestage.programs.calls import Call
    from kubestage.programs.http import HttpAnswer, HttpRequest

_REASONS: Final = {each.value: each.phrase for each in http_library.HTTPStatus}


def answer(call: Call, host: str, port: int, request: HttpRequest) -> HttpAnswer:
    """What a modelled server answers."""
    found = call.context.ask(host, port, request)
    is_raw = request.method in (http.RAW, http.DATAGRAM)
    if found is None or not (found.code or is_raw):
        raise Unmodelled(f"what {host}:{port} answers")
    return found


def client(call: Call) -> str:
    """The address from which a pod sends requests."""
    address = (call.context.pod.get("status") or {}).get("podIP") or "127.0.0.1"
    return f"{address}:40000"


def status_line(code: int) -> str:
    """The first line of an answer."""
    return f"HTTP/1.1 {code} {_REASONS.get(code, '')}".rstrip()
