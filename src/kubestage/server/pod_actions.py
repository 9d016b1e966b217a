"""Subresources of pods and accounts that are no objects: logs, tokens, exec and the like.

NOTE: the modules behind them are loaded at their first request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.errors import BadRequest
from kubestage.server import connecting

with lazy.imports():
    from kubestage.server import pod_logs, tokens
    from kubestage.server.containers import calls, node_proxy, proxy

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.server.context import RequestContext
    from kubestage.server.response import Answer, Response, StreamingResponse

    Serve = Callable[[RequestContext], Answer]


def read_log(context: RequestContext) -> Response | StreamingResponse:
    """What happened to a container."""
    return pod_logs.read(context)


def create_token(context: RequestContext) -> Response:
    """A token of a service account."""
    return tokens.create(context)


def refuse(context: RequestContext) -> Response:
    """There is nothing inside: 400 for what is there, 404 for what is not."""
    target = context.target
    context.live.store.get(target.kind, target.name, target.namespace)
    connecting.check(context)
    raise no_inside(target.subresource)


def pass_on(context: RequestContext) -> Response:
    """A request to a pod, a Service or a node, for a modelled server or a kubelet."""
    connecting.check(context)
    if context.target.kind.kind == "Node":
        return node_proxy.answer(context)
    return proxy.answer(context)


def refuse_exec(context: RequestContext) -> Response:
    """Exec is served over WebSockets only; other problems are reported first."""
    calls.container_of(context)
    connecting.check(context)
    raise BadRequest(
        "exec is not possible this way: simulated containers answer over WebSockets only; use "
        "kubectl 1.31 or newer, or another client that speaks v4.channel.k8s.io"
    )


def no_inside(action: str) -> BadRequest:
    """Simulated containers have no processes to talk to."""
    return BadRequest(f"{action} is not possible: containers are simulated and run no processes")


_INTO: Final[dict[str, Serve]] = {"GET": refuse, "POST": refuse}
_EXEC: Final[dict[str, Serve]] = {"GET": refuse_exec, "POST": refuse_exec}
_THROUGH: Final[dict[str, Serve]] = dict.fromkeys(
    ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"), pass_on
)
SERVED: Final[dict[str, dict[str, Serve]]] = {
    "log": {"GET": read_log},
    "token": {"POST": create_token},
    "attach": _INTO,
    "exec": _EXEC,
    "portforward": _INTO,
    "proxy": _THROUGH,
}
"""By subresource and method."""
