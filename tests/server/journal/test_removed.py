"""A data directory that somebody removes, or puts another in its place, while it is in use."""

from __future__ import annotations

import asyncio
import logging
import shutil
from typing import TYPE_CHECKING

import pytest

from kubestage.server.journal import opening
from kubestage.server.journal.failures import StorageFailed
from tests.deadlines import HANG_S
from tests.server.journal.serving import CONFIG_MAP, config_map, served

if TYPE_CHECKING:
    import pathlib


@pytest.mark.parametrize("is_relaxed", [False, True])
@pytest.mark.parametrize("is_replaced", [False, True])
def test_nothing_is_acknowledged_that_nobody_would_find(
    tmp_path: pathlib.Path,
    caplog: pytest.LogCaptureFixture,
    is_replaced: bool,
    is_relaxed: bool,
) -> None:
    async def play() -> None:
        with (
            caplog.at_level(logging.CRITICAL, "kubestage.server.journal.journal"),
            served(tmp_path / "data", is_relaxed=is_relaxed) as (live, journal),
        ):
            shutil.rmtree(tmp_path / "data")
            if is_replaced:
                opening.open_directory(tmp_path / "data").stage()[1].close()
            live.store.create(config_map("a"))
            while journal.failure is None:
                await asyncio.sleep(0.01)
            assert journal.revision < live.store.revision
            with pytest.raises(StorageFailed, match="the journal was removed"):
                await live.settled()
            assert live.store.get(CONFIG_MAP, "a")

    asyncio.run(asyncio.wait_for(play(), HANG_S))
