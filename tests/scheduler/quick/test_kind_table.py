"""Kinds of pods that come one after another are written down one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.views.node import ZONE_LABEL
from kubestage.scheduler.quick.kind_table import Written
from kubestage.testing import make_service
from tests.scheduler.quick import stories
from tests.scheduler.quick.stories import HOST, World, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json
    from kubestage.scheduler.quick.kind_table import Kind


@pytest.fixture(autouse=True)
def _with_kernels() -> Iterator[None]:
    with stories.compiled(are_used=True):
        yield


def template(number: int) -> Json:
    """A template of its own; the sixth and later ones also count pods of the earlier ones."""
    group = {"group": f"g{number % 5}"}
    constraints = [spread(f"app-{number}", HOST, "ScheduleAnyway")]
    if number >= 5:
        others = spread("", ZONE_LABEL, "DoNotSchedule", 2)
        constraints.append({**others, "labelSelector": {"matchLabels": group}})
    made = {
        "cpu": "50m",
        "labels": {"app": f"app-{number}", **group},
        "topology_spread_constraints": constraints,
    }
    # Pods of one zone are what keeps others out of it.
    return made if number >= 5 else {**made, "node_selector": {ZONE_LABEL: "z0"}}


def story(run: Callable[[Any], None]) -> Any:
    world = World(None, 40)
    for number in range(12):
        for _ in range(9):
            world.make(template(number))
        run(world.scheduler)
        # Those that were there before are counted in what the others have asked by now.
        for _ in range(10):
            world.make(template(max(number - 5, 0)))
            world.make(template(number))
        run(world.scheduler)
    return world.told()


def test_pods_of_kinds_that_come_later_go_where_they_would_have_gone() -> None:
    assert story(stories.by_lane) == story(stories.ordinarily)


def test_what_is_written_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    added: list[int] = []
    write = Written.add

    def spy(self: Written, kinds: list[Kind], namespaces: int) -> bool:
        added.append(len(kinds))
        return write(self, kinds, namespaces)

    monkeypatch.setattr(Written, "add", spy)
    story(stories.by_lane)
    assert sum(added) <= 2 * 12


def test_a_service_that_comes_later_counts_for_kinds_that_are_known() -> None:
    told = []
    for run in (stories.by_lane, stories.ordinarily):
        world = World(None, 40)
        for _ in range(10):
            world.make({"cpu": "50m", "labels": {"app": "web"}})
        run(world.scheduler)
        world.stage.store.create(make_service("web", selector={"app": "web"}))
        for _ in range(20):
            world.make({"cpu": "50m", "labels": {"app": "web"}})
        run(world.scheduler)
        told.append(world.told())
    assert told[0] == told[1]
