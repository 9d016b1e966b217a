from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.volumes.binder import PersistentVolumeController
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_pod
from tests.controllers.stages import events, stage_with
from tests.controllers.volumes.storage import (
    CLAIM,
    LOOPS,
    VOLUME,
    WITH_HOST_PATHS,
    claim,
    storage_class,
    volume,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


def _stage(*objects: Json) -> Stage:
    stage = stage_with(*LOOPS, settings=WITH_HOST_PATHS, objects=objects)
    stage.run("1s")
    return stage


def _bound_to(stage: Stage, name: str = "data") -> str | None:
    found: str | None = stage.store.get(CLAIM, name)["spec"].get("volumeName")
    return found


def _phase(stage: Stage, name: str, kind: tuple[str, str] = VOLUME) -> str:
    found: str = stage.store.get(kind, name)["status"]["phase"]
    return found


def test_a_claim_gets_the_smallest_volume_that_will_do() -> None:
    stage = _stage(
        volume("large", "5Gi"), volume("small", "500Mi"), volume("fitting", "2Gi"), claim()
    )
    assert _bound_to(stage) == "fitting"
    assert _phase(stage, "fitting") == "Bound"
    assert _phase(stage, "data", CLAIM) == "Bound"
    assert stage.store.get(CLAIM, "data")["status"]["capacity"] == {"storage": "2Gi"}
    assert _phase(stage, "large") == "Available"


@pytest.mark.parametrize(
    "spec",
    [
        {"accessModes": ["ReadWriteMany"]},
        {"volumeMode": "Block"},
        {"storageClassName": "other"},
        {"selector": {"matchLabels": {"disk": "fast"}}},
        {"resources": {"requests": {"storage": "2Gi"}}},
    ],
    ids=lambda spec: next(iter(spec)),
)
def test_a_volume_must_fit_in_every_respect(spec: Json) -> None:
    stage = _stage(volume(), claim(**spec))
    assert _bound_to(stage) is None
    assert _phase(stage, "data", CLAIM) == "Pending"


def test_volumes_with_fewer_access_modes_are_taken_first() -> None:
    many = ["ReadWriteOnce", "ReadOnlyMany"]
    stage = _stage(volume("many", "1Gi", accessModes=many), volume("one", "9Gi"), claim())
    assert _bound_to(stage) == "one"


def test_a_volume_that_is_reserved_is_bound_to_its_claim_alone() -> None:
    reserved = volume("mine", "9Gi", claimRef={"namespace": "default", "name": "data"})
    stage = _stage(reserved, volume("free"), claim(), claim("other"))
    assert _bound_to(stage) == "mine"
    assert _bound_to(stage, "other") == "free"
    annotations = stage.store.get(VOLUME, "mine")["metadata"].get("annotations", {})
    assert "pv.kubernetes.io/bound-by-controller" not in annotations


def test_a_claim_that_names_its_volume_gets_it_or_is_told_why_not() -> None:
    stage = _stage(volume("pv"), claim(volumeName="pv"), claim("big", "2Gi", volumeName="tiny"))
    assert _bound_to(stage) == "pv"
    stage.store.create(volume("tiny"))
    stage.run("16s")
    text = 'Cannot bind to requested volume "tiny": requested PV is too small'
    assert ("VolumeMismatch", text, 1) in events(stage)


def test_a_volume_that_comes_later_is_found_at_the_next_look() -> None:
    stage = _stage(claim())
    stage.store.create(volume())
    stage.run("15s")
    assert _bound_to(stage) == "pv"


def test_a_claim_that_no_volume_fits_is_told_of_and_nothing_else_happens() -> None:
    stage = _stage(claim(storage_class=""))
    text = "no persistent volumes available for this claim and no storage class is set"
    assert events(stage) == [("FailedBinding", text, 1)]
    stage.run("15s")
    assert events(stage) == [("FailedBinding", text, 2)]


def test_an_idle_binder_does_nothing() -> None:
    stage = _stage(volume(), claim())
    before = stage.environment.completed_count
    stage.run("240h")
    assert stage.environment.completed_count == before


def test_a_retained_volume_is_released_and_never_bound_again() -> None:
    stage = _stage(volume(), claim())
    stage.store.delete(CLAIM, "data")
    stage.run("1s")
    assert _phase(stage, "pv") == "Released"
    stage.store.create(claim("next"))
    stage.run("1m")
    assert _bound_to(stage, "next") is None


def test_a_volume_nobody_can_delete_has_failed() -> None:
    stage = _stage(volume(persistentVolumeReclaimPolicy="Delete"), claim())
    stage.store.delete(CLAIM, "data")
    stage.run("1s")
    text = 'error getting deleter volume plugin for volume "pv": no deletable volume plugin matched'
    assert stage.store.get(VOLUME, "pv")["status"]["message"] == text
    assert events(stage, "VolumeFailedDelete") == [("VolumeFailedDelete", text, 1)]


def test_a_recycled_volume_is_offered_again() -> None:
    stage = _stage(volume(persistentVolumeReclaimPolicy="Recycle"), claim())
    stage.store.delete(CLAIM, "data")
    stage.run("1s")
    assert _phase(stage, "pv") == "Available"
    assert "claimRef" not in stage.store.get(VOLUME, "pv")["spec"]


def test_a_claim_whose_volume_is_gone_is_lost() -> None:
    stage = stage_with(PersistentVolumeController, objects=[volume(), claim()])
    stage.run("1s")
    stage.store.patch(VOLUME, "pv", {"metadata": {"finalizers": None}})
    stage.store.delete(VOLUME, "pv")
    stage.run("1s")
    assert _phase(stage, "data", CLAIM) == "Lost"
    text = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
    assert events(stage) == [("ClaimLost", text, 1)]


def test_a_claim_in_use_is_deleted_when_its_pod_is_gone() -> None:
    pod = make_pod("web", node_name="n1")
    pod["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    stage = _stage(volume(), claim(), pod)
    stage.store.delete(CLAIM, "data")
    stage.run("1h")
    assert "deletionTimestamp" in stage.store.get(CLAIM, "data")["metadata"]
    stage.store.delete(("v1", "Pod"), "web", options=DeleteOptions(grace_period_seconds=0))
    stage.run("1s")
    assert not stage.store.list(CLAIM).items


def test_a_bound_volume_is_deleted_when_its_claim_is_gone() -> None:
    stage = _stage(volume(), claim())
    stage.store.delete(VOLUME, "pv")
    stage.run("1h")
    assert "deletionTimestamp" in stage.store.get(VOLUME, "pv")["metadata"]
    stage.store.delete(CLAIM, "data")
    stage.run("1s")
    assert not stage.store.list(VOLUME).items


def test_two_claims_for_one_volume_do_not_both_get_it() -> None:
    stage = _stage(volume(), claim("a"), claim("b"))
    assert [_bound_to(stage, name) for name in ("a", "b")] == ["pv", None]


def test_a_claim_that_waits_for_a_consumer_says_so() -> None:
    late = storage_class(volumeBindingMode="WaitForFirstConsumer")
    stage = _stage(late, volume(), claim())
    assert _bound_to(stage) is None
    text = "waiting for first consumer to be created before binding"
    assert events(stage) == [("WaitForFirstConsumer", text, 1)]
    pod = make_pod("web")
    pod["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    stage.store.create(pod)
    stage.run("15s")
    assert ("WaitForPodScheduled", "waiting for pod web to be scheduled", 1) in events(stage)


def test_volumes_of_others_are_passed_over_and_the_first_of_equals_is_taken() -> None:
    others = [
        volume("a", claimRef={"namespace": "default", "name": "other"}),
        volume("b", claimRef={"namespace": "elsewhere", "name": "data"}),
    ]
    stage = _stage(*others, volume("d", "3Gi"), volume("c", "3Gi"), claim())
    assert _bound_to(stage) == "c"
    reserved = volume("z", "9Gi", claimRef={"namespace": "default", "name": "data"})
    stage = _stage(*others, volume("d", "3Gi"), volume("c", "3Gi"), reserved, claim())
    assert _bound_to(stage) == "z"
