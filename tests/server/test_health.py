from __future__ import annotations

import asyncio
from typing import Any

import pytest

from kubestage.errors import ApiError
from kubestage.server import health
from kubestage.server.live import Live
from kubestage.server.pacing import Pacer
from kubestage.server.request import Request
from kubestage.stage import Stage
from tests.server import calling


class Failed:
    """A journal that cannot write any more."""

    revision = 0
    failure = ApiError("the disk is full")

    async def until(self, revision: int) -> None:
        """Never."""

    def hold(self) -> None:
        """Nothing to do."""

    def release(self) -> None:
        """Nothing to do."""

    def take_back(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""


def ask(path: str, *, is_failed: bool = False, **query: list[str]) -> tuple[int, str]:
    live = Live(Stage())
    if is_failed:
        live.set_durability(Failed())
    answer = asyncio.run(health.handle(live, Request("GET", path, query, {})))
    return answer.status, answer.body.decode()


@pytest.mark.parametrize("root", ["healthz", "livez", "readyz"])
def test_a_healthy_server_says_so_in_every_way(root: str) -> None:
    assert ask(f"/{root}") == (200, "ok")
    assert ask(f"/{root}/ping") == (200, "ok")
    code, shown = ask(f"/{root}", verbose=[""])
    lines = shown.splitlines()
    assert (code, lines[:3]) == (200, ["[+]ping ok", "[+]log ok", "[+]etcd ok"])
    assert "[+]poststarthook/rbac/bootstrap-roles ok" in lines
    assert "[+]autoregister-completion ok" in lines
    assert ("[+]informer-sync ok" in lines) == (root == "readyz")
    assert ask(f"/{root}/poststarthook/rbac/bootstrap-roles") == (200, "ok")
    assert lines[-1] == f"{root} check passed"


def test_what_cannot_be_kept_is_no_health() -> None:
    status, told = ask("/readyz", is_failed=True)
    assert status == 500
    lines = told.splitlines()
    assert [each for each in lines if not each.startswith("[+]")] == [
        "[-]etcd failed: reason withheld",
        "[-]etcd-readiness failed: reason withheld",
        "readyz check failed",
    ]
    assert ask("/readyz/etcd", is_failed=True)[0] == 500
    assert ask("/readyz/ping", is_failed=True) == (200, "ok")


def test_a_clock_that_broke_is_told() -> None:
    async def story() -> None:
        live = Live(Stage())
        pacer = Pacer(live)
        pacer.failure = "time stands still after an error"
        answer = await health.handle(live, Request("GET", "/livez/clock", {}, {}))
        assert answer.status == 500
        assert b"time stands still" in answer.body
        await pacer.close()

    asyncio.run(story())


def test_a_check_can_be_left_out() -> None:
    assert ask("/readyz", is_failed=True, exclude=["etcd", "etcd-readiness"]) == (200, "ok")
    assert ask("/livez", is_failed=True, exclude=["etcd"]) == (200, "ok")
    shown = ask("/livez", verbose=[""], exclude=["etcd", "moon"])[1]
    assert "[+]etcd excluded: ok\n" in shown
    assert 'warn: some health checks cannot be excluded: no matches for "moon"\n' in shown


def test_it_is_served() -> None:
    async def story() -> None:
        answer = await calling.call(calling.application(), "GET", "/healthz")
        assert (answer.status, answer.body) == (200, b"ok")
        unknown: Any = await calling.call(calling.application(), "GET", "/readyz/moon")
        assert unknown.status == 404

    asyncio.run(story())
