from __future__ import annotations

from typing import Any

from kubestage.controllers.garbage_collector import GarbageCollectorController
from kubestage.controllers.volumes.ephemeral import EphemeralVolumeController
from kubestage.testing import make_pod
from tests.controllers.stages import events, stage_with
from tests.controllers.volumes.storage import CLAIM, claim


def _pod() -> dict[str, Any]:
    pod = make_pod("web")
    template = {"metadata": {"labels": {"kind": "scratch"}}, "spec": claim()["spec"]}
    pod["spec"]["volumes"] = [{"name": "tmp", "ephemeral": {"volumeClaimTemplate": template}}]
    return pod


def test_a_claim_is_made_with_the_pod_and_goes_with_it() -> None:
    stage = stage_with(EphemeralVolumeController, GarbageCollectorController, objects=[_pod()])
    stage.run("1s")
    made = stage.store.get(CLAIM, "web-tmp")
    assert made["metadata"]["labels"] == {"kind": "scratch"}
    assert made["metadata"]["ownerReferences"][0]["name"] == "web"
    stage.store.patch(CLAIM, "web-tmp", {"metadata": {"finalizers": None}})
    stage.store.delete(("v1", "Pod"), "web")
    stage.run("1s")
    assert not stage.store.list(CLAIM).items


def test_a_claim_of_that_name_that_is_somebody_elses_is_a_problem() -> None:
    stage = stage_with(EphemeralVolumeController, objects=[claim("web-tmp"), _pod()])
    stage.run("1s")
    text = (
        "ephemeral volume tmp: PVC default/web-tmp was not created for pod default/web "
        "(pod is not owner)"
    )
    assert ("FailedBinding", text) in {(reason, message) for reason, message, _ in events(stage)}


def test_a_claim_that_is_deleted_under_its_pod_is_made_again() -> None:
    stage = stage_with(EphemeralVolumeController, objects=[_pod()])
    stage.run("1s")
    first = stage.store.get(CLAIM, "web-tmp")["metadata"]["uid"]
    stage.store.patch(CLAIM, "web-tmp", {"metadata": {"finalizers": None}})
    stage.store.delete(CLAIM, "web-tmp")
    stage.run("1s")
    assert stage.store.get(CLAIM, "web-tmp")["metadata"]["uid"] != first
