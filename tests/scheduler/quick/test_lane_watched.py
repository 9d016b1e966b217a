"""Those who watch the fast lane see each attempt when it is made, and may step in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.scheduler.quick import stories
from tests.scheduler.quick.stories import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.store.log import Change


@pytest.fixture(autouse=True)
def _with_kernels() -> Iterator[None]:
    with stories.compiled(are_used=True):
        yield


def _world(on_third: Callable[[World], Any]) -> World:
    """A world in which something is done while the third pod is being bound."""
    world = World(None, 20)
    for number in range(12):
        world.make(stories.TEMPLATES[number % 3])
    done: list[str] = []

    def on_change(change: Change) -> None:
        is_third = change.kind.kind == "Pod" and change.key == "default/p3"
        if is_third and change.new["spec"].get("nodeName") and not done:
            done.append(change.key)
            on_third(world)

    world.stage.store.subscribe(on_change)
    return world


def _both(on_third: Callable[[World], Any]) -> tuple[Any, Any]:
    told = []
    for run in (stories.by_lane, stories.ordinarily):
        world = _world(on_third)
        run(world.scheduler)
        told.append(world.told())
    return told[0], told[1]


def test_one_who_stops_the_run_finds_all_that_was_done_so_far() -> None:
    def stop(_: World) -> None:
        raise RuntimeError("enough")

    told = []
    for run in (stories.by_lane, stories.ordinarily):
        world = _world(stop)
        with pytest.raises(RuntimeError, match="enough"):
            run(world.scheduler)
        run(world.scheduler)
        told.append(world.told())
    assert told[0] == told[1]


def test_one_who_has_another_pod_tried_in_between_gets_the_next_number() -> None:
    lane, ordinary = _both(lambda world: world.scheduler.schedule_one())
    assert lane == ordinary


def test_one_who_wants_a_later_attempt_explained_gets_that() -> None:
    explained = []
    for run in (stories.by_lane, stories.ordinarily):
        world = _world(lambda world: world.scheduler.record.explain_at(6))
        run(world.scheduler)
        explained.append(world.scheduler.record.explanations)
    assert explained[0] == explained[1]
    assert list(explained[0]) == [6]


def test_one_who_reads_the_metrics_in_between_finds_every_attempt_in_them() -> None:
    seen: list[str] = []
    lane, ordinary = _both(lambda world: seen.append(world.scheduler.metrics.exposition()))
    assert lane == ordinary
    assert seen[0] == seen[1]
