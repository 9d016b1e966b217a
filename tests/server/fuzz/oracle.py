"""What every answer must be, whatever was asked."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
from typing import TYPE_CHECKING, Any

import msgspec
import yaml

from kubestage.server.protobuf.wire import Malformed
from tests.deadlines import HANG_S
from tests.server.fuzz import wire as wires
from tests.server.protobuf.answers import read

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from tests.server.fuzz.wire import Answer, Wire

# Besides refusals: what waits for a version that never comes, and what is full.
TEMPORARY = frozenset({503, 504})
# The API server answers this with 500, and so do we.
KNOWN_500 = re.compile(
    "This pod has more than one PodDisruptionBudget"
    "|unable to upgrade connection: container not found"
)
_UNSAFE = re.compile(rb"[\r\n\0]")
_LONGEST_YAML = 20_000


class Wrong(AssertionError):
    """An answer that must not be, with the request that led to it."""

    def __init__(self, problem: str, wire: Wire) -> None:
        super().__init__(f"{problem}\n{_shortened(wire)}")
        self.problem = problem
        self.wire = wire


class Hang(BaseException):
    """A request took for ever; nothing on the way may swallow this."""


def _shortened(wire: Wire) -> str:
    body = wire.body if len(wire.body) <= 4000 else wire.body[:4000] + b"..."
    return repr(wire._replace(body=body, path=wire.path[:500], query=wire.query[:1000]))


@contextlib.contextmanager
def no_hang(seconds: float = HANG_S) -> Iterator[None]:
    """End what takes for ever, even where it never gives way to others."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


async def ask(app: Any, wire: Wire) -> Answer:
    """Send a request; its answer, if it is one that may be."""
    try:
        with no_hang():
            answer = await wires.send(app, wire)
    except (Hang, TimeoutError):
        raise Wrong("no answer: the request hangs", wire) from None
    except Exception as error:
        raise Wrong(f"escaped: {type(error).__name__}: {error}", wire) from error
    judge(wire, answer)
    return answer


def judge(wire: Wire, answer: Answer) -> None:
    """Raise what is wrong with an answer."""
    if len(answer.starts) != 1:
        raise Wrong(f"{len(answer.starts)} answers", wire)
    for name, value in answer.starts[0][1]:
        if _UNSAFE.search(name + value):
            raise Wrong(f"a header of several lines: {name!r}: {value!r}", wire)
    status, body = answer.status, answer.body
    if not answer.is_complete and not answer.was_left:
        raise Wrong(f"{status} without an end", wire)
    length = answer.header(b"content-length")
    if length and wire.method != "HEAD" and int(length) != len(body):
        raise Wrong(f"{len(body)} bytes, announced {length.decode()}", wire)
    if wire.method == "HEAD":
        return
    values = _read(wire, answer)
    if not 200 <= status < 500 and status not in TEMPORARY and not _is_known(status, values):
        raise Wrong(f"{status}: {body[:2000]!r}", wire)
    if status >= 400:
        _judge_refusal(wire, answer, values)


def _is_known(status: int, values: list[Any]) -> bool:
    if status != 500 or not values or not isinstance(values[0], dict):
        return False
    return KNOWN_500.match(str(values[0].get("message"))) is not None


def _judge_refusal(wire: Wire, answer: Answer, values: list[Any]) -> None:
    if answer.header(b"content-type").startswith(b"text/plain"):
        return
    status = values[0] if values else None
    if not isinstance(status, dict) or status.get("kind") != "Status":
        raise Wrong(f"{answer.status} without a Status: {answer.body[:500]!r}", wire)
    if status.get("code") != answer.status:
        raise Wrong(f"{answer.status} with a Status of {status.get('code')}", wire)
    if not isinstance(status.get("message"), str):
        raise Wrong("a refusal without words", wire)


def _read(wire: Wire, answer: Answer) -> list[Any]:
    """The values in an answer; what cannot be read must not be sent."""
    form, body = answer.header(b"content-type"), answer.body
    if not body and 300 <= answer.status < 400:
        return []
    try:
        if form.startswith(b"application/json"):
            is_stream = not answer.header(b"content-length")
            parts = body.splitlines() if is_stream else [body]
            return [msgspec.json.decode(part) for part in parts]
        if form.startswith(b"application/yaml"):
            body.decode()
            return [] if len(body) > _LONGEST_YAML else [yaml.load(body, yaml.CBaseLoader)]
        if form.startswith(b"text/"):
            body.decode()
        if form == b"application/vnd.kubernetes.protobuf":
            return [read(body)]
    except (msgspec.DecodeError, UnicodeDecodeError, yaml.YAMLError, Malformed) as error:
        raise Wrong(f"unreadable: {error}: {body[:500]!r}", wire) from None
    return []


class Loop:
    """Hears of what goes wrong in an event loop without anybody waiting for it."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        asyncio.get_running_loop().set_exception_handler(self._on_problem)

    def _on_problem(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.problems.append(f"{context.get('message')}: {context.get('exception')!r}")
