"""What handlers answer with: a body at once, or a stream of chunks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects.warnings import limits

if TYPE_CHECKING:
    from collections.abc import (
        AsyncIterator,
        Awaitable,
        Callable,
        Generator,
        Iterable,
        Iterator,
    )

    from kubestage.aliases import Json
    from kubestage.errors import ApiError

    Headers = list[tuple[bytes, bytes]]

JSON: Final = b"application/json"
YAML: Final = b"application/yaml"
TEXT: Final = b"text/plain; charset=utf-8"
_END: Final = b"]}"
_AT_ONCE: Final = 64
_has_control: Final = re.compile("[\x00-\x1f\x7f-\x9f]").search


class Response:
    """An answer that is complete."""

    __slots__ = ("body", "headers", "status")

    def __init__(
        self,
        status: int,
        body: bytes,
        content_type: bytes = JSON,
        headers: Iterable[tuple[bytes, bytes]] = (),
    ) -> None:
        self.status = status
        self.body = body
        self.headers: Headers = [(b"content-type", content_type), *headers]


class Joined:
    """A complete list in JSON, joined from its items only when it is sent.

    NOTE: one piece after the other takes the same memory, which stays in the cache: a list of
    10 MB costs a third of what it costs to build it as a whole (benchmarks/server.py).
    """

    __slots__ = ("headers", "items", "start", "status")

    def __init__(
        self, start: bytes, items: list[bytes], headers: Iterable[tuple[bytes, bytes]] = ()
    ) -> None:
        self.status = 200
        self.start = start
        self.items = items
        self.headers: Headers = [(b"content-type", JSON), *headers]

    def __len__(self) -> int:
        commas = max(len(self.items) - 1, 0)
        return len(self.start) + sum(map(len, self.items)) + commas + len(_END)

    def __iter__(self) -> Iterator[bytes]:
        items, count = self.items, len(self.items)
        piece = self.start
        for at in range(0, count, _AT_ONCE):
            yield piece + b"," if at else piece
            piece = b",".join(items[at : at + _AT_ONCE])
        yield piece + _END


class StreamingResponse:
    """An answer that goes on: its headers are sent at once, each chunk as it comes."""

    __slots__ = ("chunks", "headers", "status")

    def __init__(
        self,
        chunks: AsyncIterator[bytes],
        content_type: bytes = JSON,
        headers: Iterable[tuple[bytes, bytes]] = (),
    ) -> None:
        self.status = 200
        self.chunks = chunks
        self.headers: Headers = [(b"content-type", content_type), *headers]


class Later:
    """A response that takes long to build, of what does not change: it is built in a thread."""

    __slots__ = ("build",)

    def __init__(self, build: Callable[[], Response | Joined]) -> None:
        self.build = build


class InSlices:
    """A response that is built a little at a time, while others are served."""

    __slots__ = ("steps",)

    def __init__(self, steps: Generator[None, None, Built]) -> None:
        self.steps = steps


class Awaited:
    """A response that needs an answer from outside before it can be built."""

    __slots__ = ("build",)

    def __init__(self, build: Callable[[], Awaitable[Built]]) -> None:
        self.build = build


Built = Response | Joined | Later | Awaited
Answer = Built | StreamingResponse | InSlices
"""What handlers return."""


def json_response(
    obj: Any, status: int = 200, headers: Iterable[tuple[bytes, bytes]] = ()
) -> Response:
    """An object as JSON."""
    return Response(status, msgspec.json.encode(obj), JSON, headers)


def text_response(text: str, status: int = 200) -> Response:
    """Plain text, as the health and metrics pages are."""
    return Response(status, text.encode(), TEXT)


def error_response(error: ApiError, headers: Iterable[tuple[bytes, bytes]] = ()) -> Response:
    """A refusal, as clients read it."""
    extra = list(headers)
    wait = error.details.get("retryAfterSeconds")
    if wait:
        extra.append((b"retry-after", str(wait).encode()))
    return Response(error.code, msgspec.json.encode(error.status), JSON, extra)


def warning_headers(warnings: Iterable[str]) -> Headers:
    """Warnings as headers, each once, in the words and quotes of RFC 7234."""
    texts = [text for text in dict.fromkeys(warnings) if text and not _has_control(text)]
    if sum(map(len, texts)) > limits.MOST_RUNES:
        texts = _shortened(texts)
    found: Headers = []
    for text in texts:
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        found.append((b"warning", f'299 - "{quoted}"'.encode()))
    return found


def _shortened(texts: list[str]) -> list[str]:
    """Warnings that are too long together: the start of each, and in the end no more of them."""
    found: list[str] = []
    whole = short = 0
    for text in texts:
        if whole > limits.MOST_RUNES and short >= limits.MOST_RUNES:
            break
        whole += len(text)
        found.append(text[: limits.MOST_RUNES_OF_ONE])
        short += len(found[-1])
    return found


def denial(error: ApiError) -> list[Json]:
    """The messages of ASGI that refuse a WebSocket with a Status."""
    answer = error_response(error)
    headers = [*answer.headers, (b"content-length", str(len(answer.body)).encode())]
    kind = "websocket.http.response"
    return [
        {"type": f"{kind}.start", "status": answer.status, "headers": headers},
        {"type": f"{kind}.body", "body": answer.body},
    ]
