"""A client that does not read, on a real connection: others are told, and it misses nothing."""

from __future__ import annotations

import contextlib
import json
import socket
from typing import TYPE_CHECKING

from tests.cli import servers
from tests.deadlines import HANG_S

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

PATH = "/api/v1/namespaces/default/configmaps"
COUNT = 150
# All of it is several times what the system keeps for a connection.
TEXT = "x" * 100_000


@contextlib.contextmanager
def watching(address: str, buffer_bytes: int | None = None) -> Iterator[socket.socket]:
    host, _, port = address.removeprefix("http://").partition(":")
    with socket.socket() as opened:
        if buffer_bytes is not None:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        opened.settimeout(HANG_S)
        opened.connect((host, int(port)))
        asked = f"GET {PATH}?watch=1&fieldSelector=metadata.name!%3Dkube-root-ca.crt HTTP/1.1\r\n"
        opened.sendall(f"{asked}Host: {host}\r\n\r\n".encode())
        yield opened


def read(opened: socket.socket) -> list[str]:
    """The names of all that was made, as they come."""
    with opened.makefile("rb") as stream:
        while stream.readline() != b"\r\n":
            pass
        names: list[str] = []
        while len(names) < COUNT:
            chunk = stream.read(int(stream.readline(), 16))
            assert stream.readline() == b"\r\n"
            names += [json.loads(line)["object"]["metadata"]["name"] for line in chunk.splitlines()]
        return names


def test_who_does_not_read_holds_nobody_up_and_misses_nothing(tmp_path: pathlib.Path) -> None:
    wanted = [f"c{number}" for number in range(COUNT)]
    options = "--in-memory", "--no-controllers", "--scheduler", "none"
    with (
        servers.serving(tmp_path, *options) as server,
        watching(server.address, 4096) as slow,
        watching(server.address) as quick,
    ):
        for name in wanted:
            body = {"metadata": {"name": name}, "data": {"text": TEXT}}
            assert server.call(PATH, body, method="POST")[0] == 201
        assert read(quick) == wanted
        assert read(slow) == wanted
