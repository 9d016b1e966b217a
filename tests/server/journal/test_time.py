"""Time does not go back, whatever becomes of a process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from kubestage.server import assembly
from kubestage.server.app import Application
from kubestage.server.journal import opening
from kubestage.server.live import Live
from tests.server import calling
from tests.server.journal.serving import copy_of

if TYPE_CHECKING:
    import pathlib

CLOCK = "/kubestage/v1/clock"


def _time_in(directory: pathlib.Path) -> str:
    stage, journal = opening.open_directory(directory).stage()
    journal.close()
    return stage.now


async def _ask(app: Application, method: str, path: str, body: Any = None) -> str:
    answer = await calling.call(app, method, path, body)
    assert answer.status == 200, answer.json
    return str(answer.json["now"])


def test_a_time_that_somebody_was_told_does_not_come_again(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        stage, journal = opening.open_directory(tmp_path / "data").stage()
        live = Live(stage)
        pacer = assembly.set_up(live)
        journal.start(live)
        pacer.start()
        app = Application(live)
        now = await _ask(app, "POST", f"{CLOCK}/advance", {"duration": "720h"})
        assert _time_in(copy_of(tmp_path / "data")) == now
        assert now > "2026-01-30"
        await pacer.advance(60 * 10**9)
        now = await _ask(app, "GET", CLOCK)
        assert _time_in(copy_of(tmp_path / "data")) == now
        assert now.endswith(":01:00Z")
        await pacer.close()
        journal.close()

    asyncio.run(play())


def test_a_time_that_is_on_disk_is_not_written_again(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        stage, journal = opening.open_directory(tmp_path / "data").stage()
        journal.start(Live(stage))
        before = (tmp_path / "data" / "committed").read_bytes()
        await journal.keep_time()
        assert (tmp_path / "data" / "committed").read_bytes() == before
        journal.close()

    asyncio.run(play())
