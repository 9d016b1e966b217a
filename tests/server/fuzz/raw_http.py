"""What a client may do with a connection, made up from a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tests.server.fuzz.sockets import CONFIG_MAPS, HOST

if TYPE_CHECKING:
    import random

TOKEN = "t"
_PATHS = (
    CONFIG_MAPS,
    f"{CONFIG_MAPS}?watch=1&timeoutSeconds=1",
    "/healthz",
    "/version",
    "/",
    "*",
    "/kubestage/v1",
)
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "BREW", "")
_VERSIONS = ("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "")
_ODD_HEADERS = (
    b"expect: 100-continue\r\n", b"connection: close\r\n", b"connection: keep-alive\r\n",
    b"connection: upgrade\r\nupgrade: websocket\r\n", b"connection: upgrade\r\nupgrade: h2c\r\n",
    b"host: evil.example\r\n", b"origin: http://localhost:1\r\n", b"content-type: \xff\r\n",
    b": nameless\r\n", b"no colon\r\n", b" folded: line\r\n", b"x\x00y: z\r\n",
    b"content-length: 5\r\n", b"content-length: -1\r\n", b"content-length: 99999999999999\r\n",
    b"transfer-encoding: chunked\r\n", b"transfer-encoding: gzip, chunked\r\n", b"\r\n",
)  # fmt: skip
_SIZES = (
    b"0",
    b"1",
    b"5",
    b"1000",
    b"ffffffffffffffff",
    b"-1",
    b"g",
    b"",
    b"0005",
    b"5;a=b",
    b"5 ",
)


class Talk(NamedTuple):
    """Bytes that a client sends, piece by piece, and how it leaves."""

    pieces: tuple[bytes, ...]
    leaves: str


def talk(rng: random.Random) -> Talk:
    """Some requests on one connection, most of them odd."""
    sent = b"".join(_request(rng) for _ in range(rng.choice((1, 1, 1, 2, 3, 10))))
    if rng.random() < 0.05 and b"watch" not in sent and len(sent) < 2000:
        # A watch takes a second: as many one after the other would take minutes.
        sent *= 400
    if rng.random() < 0.2:
        sent = sent[: rng.randrange(len(sent) + 1)]
    if rng.random() < 0.2:
        at = rng.randrange(len(sent) + 1)
        sent = sent[:at] + rng.randbytes(rng.randrange(1, 10)) + sent[at:]
    leaves = rng.choice(("waits", "waits", "waits", "shuts", "aborts"))
    return Talk(tuple(_pieces(rng, sent)), leaves)


def _pieces(rng: random.Random, sent: bytes) -> list[bytes]:
    if rng.random() < 0.5 or not sent:
        return [sent]
    cuts = sorted(rng.randrange(len(sent) + 1) for _ in range(rng.randrange(1, 6)))
    return [sent[a:b] for a, b in zip([0, *cuts], [*cuts, len(sent)], strict=True)]


def _request(rng: random.Random) -> bytes:
    method = rng.choice(_METHODS if rng.random() < 0.3 else _METHODS[:5])
    version = rng.choice(_VERSIONS)
    head = f"{method} {rng.choice(_PATHS)} {version}\r\n".encode() + HOST
    if rng.random() < 0.7:
        head += f"authorization: Bearer {TOKEN}\r\n".encode()
    if rng.random() < 0.3:
        head += b"".join(rng.choice(_ODD_HEADERS) for _ in range(rng.randrange(1, 4)))
    if rng.random() < 0.1:
        head += b"x-long: " + b"y" * rng.choice((100, 3_000, 300_000)) + b"\r\n"
    body = b'{"metadata":{"generateName":"x"}}' + b" " * rng.choice((0, 0, 10, 50_000, 100_000))
    form = rng.random()
    if form < 0.4:
        return head + b"\r\n"
    if form < 0.7:
        off = rng.choice((0, 0, 0, -3, 3))
        return head + f"content-length: {len(body) + off}\r\n\r\n".encode() + body
    return head + b"transfer-encoding: chunked\r\n\r\n" + _chunks(rng, body)


def _chunks(rng: random.Random, body: bytes) -> bytes:
    sent = b""
    while body:
        size = rng.choice((1, 5, 1000, len(body)))
        part, body = body[:size], body[size:]
        named = b"%x" % len(part) if rng.random() < 0.95 else rng.choice(_SIZES)
        extension = b";" + b"e" * rng.choice((1, 10_000)) if rng.random() < 0.05 else b""
        end = b"\r\n" if rng.random() < 0.97 else rng.choice((b"", b"\n", b"\r", b"xx"))
        sent += named + extension + b"\r\n" + part + end
    trailers = rng.choice((b"", b"", b"a: b\r\n", b"host: evil\r\n", b"a: b\r\n" * 30_000))
    return sent + b"0\r\n" + trailers + rng.choice((b"\r\n", b"\r\n", b"", b"junk"))
