"""``/healthz``, ``/livez`` and ``/readyz``, in the words of the API server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.server import routing
from kubestage.server.response import TEXT, Response

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.server.live import Live
    from kubestage.server.request import Request

_NO_SNIFFING: Final = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-cache")]


def _is_there(_live: Live) -> str:
    """A server that answers is there."""
    return ""


def storage_problem(live: Live) -> str:
    """Whether what is written can be kept."""
    failure = getattr(live.durability, "failure", None)
    return str(failure) if failure else ""


def _has_clock(live: Live) -> str:
    """Whether time passes, if it is to: a plugin may have broken the stage."""
    return str(getattr(live.pace, "failure", ""))


# What can be wrong: each returns the problem, or nothing.
_CHECKS: Final[dict[str, Callable[[Live], str]]] = {
    "ping": _is_there,
    "log": _is_there,
    "etcd": storage_problem,
    "clock": _has_clock,
}


async def handle(live: Live, request: Request) -> Response:
    """All checks, or the one that the path names."""
    root, _, check_name = request.path[1:].rstrip("/").partition("/")
    if not check_name:
        return _all(live, request, root)
    check = _CHECKS.get(check_name)
    if check is None:
        raise routing.no_such_page()
    problem = check(live)
    if problem:
        return _text(f"internal server error: {problem}\n", 500)
    return _text("ok")


def _all(live: Live, request: Request, root: str) -> Response:
    excluded = request.query.get("exclude") or []
    unknown = sorted(set(excluded) - set(_CHECKS))
    lines = []
    failed = False
    for name, check in _CHECKS.items():
        if name in excluded:
            lines.append(f"[+]{name} excluded: ok\n")
        elif check(live):
            failed = True
            lines.append(f"[-]{name} failed: reason withheld\n")
        else:
            lines.append(f"[+]{name} ok\n")
    if unknown:
        shown = ",".join(f'"{name}"' for name in unknown)
        problem = "some health checks cannot be excluded: no matches for"
        lines.append(f"warn: {problem} {shown}\n")
    if failed:
        return _text(f"{''.join(lines)}{root} check failed\n", 500)
    if "verbose" not in request.query:
        return _text("ok")
    return _text(f"{''.join(lines)}{root} check passed\n")


def _text(text: str, status: int = 200) -> Response:
    return Response(status, text.encode(), TEXT, _NO_SNIFFING)
