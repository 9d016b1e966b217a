"""The channels of `kubectl exec`: several streams over one WebSocket.

Every message begins with the number of its channel. The subprotocols are those of Kubernetes:
``v5.channel.k8s.io`` and ``v4.channel.k8s.io`` in bytes, ``v4.base64.channel.k8s.io`` as text. The
first ones, ``channel.k8s.io`` and ``base64.channel.k8s.io``, have no Status: a failure is a line.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.server.containers.commands import CommandResult


_FIRST: Final = ("channel.k8s.io", "base64.channel.k8s.io")
_TEXT: Final = ("v4.base64.channel.k8s.io", "base64.channel.k8s.io")
SUBPROTOCOLS: Final = ("v5.channel.k8s.io", "v4.channel.k8s.io", _TEXT[0], *_FIRST)
"""What is spoken, best first."""

STDOUT: Final = 1
STDERR: Final = 2
ERROR: Final = 3
_AT_ONCE: Final = 32 * 1024


def chosen(offered: Iterable[str]) -> str | None:
    """The subprotocol to speak with a client; None if there is none in common."""
    return next((each for each in offered if each in SUBPROTOCOLS), None)


def messages(subprotocol: str, outcome: CommandResult, *, wants: frozenset[int]) -> Iterator[Json]:
    """The messages about a command; `wants` are the streams that the client requested.

    The first message is empty: the streams are open.
    """
    lowest = min(wants, default=ERROR)
    yield _message(subprotocol, lowest, b"")
    for channel, data in ((STDOUT, outcome.out), (STDERR, outcome.err)):
        if channel in wants:
            for at in range(0, len(data), _AT_ONCE):
                yield _message(subprotocol, channel, data[at : at + _AT_ONCE])
    if subprotocol not in _FIRST:
        yield _message(subprotocol, ERROR, json.dumps(_status(outcome.code)).encode())
    elif outcome.code:
        yield _message(subprotocol, ERROR, _problem(outcome.code).encode())


def _message(subprotocol: str, channel: int, data: bytes) -> Json:
    if subprotocol in _TEXT:
        return {"type": "websocket.send", "text": f"{channel}{base64.b64encode(data).decode()}"}
    return {"type": "websocket.send", "bytes": bytes([channel]) + data}


def _problem(code: int) -> str:
    return f"command terminated with non-zero exit code: exit status {code}"


def _status(code: int) -> Json:
    if code == 0:
        return {"metadata": {}, "status": "Success"}
    return {
        "metadata": {},
        "status": "Failure",
        "message": _problem(code),
        "reason": "NonZeroExitCode",
        "details": {"causes": [{"reason": "ExitCode", "message": str(code)}]},
    }
