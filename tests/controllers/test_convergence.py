from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
from hypothesis import strategies as st

from tests.controllers.worlds import manifests, normal_form, recounts, strategies, wishes
from tests.controllers.worlds.rollouts import RolloutWatch
from tests.controllers.worlds.world import World

if TYPE_CHECKING:
    import random

Operation = tuple[Any, ...]

_FEWER = hypothesis.settings().max_examples // 2


@hypothesis.given(story=strategies.stories(made=8, done=15))
def test_whatever_is_done_all_comes_to_rest_as_specs_and_statuses_say(
    story: list[Operation],
) -> None:
    world = World()
    world.perform([*story, ("patch_spec", "cron_job", 0, {"suspend": True})])
    assert world.rest() == []
    assert recounts.problems(world.stage) == []

    world.calm()
    assert world.rest() == []
    assert recounts.problems(world.stage) + wishes.problems(world.stage) == []


@hypothesis.given(
    batches=st.lists(strategies.independent(), min_size=1, max_size=4),
    chance=st.randoms(use_true_random=False),
)
@hypothesis.settings(max_examples=_FEWER)
def test_the_order_of_what_happens_in_one_instant_makes_no_difference_in_the_end(
    batches: list[list[Operation]], chance: random.Random
) -> None:
    one, other = World(), World()
    for batch in batches:
        one.perform([*batch, ("wait", "10m")])
        shuffled = chance.sample(batch, len(batch))
        other.perform([*shuffled, ("wait", "10m")])
    assert normal_form.of(one.stage.store) == normal_form.of(other.stage.store)


@hypothesis.given(
    replicas=st.integers(0, 12),
    surge=strategies.BOUNDS,
    unavailable=strategies.BOUNDS,
    launch=st.sampled_from(["1s", "uniform(1s,40s)", "exp(10s)"]),
    min_ready_seconds=st.sampled_from([0, 7]),
    changes=st.lists(
        st.tuples(st.integers(1, 4), st.integers(0, 12), st.sampled_from(["3s", "20s", "5m"])),
        min_size=1,
        max_size=4,
    ),
)
@hypothesis.settings(max_examples=_FEWER)
def test_a_rollout_keeps_within_surge_and_unavailability_at_every_instant(
    replicas: int,
    surge: int | str,
    unavailable: int | str,
    launch: str,
    min_ready_seconds: int,
    changes: list[tuple[int, int, str]],
) -> None:
    """Templates and sizes may change in the midst of it."""
    hypothesis.assume(surge or unavailable)
    world = World(cpu="32")
    made: dict[str, Any] = {
        "surge": surge,
        "unavailable": unavailable,
        "minReadySeconds": min_ready_seconds,
    }
    world.stage.apply([_launching(manifests.deployment("web", replicas, 0, **made), launch)])
    world.stage.run("10m")
    watch = RolloutWatch(world.stage, "web")
    for version, size, pause in changes:
        watch.expect(size)
        deployment = manifests.deployment("web", size, version, **made)
        world.stage.apply([_launching(deployment, launch)])
        world.stage.run(pause)
        watch.settle()
    world.stage.run("1h")
    assert watch.problems == []
    assert recounts.problems(world.stage) + wishes.problems(world.stage) == []


def _launching(deployment: dict[str, Any], launch: str) -> dict[str, Any]:
    notes = {"kubestage.dev/launch-delay": launch, "kubestage.dev/terminate-delay": "2s"}
    deployment["spec"]["template"]["metadata"]["annotations"] = notes
    return deployment
