"""DaemonSets: their revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.controllers import pod_hands
from tests.controllers.daemonset import sets

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


HASH = "controller-revision-hash"


def revisions(stage: Stage) -> dict[str, int]:
    found = stage.store.list(sets.REVISION).items
    return {each["metadata"]["name"]: each["revision"] for each in found}


def recorded(stage: Stage, name: str) -> Json:
    found = stage.store.get(sets.REVISION, name)
    keep = ("apiVersion", "kind", "data", "revision")
    return {key: found[key] for key in keep} | {
        "metadata": {"namespace": "default", "name": "copy", "labels": {"app": "agent"}}
    }


def test_a_template_is_recorded_under_its_hash() -> None:
    stage = sets.staged(sets.make_set())
    (name,) = revisions(stage)
    revision = stage.store.get(sets.REVISION, name)
    template_hash = revision["metadata"]["labels"][HASH]
    assert name == f"agent-{template_hash}"
    assert revision["metadata"]["ownerReferences"][0]["kind"] == "DaemonSet"
    template = stage.store.get(sets.SET, "agent")["spec"]["template"]
    assert revision["data"] == {"spec": {"template": {**template, "$patch": "replace"}}}
    hashes = {pod["metadata"]["labels"][HASH] for pod in pod_hands.pods(stage).values()}
    assert hashes == {template_hash}


def test_going_back_makes_the_old_revision_the_newest() -> None:
    stage = sets.running(nodes=1)
    (first,) = revisions(stage)
    for image in ("app:v2", "app:1.0"):
        sets.set_image(stage, image)
        pod_hands.work_until_quiet(stage)
    assert revisions(stage)[first] == 3
    assert len(revisions(stage)) == 2


def test_as_many_old_revisions_are_kept_as_the_limit_says() -> None:
    stage = sets.running(nodes=1, revisionHistoryLimit=1)
    for number in range(4):
        sets.set_image(stage, f"app:v{number}")
        pod_hands.work_until_quiet(stage)
    assert sorted(revisions(stage).values()) == [4, 5]


def test_a_revision_that_pods_are_of_is_kept() -> None:
    strategy = {"type": "OnDelete"}
    stage = sets.running(nodes=1, revisionHistoryLimit=0, updateStrategy=strategy)
    (first,) = revisions(stage)
    sets.set_image(stage, "app:v2")
    stage.run("1s")
    assert first in revisions(stage)
    stage.store.delete(pod_hands.POD, next(iter(pod_hands.pods(stage))))
    pod_hands.work_until_quiet(stage)
    assert first not in revisions(stage)


def test_two_revisions_of_one_template_become_one() -> None:
    stage = sets.running(nodes=2)
    (first,) = revisions(stage)
    copy = recorded(stage, first)
    copy["revision"] = 9
    stage.store.create(copy)
    stage.run("1s")
    assert revisions(stage) == {"copy": 9}
    labels = {pod["metadata"]["labels"][HASH] for pod in pod_hands.pods(stage).values()}
    assert labels == {"copy"}
    assert not pod_hands.terminating(stage)


def test_another_template_with_the_same_hash_is_a_collision() -> None:
    (taken,) = revisions(sets.staged(sets.make_set()))
    stage = sets.staged()
    stage.store.create(
        {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {"name": taken, "namespace": "default"},
            "data": {"spec": {}},
            "revision": 1,
        }
    )
    stage.store.create(sets.make_set())
    stage.run("1s")
    assert sets.status(stage)["collisionCount"] == 1
    assert len(revisions(stage)) == 2
    assert len(pod_hands.pods(stage)) == 3


def test_a_deleted_revision_is_recorded_again() -> None:
    stage = sets.running(nodes=1)
    (first,) = revisions(stage)
    stage.store.delete(sets.REVISION, first)
    stage.run("1s")
    assert revisions(stage) == {first: 1}
