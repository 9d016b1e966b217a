from __future__ import annotations

from typing import Any

import hypothesis
from hypothesis import strategies as st

from tests.controllers.worlds import recounts, strategies, wishes
from tests.controllers.worlds.world import World

Operations = list[tuple[Any, ...]]


@hypothesis.given(operations=st.lists(strategies.OPERATION, min_size=1, max_size=25))
def test_whatever_is_done_all_comes_to_rest_as_specs_and_statuses_say(
    operations: Operations,
) -> None:
    world = World()
    world.perform(operations)
    world.perform([("patch_spec", "cron_job", "tick", {"suspend": True})])
    world.stage.run("3h")
    assert world.changes_over("6h") == []
    assert recounts.problems(world.stage) == []

    world.calm()
    world.stage.run("3h")
    assert world.changes_over("6h") == []
    assert recounts.problems(world.stage) + wishes.problems(world.stage) == []
