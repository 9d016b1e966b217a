from __future__ import annotations

import asyncio
import resource
import socket

import pytest

from kubestage.errors import InputError
from kubestage.server import serving
from tests.deadlines import HANG_S
from tests.server.security.doors import Inside


def test_a_socket_is_ready_before_anything_is_served() -> None:
    listening = serving.listen("127.0.0.1", 0)
    with listening, socket.create_connection(listening.getsockname()):
        assert listening.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


def test_an_address_of_the_newer_kind() -> None:
    try:
        listening = serving.listen("[::1]", 0)
    except InputError:
        pytest.skip("this machine has no ::1")
    with listening:
        assert listening.getsockname()[0] == "::1"


@pytest.mark.parametrize(
    ("host", "option"), [("no.such.host.invalid", "--host"), ("203.0.113.77", "--host")]
)
def test_an_address_that_cannot_be_had_is_refused(host: str, option: str) -> None:
    with pytest.raises(InputError) as refused:
        serving.listen(host, 0)
    assert refused.value.path == option
    assert refused.value.fix is not None


def test_as_many_files_as_the_system_allows() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        assert serving.raise_file_limit() >= before[0]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_server_that_is_told_twice_does_not_wait() -> None:
    async def story() -> None:
        listening = serving.listen("127.0.0.1", 0)
        started = asyncio.Event()
        never = Inside(asyncio.Event())
        server = serving.server(never, serving.ListenOptions(), started.set)
        task = asyncio.ensure_future(server.serve([listening]))
        await asyncio.wait_for(started.wait(), HANG_S)
        _, writer = await asyncio.open_connection(*listening.getsockname())
        writer.write(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        await writer.drain()
        forced = []
        for _ in range(2):
            server.stop()
            forced.append(server.force_exit)
        assert forced == [False, True]
        await asyncio.wait_for(task, HANG_S)
        writer.close()

    asyncio.run(story())
