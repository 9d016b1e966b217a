"""When time begins on a server, and how it passes by default."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import timestamps
from kubestage.testing import make_deployment, make_horizontal_pod_autoscaler, make_node
from tests.cli import servers
from tests.deadlines import HANG_S

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

CLOCK = "/kubestage/v1/clock"
MAPS = "/api/v1/namespaces/default/configmaps"
HPAS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
START = ("--start", "2026-01-01T00:00:00Z")
LAG_NS = 16 * 10**9


@contextlib.contextmanager
def watching(server: servers.Server, path: str) -> Iterator[socket.socket]:
    """An open watch, as ``kubectl get -w`` has it."""
    host, _, port = server.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), HANG_S) as watch:
        watch.sendall(f"GET {path}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        assert watch.recv(1000).startswith(b"HTTP/1.1 200 OK")
        yield watch


def clock(server: servers.Server) -> dict[str, Any]:
    told: dict[str, Any] = server.call(CLOCK)[1]
    return told


def made_at_ns(server: servers.Server, name: str) -> int:
    made = server.call(MAPS, {"metadata": {"name": name}}, method="POST")[1]
    return timestamps.parse_time(made["metadata"]["creationTimestamp"])


@pytest.mark.parametrize("how", [[], ["--start", "now"], ["--speed", "2"], ["--pace", "still"]])
def test_time_begins_now(tmp_path: pathlib.Path, how: list[str]) -> None:
    before_ns = time.time_ns()
    with servers.serving(tmp_path, "--in-memory", *how) as server:
        made_ns = made_at_ns(server, "a")
        # Twice as fast, it may be ahead by as much as the server took.
        assert before_ns - LAG_NS <= made_ns <= time.time_ns() + (time.time_ns() - before_ns)


def test_a_start_gives_a_server_that_can_be_repeated(tmp_path: pathlib.Path) -> None:
    told = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        with servers.serving(tmp_path / name, *START) as server:
            assert clock(server)["aheadOfWallSeconds"] is None
            with watching(server, MAPS):
                # Neither who watches nor how long it takes makes time pass.
                time.sleep(0.2 if name == "first" else 0)
                made = server.call(MAPS, {"metadata": {"name": "a"}}, method="POST")[1]
            made["metadata"].pop("resourceVersion")
            told.append((made["metadata"], clock(server)["now"]))
    assert told[0] == told[1]
    assert told[0][1].startswith("2026-01-01T00:00:00")


def test_virtual_time_keeps_up_with_the_wall_when_somebody_asks(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path, "--in-memory") as server:
        first_ns = made_at_ns(server, "a")
        time.sleep(1.2)
        assert made_at_ns(server, "b") > first_ns
        assert -16 < clock(server)["aheadOfWallSeconds"] < 0


@pytest.mark.parametrize("how", [(), START])
def test_autoscalers_go_on_while_somebody_watches(
    tmp_path: pathlib.Path, how: tuple[str, ...]
) -> None:
    objects = [make_node("n1"), make_deployment("web"), make_horizontal_pod_autoscaler("web")]
    listed = {"apiVersion": "v1", "kind": "List", "items": objects}
    (tmp_path / "cluster.json").write_text(json.dumps(listed))
    with servers.serving(tmp_path, "cluster.json", "--in-memory", *how) as server:
        while not clock(server)["isQuiet"]:
            pass
        assert not clock(server)["isPassing"]
        assert "while a client watches" in clock(server)["message"]
        with watching(server, HPAS):
            state = clock(server)
            assert (state["isPassing"], state["message"]) == (True, "")
            while clock(server)["nowNs"] < state["nowNs"] + 10**9:
                pass


def test_a_restart_goes_on_and_keeps_up_again(tmp_path: pathlib.Path) -> None:
    with servers.serving(tmp_path) as server:
        server.call(f"{CLOCK}/advance", {"duration": "1h"}, method="POST")
        before_ns = made_at_ns(server, "a")
        assert server.stop()[0] == 0
    with servers.serving(tmp_path) as server:
        assert made_at_ns(server, "b") >= before_ns
        # It is ahead, and waits for the wall.
        assert 3000 < clock(server)["aheadOfWallSeconds"] < 3600
        assert server.stop()[0] == 0


def test_a_restart_of_one_that_can_be_repeated_has_nothing_to_keep_up_with(
    tmp_path: pathlib.Path,
) -> None:
    with servers.serving(tmp_path, *START) as server:
        assert server.stop()[0] == 0
    with servers.serving(tmp_path) as server:
        state = clock(server)
        assert state["aheadOfWallSeconds"] is None
        assert state["now"].startswith("2026-01-01T00:00")


def test_recorded_objects_begin_at_their_own_time(tmp_path: pathlib.Path) -> None:
    recorded = make_node("n1")
    recorded["metadata"] |= {"uid": "u", "creationTimestamp": "2025-05-05T05:05:05Z"}
    (tmp_path / "node.json").write_text(json.dumps(recorded))
    with servers.serving(tmp_path, "node.json", "--in-memory") as server:
        state = clock(server)
        assert state["now"].startswith("2025-05-05T05:05")
        assert state["aheadOfWallSeconds"] is None
    with servers.serving(tmp_path, "node.json", "--in-memory", "--start", "now") as server:
        assert made_at_ns(server, "a") > timestamps.parse_time("2026-01-01T00:00:00Z")
