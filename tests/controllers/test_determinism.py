from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import hypothesis
import pytest

from tests.controllers.worlds import chronicle, strategies
from tests.controllers.worlds.chronicle import BUSY, EVENTFUL, Chronicle
from tests.controllers.worlds.world import World

_ROOT = pathlib.Path(__file__).parents[2]
_TELL = """
from tests.controllers.worlds import chronicle
print(chronicle.of_an_eventful_quarter({seed}))
"""


@pytest.mark.parametrize("hash_seed", ["1", "4711"])
def test_the_same_seed_gives_the_same_events_at_the_same_times_in_another_process(
    hash_seed: str,
) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    script = _TELL.format(seed=7)
    command = [sys.executable, "-c", script]
    told = subprocess.run(
        command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == chronicle.of_an_eventful_quarter(7)


def test_another_seed_gives_other_names_and_uids() -> None:
    assert chronicle.of_an_eventful_quarter(7) != chronicle.of_an_eventful_quarter(8)


@pytest.mark.parametrize("moment", [0, 4, 9, len(EVENTFUL)])
def test_a_fork_in_the_midst_of_it_goes_on_identically(moment: int) -> None:
    world = World(nodes=6)
    world.perform([*BUSY, *EVENTFUL[:moment], ("wait", 1)])
    fork = world.stage.fork()
    one, other = Chronicle(world.stage), Chronicle(fork)
    for stage in (world.stage, fork):
        stage.run("20m")
        stage.run("1h")
    assert one.count == other.count > 0
    assert one.digest == other.digest


@hypothesis.given(story=strategies.stories(made=6, done=8))
@hypothesis.settings(max_examples=hypothesis.settings().max_examples // 10)
def test_any_story_told_twice_is_the_same(story: list[strategies.Operation]) -> None:
    told = []
    for _ in range(2):
        world = World(3)
        record = Chronicle(world.stage)
        world.perform([*story, ("wait", "2h")])
        told.append((record.count, record.digest, world.stage.environment.completed_count))
    assert told[0] == told[1]
