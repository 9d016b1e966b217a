"""What somebody made up to do harm is refused, or does none."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from tests.server.fuzz import hostile, oracle, worlds


@pytest.mark.parametrize("is_busy", [False, True], ids=["still", "busy"])
@pytest.mark.parametrize("group", hostile.GROUPS)
def test_harm_is_refused_or_does_none(
    group: str, is_busy: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        loop = oracle.Loop()
        async with contextlib.AsyncExitStack() as stack:
            world = worlds.still()
            if is_busy:
                world = await stack.enter_async_context(worlds.busy())
            assert (await oracle.ask(world.app, hostile.first())).status == 201
            statuses = set()
            for request in hostile.GROUPS[group]():
                statuses.add((await oracle.ask(world.app, request)).status)
            assert statuses & {200, 201}, "nothing came through: the group tests nothing"
            await world.check()
        assert not loop.problems

    asyncio.run(story())
    assert "Traceback" not in capfd.readouterr().err
