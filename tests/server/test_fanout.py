"""Watchers that are written to straight away, and those that cannot be."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.server import encoding, watching
from kubestage.server.security.pipe import EXTENSION, Pipe
from tests.deadlines import HANG_S
from tests.server import calling

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    import pytest

    from kubestage.server.app import Application

PATH = "/api/v1/namespaces/default/configmaps"


class Socket:
    """The far end of a connection: what was written to it straight, and what by messages."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.sent: list[bytes] = []
        self.may_send = asyncio.Event()
        self.may_send.set()
        self.gone = asyncio.Event()
        self.pipe = Pipe(self)  # type: ignore[arg-type] # all that is needed of a transport

    def write(self, data: bytes) -> None:
        self.written.append(data)

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        await self.may_send.wait()
        if message.get("body"):
            self.sent.append(message["body"])

    async def watch(self, app: Application, **query: Any) -> asyncio.Task[None]:
        asked = calling.scope("GET", PATH, watch="1", **query)
        asked["extensions"] = {EXTENSION: self.pipe}
        task = asyncio.ensure_future(app(asked, self.receive, self.send))
        await settle()
        return task


async def settle() -> None:
    for _ in range(30):
        await asyncio.sleep(0)


async def all_visible(app: Application) -> None:
    while app.live.fanout.visible < app.live.store.revision:
        await asyncio.sleep(0.001)
    await settle()


async def create(app: Application, *names: str) -> None:
    for name in names:
        await calling.call(app, "POST", PATH, {"metadata": {"name": name}})
        await settle()


def unframed(chunks: list[bytes]) -> list[str]:
    """The names of the objects in chunks that are framed as HTTP frames them."""
    data, lines = b"".join(chunks), []
    while data:
        size, _, data = data.partition(b"\r\n")
        length = int(size, 16)
        lines.append(data[:length])
        assert data[length : length + 2] == b"\r\n"
        data = data[length + 2 :]
    return names(lines)


def names(chunks: list[bytes]) -> list[str]:
    events = [msgspec.json.decode(line) for line in b"".join(chunks).splitlines()]
    return [event["object"]["metadata"]["name"] for event in events]


def run(story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(story(), HANG_S))


def test_an_object_is_encoded_once_however_many_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        app = calling.application()
        sockets = [Socket() for _ in range(200)]
        for socket in sockets:
            await socket.watch(app)
        encoded: list[dict[str, Any]] = []
        bare = encoding.bare

        def counted(obj: dict[str, Any]) -> bytes:
            encoded.append(obj)
            return bare(obj)

        monkeypatch.setattr(encoding, "bare", counted)
        await create(app, "a", "b", "c")
        await all_visible(app)
        assert len(encoded) == 3
        told = sockets[0].written
        assert unframed(told) == ["a", "b", "c"]
        for socket in sockets:
            assert not socket.sent
            # The very same bytes, not equal ones.
            assert [id(each) for each in socket.written] == [id(each) for each in told]

    run(story)


def test_watchers_of_different_selections_share_nothing() -> None:
    async def story() -> None:
        app = calling.application()
        all_of_them, one = Socket(), Socket()
        await all_of_them.watch(app)
        await one.watch(app, fieldSelector="metadata.name=b")
        await create(app, "a", "b", "c")
        assert unframed(all_of_them.written) == ["a", "b", "c"]
        assert unframed(one.written) == ["b"]

    run(story)


def test_one_who_does_not_read_is_waited_for_alone_and_misses_nothing() -> None:
    async def story() -> None:
        app = calling.application()
        slow, quick = Socket(), Socket()
        await slow.watch(app)
        await quick.watch(app)
        await create(app, "a")
        slow.pipe.is_open = False
        slow.may_send.clear()
        await create(app, "b", "c", "d")
        assert unframed(quick.written) == ["a", "b", "c", "d"]
        assert unframed(slow.written) == ["a"]
        assert not slow.sent
        slow.pipe.is_open = True
        slow.may_send.set()
        await settle()
        assert names(slow.sent) == ["b", "c", "d"]
        await create(app, "e")
        assert unframed(slow.written) == ["a", "e"]

    run(story)


def test_one_who_comes_back_late_is_told_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_AT_ONCE", 4)

    async def story() -> None:
        app = calling.application()
        wanted = [f"c{number:02}" for number in range(10)]
        await create(app, *wanted)
        first = Socket()
        await first.watch(app)
        await settle()
        assert [len(chunk.splitlines()) for chunk in first.sent] == [4, 4, 2]
        assert names(first.sent) == wanted
        app.live.fanout.hold()
        more = [f"d{number}" for number in range(9)]
        await create(app, *more)
        app.live.fanout.release()
        await settle()
        assert [len(chunk.splitlines()) for chunk in first.sent[3:]] == [4, 4, 1]
        assert names(first.sent[3:]) == more

    run(story)


def test_pieces_in_which_nothing_is_selected_do_not_end_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "_AT_ONCE", 2)

    async def story() -> None:
        app = calling.application()
        socket = Socket()
        await socket.watch(app, fieldSelector="metadata.name=last")
        app.live.fanout.hold()
        await create(app, *(f"c{number}" for number in range(7)), "last")
        app.live.fanout.release()
        await settle()
        assert names(socket.sent) == ["last"]

    run(story)


def test_one_whose_history_is_gone_is_told_so() -> None:
    async def story() -> None:
        app = calling.application()
        socket = Socket()
        task = await socket.watch(app)
        app.live.fanout.hold()
        await create(app, "a", "b")
        log = app.live.store.collection(("v1", "ConfigMap")).log
        log._dropped += 1
        log.floor = log._changes.pop(0).revision
        app.live.fanout.release()
        await asyncio.wait_for(task, HANG_S)
        assert not socket.written
        assert msgspec.json.decode(socket.sent[0])["object"]["code"] == 410

    run(story)


def test_what_is_kept_of_lists_is_bounded_and_lists_stay_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encoding, "_CACHED_BYTES", 1000)

    async def story() -> None:
        app = calling.application()
        wanted = [f"c{number}" for number in range(9)]
        await create(app, *wanted)
        for _ in range(2):
            listed = (await calling.call(app, "GET", PATH)).json["items"]
            assert [each["metadata"]["name"] for each in listed] == wanted
        assert 0 < len(app.encoder._cached) < len(wanted)
        for name in wanted:
            await calling.call(app, "DELETE", f"{PATH}/{name}")
        assert app.encoder._cached_bytes == 0

    run(story)
