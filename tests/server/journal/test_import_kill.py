"""A process that is killed while the whole cluster is changed: it was changed, or it was not."""

from __future__ import annotations

import asyncio
import os
import random
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.server.app import Application
from kubestage.server.journal import opening
from tests.deadlines import HANG_S
from tests.scenario.building import scenario
from tests.server import calling, live_stage
from tests.server.journal import processes
from tests.server.journal.serving import CONFIG_MAP, config_map, names, served

if TYPE_CHECKING:
    import pathlib
    from multiprocessing.connection import Connection

    from kubestage.server.live import Live

# More of them: KUBESTAGE_KILLS=500 pytest tests/server/journal/test_import_kill.py
KILLS = int(os.environ.get("KUBESTAGE_KILLS", "50")) // 10
OBJECTS = 600
# More than may wait for the disk while time goes on.
MANY = 2_500
ROOT = "/kubestage/v1"
DONE = "done"


def _listed(generation: int) -> dict[str, Any]:
    """An import of objects that are of one generation."""
    items = [config_map(f"g{generation}-{number}", text="x" * 500) for number in range(OBJECTS)]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def _work(directory: pathlib.Path, generation: int, operation: str, pipe: Connection) -> None:
    """Change the whole cluster, and tell of every turn of the loop meanwhile, and of the end."""

    async def play() -> None:
        with served(directory) as (live, _):
            telling = asyncio.ensure_future(_tell(live, pipe))
            app = Application(live)
            if operation == "reset":
                answer = await calling.call(app, "POST", f"{ROOT}/reset", {})
            else:
                body = _listed(generation)
                answer = await calling.call(app, "POST", f"{ROOT}/import", body, mode=operation)
            assert answer.status == 200, answer.json
            telling.cancel()
            pipe.send(DONE)
            await asyncio.Event().wait()

    asyncio.run(play())


async def _tell(live: Live, pipe: Connection) -> None:
    began = live.store.revision
    while True:
        if live.store.revision > began:
            pipe.send("turn")
        await asyncio.sleep(0)


def _kill_after(turns: int, directory: pathlib.Path, generation: int, operation: str) -> bool:
    """Kill a process after so many turns of changes; whether it had told of the end."""
    child, ours = processes.begin(_work, directory, generation, operation)
    has_ended = False
    try:
        while not has_ended:
            has_ended = ours.recv() == DONE
            turns -= 1
            if turns < 0:
                child.kill()
        child.kill()
    except (EOFError, OSError):
        # It was killed between two messages, or in the midst of one.
        pass
    child.join()
    ours.close()
    assert child.exitcode == -9
    return has_ended


def _generations(directory: pathlib.Path) -> dict[str, int]:
    """How many objects of each generation there are."""
    stage, journal = opening.open_directory(directory).stage()
    journal.close()
    found = [name.partition("-")[0] for name in names(stage.store) if name.startswith("g")]
    return {each: found.count(each) for each in found}


@pytest.mark.parametrize("operation", ["replace", "add", "reset"])
def test_all_of_it_has_happened_or_nothing(tmp_path: pathlib.Path, operation: str) -> None:
    stream, directory = random.Random(operation), tmp_path / "data"
    before: dict[str, int] = {}
    for generation in range(KILLS):
        if operation == "reset" and not before:
            assert _kill_after(1_000_000, directory, generation, "add")
            before = _generations(directory)
        turns = stream.randrange(40)
        has_ended = _kill_after(turns, directory, generation + KILLS, operation)
        new = {f"g{generation + KILLS}": OBJECTS}
        after = {"replace": new, "add": {**before, **new}, "reset": {}}[operation]
        found = _generations(directory)
        assert found == after or (found == before and not has_ended)
        before = found


def test_what_a_scenario_empties_is_kept_until_all_of_it_is_gone(tmp_path: pathlib.Path) -> None:
    async def play() -> None:
        stage, journal = opening.open_directory(tmp_path / "data").stage()
        served_stage = live_stage.Served(stage=stage)
        journal.start(served_stage.live)
        for number in range(MANY):
            stage.store.create(config_map(f"c-{number}"))
        await served_stage.live.settled()
        served_stage.pacer.start()
        stage.store.create(scenario())
        served_stage.pacer.wake()
        controller, was_emptying = stage.scenarios, 0
        assert controller is not None
        while len(stage.store.read(CONFIG_MAP)) >= MANY or controller.is_emptying:
            # So many would be there if the process was killed now.
            if controller.is_emptying:
                was_emptying += 1
                assert journal._committing.safe.count > MANY
            await asyncio.sleep(0)
        assert was_emptying
        await served_stage.live.settled()
        assert journal._committing.safe.count < MANY
        await served_stage.pacer.close()
        journal.close()

    asyncio.run(asyncio.wait_for(play(), HANG_S))
