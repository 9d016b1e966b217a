"""DaemonSets: the way from one template to the next."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers import pod_hands
from tests.controllers.daemonset import sets
from tests.controllers.stages import events


@pytest.mark.parametrize(("limit", "at_once"), [(1, 1), (2, 2), ("50%", 3), ("1%", 1)])
def test_so_many_pods_are_renewed_at_once(limit: int | str, at_once: int) -> None:
    stage = sets.running(nodes=5, updateStrategy=sets.rolling(maxUnavailable=limit))
    sets.set_image(stage, "app:v2")
    fewest = 5
    for _ in range(40):
        fewest = min(fewest, sets.available(stage))
        if not pod_hands.work(stage):
            break
    assert fewest == 5 - at_once
    assert sets.images(stage) == ["app:v2"] * 5


@pytest.mark.parametrize(("limit", "at_once"), [(1, 1), ("50%", 3)])
def test_with_a_surge_new_pods_come_before_old_ones_go(limit: int | str, at_once: int) -> None:
    strategy = sets.rolling(maxSurge=limit, maxUnavailable=0)
    stage = sets.running(nodes=5, updateStrategy=strategy)
    sets.set_image(stage, "app:v2")
    assert len(pod_hands.pods(stage)) == 5 + at_once
    for _ in range(40):
        staying = len(pod_hands.pods(stage)) - len(pod_hands.terminating(stage))
        assert staying <= 5 + at_once
        assert sets.available(stage) == 5
        if not pod_hands.work(stage):
            break
    assert sets.images(stage) == ["app:v2"] * 5


def test_old_pods_that_are_of_no_use_are_replaced_at_once() -> None:
    stage = sets.running(nodes=4)
    useless = [sets.on_nodes(stage)[node][0] for node in ("n0", "n1")]
    pod_hands.start(stage, *useless, ready=False)
    sets.set_image(stage, "app:v2")
    assert sorted(pod_hands.terminating(stage)) == sorted(useless)


def test_a_broken_template_stops_after_its_first_pods() -> None:
    stage = sets.running(nodes=3)
    sets.set_image(stage, "app:bad")
    pod_hands.end(stage, *pod_hands.terminating(stage))
    stage.run("1h")
    assert sets.images(stage) == ["app:1.0", "app:1.0", "app:bad"]
    sets.set_image(stage, "app:v3")
    pod_hands.work_until_quiet(stage)
    assert sets.images(stage) == ["app:v3"] * 3


def test_a_surging_pod_becomes_available_by_time_alone() -> None:
    strategy = sets.rolling(maxSurge=1, maxUnavailable=0)
    stage = sets.running(nodes=1, updateStrategy=strategy, minReadySeconds=5)
    stage.run("10s")
    (old,) = pod_hands.pods(stage)
    sets.set_image(stage, "app:v2")
    (new,) = set(pod_hands.pods(stage)) - {old}
    pod_hands.start(stage, new)
    stage.run("3s")
    assert not pod_hands.terminating(stage)
    stage.run("3s")
    assert pod_hands.terminating(stage) == [old]


def test_an_unwanted_pod_of_a_surging_set_stays_until_another_serves() -> None:
    strategy = sets.rolling(maxSurge=1, maxUnavailable=0)
    stage = sets.running(nodes=2, updateStrategy=strategy)
    taint = {"key": "a", "value": "b", "effect": "NoSchedule"}
    sets.patch_node(stage, "n0", spec={"taints": [taint]})
    sets.set_image(stage, "app:v2")
    pod_hands.work_until_quiet(stage)
    assert list(sets.on_nodes(stage)) == ["n1"]
    assert sets.images(stage) == ["app:v2"]


def test_a_surge_waits_for_the_pods_of_a_lost_node_to_go() -> None:
    strategy = sets.rolling(maxSurge=1, maxUnavailable=0)
    stage = sets.running(nodes=2, updateStrategy=strategy)
    stage.store.delete(sets.NODE, "n0")
    sets.set_image(stage, "app:v2")
    stage.run("1s")
    assert sets.images(stage) == ["app:1.0", "app:1.0"]
    pod_hands.end(stage, *sets.on_nodes(stage)["n0"])
    pod_hands.work_until_quiet(stage)
    assert sets.images(stage) == ["app:v2"]


def test_on_delete_renews_only_what_somebody_deletes() -> None:
    stage = sets.running(updateStrategy={"type": "OnDelete"})
    sets.set_image(stage, "app:v2")
    pod_hands.work_until_quiet(stage)
    assert sets.images(stage) == ["app:1.0"] * 3
    assert "updatedNumberScheduled" not in sets.status(stage)
    stage.store.delete(pod_hands.POD, sets.on_nodes(stage)["n0"][0])
    pod_hands.work_until_quiet(stage)
    assert sets.images(stage) == ["app:1.0", "app:1.0", "app:v2"]
    assert len(events(stage, "SuccessfulDelete")) == 0


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("image"), st.integers(0, 2)),
        st.tuples(st.just("taint"), st.integers(0, 2)),
        st.tuples(st.just("lift"), st.integers(0, 2)),
        st.tuples(st.just("fail"), st.integers(0, 5)),
        st.tuples(st.just("delete"), st.integers(0, 5)),
        st.tuples(st.just("work"), st.integers(1, 3)),
    ),
    max_size=12,
)
STRATEGIES = st.sampled_from(
    [
        sets.rolling(maxUnavailable=1),
        sets.rolling(maxUnavailable="70%"),
        sets.rolling(maxSurge=1, maxUnavailable=0),
    ]
)


@settings(max_examples=40, deadline=None)
@given(OPERATIONS, STRATEGIES)
def test_whatever_happens_a_set_becomes_what_it_is_to_be(
    operations: list[tuple[str, int]], strategy: dict[str, object]
) -> None:
    stage = sets.staged(sets.make_set(updateStrategy=strategy))
    image, wanted = "app:1.0", {"n0", "n1", "n2"}
    for verb, number in operations:
        names = list(pod_hands.pods(stage))
        if verb == "image":
            image = f"app:v{number}"
            sets.set_image(stage, image)
        elif verb == "taint":
            wanted.discard(f"n{number}")
            taint = {"key": "a", "effect": "NoExecute"}
            sets.patch_node(stage, f"n{number}", spec={"taints": [taint]})
        elif verb == "lift":
            wanted.add(f"n{number}")
            sets.patch_node(stage, f"n{number}", spec={"taints": None})
        elif verb == "fail" and number < len(names):
            pod_hands.finish(stage, names[number])
        elif verb == "delete" and number < len(names):
            stage.store.delete(pod_hands.POD, names[number])
        elif verb == "work":
            for _ in range(number):
                pod_hands.work(stage)
    for _ in range(8):
        pod_hands.work_until_quiet(stage)
        stage.run("20s")
    assert {node: len(names) for node, names in sets.on_nodes(stage).items()} == dict.fromkeys(
        wanted, 1
    )
    assert set(sets.images(stage)) <= {image}
    status = sets.status(stage)
    assert status["desiredNumberScheduled"] == status["numberReady"] == len(wanted)
    assert status.get("updatedNumberScheduled", 0) == len(wanted)
