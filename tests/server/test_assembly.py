from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kubestage.server.assembly import AssemblyOptions, Served
from kubestage.server.journal.opening import open_directory
from kubestage.server.pacing import Mode
from kubestage.stage import Stage
from tests.server import calling

if TYPE_CHECKING:
    import pathlib

LOCAL = {"host": "localhost"}
MAPS = "/api/v1/namespaces/default/configmaps"


def test_what_is_written_is_kept_and_served_again(tmp_path: pathlib.Path) -> None:
    async def write() -> None:
        stage, journal = open_directory(tmp_path / "data").stage()
        served = Served(stage, AssemblyOptions(scheduler="none"), journal)
        served.start()
        body = {"metadata": {"name": "a"}}
        answer = await calling.call(served.application, "POST", MAPS, body, headers=LOCAL)
        assert answer.status == 201
        await served.close()

    async def read() -> None:
        stage, journal = open_directory(tmp_path / "data").stage()
        served = Served(stage, AssemblyOptions(scheduler="none"), journal)
        served.start()
        answer = await calling.call(served.application, "GET", f"{MAPS}/a", headers=LOCAL)
        assert answer.status == 200
        await served.close()

    asyncio.run(write())
    asyncio.run(read())


def test_who_schedules_is_as_planned() -> None:
    async def story() -> None:
        own = Served(Stage(), AssemblyOptions())
        assert own.live.stage.scheduler is not None
        outside = Served(Stage(), AssemblyOptions(scheduler="outside"))
        assert outside.live.stage.scheduler is None
        assert outside.live.stage.scenarios is not None
        nobody = Served(Stage(), AssemblyOptions(scheduler="none"))
        assert nobody.live.stage.scheduler is None
        assert nobody.live.stage.scenarios is None
        for each in (own, outside, nobody):
            await each.close()

    asyncio.run(story())


def test_time_passes_as_planned() -> None:
    async def story() -> None:
        served = Served(Stage(), AssemblyOptions(mode=Mode.SPEED, speed=60.0))
        assert (served.pacer.mode, served.pacer.speed) == (Mode.SPEED, 60.0)
        assert served.live.pace is served.pacer
        await served.close()

    asyncio.run(story())
