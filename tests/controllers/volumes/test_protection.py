"""VolumeAttributesClasses stay while claims or volumes have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.volumes.protection import VACProtectionController
from tests.controllers.stages import stage_with
from tests.controllers.volumes.storage import CLAIM, claim

if TYPE_CHECKING:
    from kubestage.aliases import Json

_CLASS = ("storage.k8s.io/v1", "VolumeAttributesClass")
_FINALIZER = "kubernetes.io/vac-protection"


def _gold(**metadata: object) -> Json:
    return {
        "apiVersion": _CLASS[0],
        "kind": _CLASS[1],
        "metadata": {"name": "gold", **metadata},
        "driverName": "csi.example.com",
        "parameters": {"iops": "1000"},
    }


def test_an_unused_class_is_protected_and_can_be_deleted() -> None:
    stage = stage_with(VACProtectionController)
    stage.store.load(_gold())
    stage.run("1s")
    assert stage.store.get(_CLASS, "gold")["metadata"]["finalizers"] == [_FINALIZER]
    stage.store.delete(_CLASS, "gold")
    stage.run("1s")
    assert not stage.store.list(_CLASS).items


def test_a_class_that_a_claim_has_stays_until_the_claim_is_gone() -> None:
    stage = stage_with(VACProtectionController)
    stage.store.create(_gold())
    stage.store.load(claim(volumeAttributesClassName="gold"))
    stage.store.delete(_CLASS, "gold")
    stage.run("1s")
    assert "deletionTimestamp" in stage.store.get(_CLASS, "gold")["metadata"]
    metadata = stage.store.get(CLAIM, "data", "default")["metadata"]
    stage.store.record_metadata(CLAIM, "default/data", {**metadata, "finalizers": []})
    stage.store.delete(CLAIM, "data", "default")
    stage.run("1s")
    assert not stage.store.list(_CLASS).items
