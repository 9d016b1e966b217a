"""A quick attempt ends as the ordinary one would: same node, same counts, same rows, same turn."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.scheduler.quick.attempt import QuickAttempt
from kubestage.stage import Stage
from kubestage.testing import make_pod, make_service
from tests.scheduler.quick import stories
from tests.scheduler.quick.stories import HOST, PACKING, POD, STEPS, TWO_PROFILES, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.scheduler.scheduler import Scheduler


@pytest.fixture(autouse=True)
def _without_kernels() -> Iterator[None]:
    """Other tests may have had them loaded."""
    with stories.compiled(are_used=False):
        yield


@settings(max_examples=60, deadline=None)
@given(
    steps=STEPS,
    nodes=st.integers(1, 130),
    configuration=st.sampled_from([None, PACKING, TWO_PROFILES]),
)
def test_quick_attempts_end_as_ordinary_ones_do(
    steps: list[tuple[str, int]], nodes: int, configuration: str | None
) -> None:
    ordinary = stories.story(steps, World(configuration, nodes), stories.ordinarily)
    with stories.compiled(are_used=False):
        plainly = stories.story(steps, World(configuration, nodes), stories.by_lane)
    assert plainly == ordinary
    with stories.compiled(are_used=True):
        quickly = stories.story(steps, World(configuration, nodes), stories.by_lane)
        stepwise = stories.story(steps, World(configuration, nodes), stories.step_by_step)
    assert quickly == ordinary
    assert stepwise == ordinary


def _spied(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each attempt was quick."""
    seen: list[bool] = []
    assume = scheduler._binding.assume

    def spy(number: int, queued: Any, attempt: Any, started_ns: int) -> Any:
        seen.append(isinstance(attempt, QuickAttempt))
        return assume(number, queued, attempt, started_ns)

    monkeypatch.setattr(scheduler._binding, "assume", spy)
    return seen


@pytest.mark.parametrize(
    ("template", "is_quick"),
    [
        ({"cpu": "100m"}, True),
        ({}, True),
        ({"cpu": "100m", "node_selector": {"disk": "ssd"}}, True),
        ({"cpu": "100m", "labels": {"app": "db"}, "affinity": stories.together("db", HOST)}, False),
    ],
)
def test_the_second_pod_of_a_plain_template_is_quick(
    template: Json, is_quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(None, 3)
    seen = _spied(world.scheduler, monkeypatch)
    for number in range(5):
        world.stage.store.create(make_pod(f"p{number}", **template))
    world.scheduler.run_until_idle()
    assert seen == [False, *[is_quick] * 4]


def test_pods_that_a_default_spreads_are_not_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(None, 3)
    world.stage.store.create(make_service("web", selector={"app": "web"}))
    seen = _spied(world.scheduler, monkeypatch)
    for number in range(4):
        world.stage.store.create(make_pod(f"p{number}", labels={"app": "web"}))
    world.scheduler.run_until_idle()
    assert seen == [False] * 4


def test_a_plugin_that_only_scores_is_asked_each_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    scoring_only = PACKING.replace(
        "- pluginConfig:",
        "- plugins: {preFilter: {disabled: [{name: PodTopologySpread}]}, "
        "filter: {disabled: [{name: PodTopologySpread}]}}\n  pluginConfig:",
    )
    world = World(scoring_only, 3)
    seen = _spied(world.scheduler, monkeypatch)
    for number in range(6):
        if number == 4:
            world.stage.store.create(make_service("web", selector={"app": "web"}))
        world.stage.store.create(make_pod(f"p{number}", labels={"app": "web"}))
        world.scheduler.run_until_idle()
    assert seen == [False, True, True, True, False, False]


def test_what_is_to_be_explained_is_tried_in_the_ordinary_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World(None, 3)
    seen = _spied(world.scheduler, monkeypatch)
    world.scheduler.record.explain_at(4)
    for number in range(5):
        world.stage.store.create(make_pod(f"p{number}", cpu="100m"))
    world.scheduler.run_until_idle()
    assert seen == [False, True, True, False, True]
    assert set(world.scheduler.record.explanations) == {4}


def test_a_plugin_of_ones_own_keeps_attempts_ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        name = "Odd"

        def __init__(self, args: Json, handle: Any) -> None:
            pass

        def filter_node(self, state: Any, pod: Any, node: Any) -> Any:
            from kubestage.scheduler.framework import SUCCESS

            return SUCCESS

    stage = Stage()
    enabling = PACKING.replace(
        "- pluginConfig:", "- plugins: {filter: {enabled: [{name: Odd}]}}\n  pluginConfig:"
    )
    scheduler = stage.add_scheduler(enabling, plugins={"Odd": Odd})
    stage.load(map(stories.node, range(4)))
    seen = _spied(scheduler, monkeypatch)
    for number in range(4):
        stage.store.create(make_pod(f"p{number}"))
    scheduler.run_until_idle()
    assert seen == [False] * 4


def test_a_fork_goes_on_with_what_was_kept() -> None:
    world = World(None, 30)
    for number in range(8):
        world.stage.store.create(make_pod(f"p{number}", cpu="100m"))
    world.scheduler.run_until_idle()
    copy: Stage = pickle.loads(pickle.dumps(world.stage))
    for stage in (world.stage, copy):
        assert stage.scheduler is not None
        stage.store.create(make_pod("late", cpu="100m"))
        stage.scheduler.run_until_idle()
    one, two = (stage.store.get(POD, "late")["spec"]["nodeName"] for stage in (world.stage, copy))
    assert one == two
