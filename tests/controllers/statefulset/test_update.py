"""StatefulSets: the way from one template to the next."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers import pod_hands
from tests.controllers.statefulset import sets


def test_pods_are_renewed_from_the_last_on_and_each_is_waited_for() -> None:
    stage = sets.running(3)
    sets.set_image(stage, "app:v2")
    for name in ("db-2", "db-1", "db-0"):
        assert pod_hands.terminating(stage) == [name]
        pod_hands.end(stage, name)
        assert sets.images(stage)[name] == "app:v2"
        assert not pod_hands.terminating(stage)
        pod_hands.start(stage, name)
    assert set(sets.images(stage).values()) == {"app:v2"}
    status = sets.status(stage)
    assert status["currentRevision"] == status["updateRevision"]
    assert status["currentReplicas"] == 3


def test_a_rollout_waits_for_a_pod_that_does_not_become_ready() -> None:
    stage = sets.running(3)
    sets.set_image(stage, "app:bad")
    pod_hands.end(stage, "db-2")
    pod_hands.start(stage, "db-2", ready=False)
    stage.run("1h")
    assert not pod_hands.terminating(stage)
    assert sets.status(stage)["updatedReplicas"] == 1


def test_a_partition_spares_the_pods_before_it() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    stage = sets.running(3, updateStrategy=rolling)
    sets.set_image(stage, "app:v2")
    pod_hands.work_until_quiet(stage)
    assert list(sets.images(stage).values()) == ["app:1.0", "app:1.0", "app:v2"]
    stage.store.delete(pod_hands.POD, "db-0")
    pod_hands.work_until_quiet(stage)
    assert sets.images(stage)["db-0"] == "app:1.0"
    status = sets.status(stage)
    assert (status["currentReplicas"], status["updatedReplicas"]) == (2, 1)


def test_on_delete_renews_only_what_somebody_deletes() -> None:
    stage = sets.running(2, updateStrategy={"type": "OnDelete"})
    sets.set_image(stage, "app:v2")
    pod_hands.work_until_quiet(stage)
    assert set(sets.images(stage).values()) == {"app:1.0"}
    stage.store.delete(pod_hands.POD, "db-0")
    pod_hands.work_until_quiet(stage)
    assert sets.images(stage) == {"db-0": "app:v2", "db-1": "app:1.0"}


def test_going_back_makes_the_old_revision_the_newest() -> None:
    stage = sets.running(1)
    (first,) = sets.revisions(stage)
    sets.set_image(stage, "app:v2")
    pod_hands.work_until_quiet(stage)
    sets.set_image(stage, "app:1.0")
    pod_hands.work_until_quiet(stage)
    numbers = sets.revisions(stage)
    assert len(numbers) == 2
    assert numbers[first] == 3
    assert sets.status(stage)["currentRevision"] == first


def test_as_many_old_revisions_are_kept_as_the_limit_says() -> None:
    stage = sets.running(1, revisionHistoryLimit=2)
    for number in range(5):
        sets.set_image(stage, f"app:v{number}")
        pod_hands.work_until_quiet(stage)
    assert sorted(sets.revisions(stage).values()) == [4, 5, 6]


def test_a_name_that_another_revision_has_is_a_collision() -> None:
    stage = sets.running(1)
    taken = next(iter(sets.revisions(stage)))
    other = sets.staged()
    other.store.create(
        {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {"name": taken, "namespace": "default"},
            "data": {"spec": {}},
            "revision": 1,
        }
    )
    other.store.create(sets.make_set(1))
    other.run("1s")
    assert sets.status(other)["collisionCount"] == 1
    assert sets.status(other)["updateRevision"] != taken
    assert len(sets.revisions(other)) == 2


def test_scaling_comes_before_renewing() -> None:
    stage = sets.running(2)
    template = stage.store.get(sets.SET, "db")["spec"]["template"]
    containers = [{**template["spec"]["containers"][0], "image": "app:v2"}]
    sets.patch(stage, replicas=3, template={"spec": {"containers": containers}})
    assert not pod_hands.terminating(stage)
    assert sets.images(stage)["db-2"] == "app:v2"
    pod_hands.start(stage, "db-2")
    assert pod_hands.terminating(stage) == ["db-1"]


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("scale"), st.integers(0, 4)),
        st.tuples(st.just("image"), st.integers(0, 2)),
        st.tuples(st.just("start"), st.integers(0, 3)),
        st.tuples(st.just("fail"), st.integers(0, 4)),
        st.tuples(st.just("delete"), st.integers(0, 4)),
        st.tuples(st.just("work"), st.integers(1, 3)),
    ),
    max_size=12,
)


@settings(max_examples=40, deadline=None)
@given(OPERATIONS, st.sampled_from(["OrderedReady", "Parallel"]))
def test_whatever_happens_a_set_becomes_what_it_is_to_be(
    operations: list[tuple[str, int]], policy: str
) -> None:
    stage = sets.staged(sets.make_set(2, podManagementPolicy=policy))
    replicas, image = 2, "app:1.0"
    for verb, number in operations:
        name = f"db-{number}"
        if verb == "scale":
            replicas = number
            sets.patch(stage, replicas=replicas)
        elif verb == "image":
            image = f"app:v{number}"
            sets.set_image(stage, image)
        elif verb == "start":
            sets.patch(stage, ordinals={"start": number})
        elif verb == "fail" and name in pod_hands.pods(stage):
            pod_hands.finish(stage, name)
        elif verb == "delete" and name in pod_hands.pods(stage):
            stage.store.delete(pod_hands.POD, name)
        elif verb == "work":
            for _ in range(number):
                pod_hands.work(stage)
    pod_hands.work_until_quiet(stage)
    first = stage.store.get(sets.SET, "db")["spec"].get("ordinals", {}).get("start", 0)
    expected = {f"db-{number}": image for number in range(first, first + replicas)}
    assert sets.images(stage) == expected
    status = sets.status(stage)
    assert status["replicas"] == status["availableReplicas"] == replicas
    assert status.get("updatedReplicas", 0) == replicas
