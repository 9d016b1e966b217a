"""What is asked of pods and accounts beyond their objects: logs, tokens, and a way inside.

NOTE: who serves it is loaded when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.server.context import Context
    from kubestage.server.response import Joined, Response, Stream

    Serve = Callable[[Context], Response | Joined | Stream]


def read_log(context: Context) -> Response | Stream:
    """What happened to a container."""
    from kubestage.server import pod_logs  # noqa: PLC0415

    return pod_logs.read(context)


def create_token(context: Context) -> Response:
    """A token of a service account."""
    from kubestage.server import tokens  # noqa: PLC0415

    return tokens.create(context)


def refuse(context: Context) -> Response:
    """There is nothing inside: 400 for what is there, 404 for what is not."""
    target = context.target
    context.live.store.get(target.kind, target.name, target.namespace)
    raise no_inside(target.subresource)


def refuse_exec(context: Context) -> Response:
    """Exec is answered over WebSockets; what cannot be at all is told first."""
    from kubestage.server.containers import calls  # noqa: PLC0415

    calls.container_of(context)
    raise BadRequest(
        "exec is not possible this way: simulated containers answer over WebSockets only; use "
        "kubectl 1.31 or newer, or another client that speaks v4.channel.k8s.io"
    )


def no_inside(action: str) -> BadRequest:
    """Simulated containers have no processes to talk to."""
    return BadRequest(f"{action} is not possible: containers are simulated and run no processes")


_INTO: Final[dict[str, Serve]] = {"GET": refuse, "POST": refuse}
_EXEC: Final[dict[str, Serve]] = {"GET": refuse_exec, "POST": refuse_exec}
_THROUGH: Final[dict[str, Serve]] = {
    **_INTO, "PUT": refuse, "PATCH": refuse, "DELETE": refuse, "OPTIONS": refuse,
}  # fmt: skip
SERVED: Final[dict[str, dict[str, Serve]]] = {
    "log": {"GET": read_log},
    "token": {"POST": create_token},
    "attach": _INTO,
    "exec": _EXEC,
    "portforward": _INTO,
    "proxy": _THROUGH,
}
"""By subresource and method."""
