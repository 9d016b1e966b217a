from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.settings import Settings
from kubestage.controllers.volumes.external_provisioner import ExternalProvisioner
from kubestage.testing import make_node, make_pod
from tests.controllers.stages import events, stage_with
from tests.controllers.volumes.storage import (
    CLAIM,
    LOOPS,
    VOLUME,
    WITH_HOST_PATHS,
    claim,
    storage_class,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage

_HOST_PATH = "kubernetes.io/host-path"


def _with_host_paths(*objects: Json) -> Stage:
    stage = stage_with(*LOOPS, settings=WITH_HOST_PATHS, objects=objects)
    stage.run("1s")
    return stage


def _with_drivers(*objects: Json, **settings: Any) -> Stage:
    loops = (*LOOPS, ExternalProvisioner)
    return stage_with(*loops, settings=Settings(**settings), objects=objects)


def _phase(stage: Stage, name: str = "data") -> str:
    found: str = stage.store.get(CLAIM, name)["status"]["phase"]
    return found


def test_the_built_in_provisioner_makes_a_volume_of_the_size_asked_for() -> None:
    stage = _with_host_paths(storage_class(provisioner=_HOST_PATH), claim(size="3Gi"))
    (made,) = stage.store.list(VOLUME).items
    uid = stage.store.get(CLAIM, "data")["metadata"]["uid"]
    assert made["metadata"]["name"] == f"pvc-{uid}"
    assert made["spec"]["capacity"] == {"storage": "3Gi"}
    assert made["metadata"]["finalizers"] == [
        "kubernetes.io/pv-controller",
        "kubernetes.io/pv-protection",
    ]
    text = f"Successfully provisioned volume pvc-{uid} using {_HOST_PATH}"
    assert events(stage) == [("ProvisioningSucceeded", text, 1)]


def test_a_provisioned_volume_goes_with_its_claim() -> None:
    stage = _with_host_paths(storage_class(provisioner=_HOST_PATH), claim())
    stage.store.delete(CLAIM, "data")
    stage.run("1s")
    assert not stage.store.list(VOLUME).items


def test_what_cannot_be_provisioned_is_told_and_tried_again_ever_later() -> None:
    stage = stage_with(*LOOPS, objects=[storage_class(provisioner=_HOST_PATH), claim()])
    stage.run("1s")
    text = f'Failed to create provisioner: provisioning in volume plugin "{_HOST_PATH}" is disabled'
    # The second time for the provisioner's name that was written on the claim.
    assert events(stage) == [("ProvisioningFailed", text, 1)]
    stage.run("1h")
    assert not stage.store.list(VOLUME).items


def test_a_class_that_is_not_there_and_a_provisioner_that_is_none() -> None:
    none = storage_class("none", "kubernetes.io/no-provisioner")
    stage = _with_host_paths(
        none, claim("a", storage_class="ghost"), claim("b", storage_class="none")
    )
    assert {message for _, message, _ in events(stage)} == {
        'storageclass.storage.k8s.io "ghost" not found',
        "no volume plugin matched name: kubernetes.io/no-provisioner",
    }


def test_a_claim_without_a_class_gets_the_default_one_when_there_is_one() -> None:
    unclassed = claim()
    del unclassed["spec"]["storageClassName"]
    stage = _with_host_paths(unclassed)
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    stage.store.create(storage_class("usual", _HOST_PATH, annotations=default))
    stage.run("15s")
    assert stage.store.get(CLAIM, "data")["spec"]["storageClassName"] == "usual"
    assert _phase(stage) == "Bound"


def test_a_driver_takes_its_time() -> None:
    stage = _with_drivers(storage_class(), claim(), provision_delay="20s")
    stage.run("19s")
    assert _phase(stage) == "Pending"
    stage.run("2s")
    assert _phase(stage) == "Bound"
    (made,) = stage.store.list(VOLUME).items
    assert made["spec"]["csi"]["driver"] == "example.com.csi"


def test_a_class_can_have_a_delay_of_its_own() -> None:
    slow = storage_class("slow", annotations={"kubestage.dev/provision-delay": "uniform(50s,60s)"})
    stage = _with_drivers(slow, claim(storage_class="slow"))
    stage.run("49s")
    assert _phase(stage) == "Pending"
    stage.run("12s")
    assert _phase(stage) == "Bound"


def test_a_delay_that_cannot_be_read_is_told_and_the_default_holds() -> None:
    odd = storage_class("odd", annotations={"kubestage.dev/provision-delay": "soon"})
    stage = _with_drivers(odd, claim(storage_class="odd"))
    stage.run("1s")
    assert _phase(stage) == "Bound"
    ((_, message, _),) = events(stage, "InvalidAnnotation")
    assert "kubestage.dev/provision-delay" in message


def test_a_drivers_volume_goes_with_its_claim_unless_it_is_to_be_kept() -> None:
    kept = storage_class("kept", reclaimPolicy="Retain")
    stage = _with_drivers(storage_class(), kept, claim("a"), claim("b", storage_class="kept"))
    stage.run("1s")
    for name in ("a", "b"):
        stage.store.delete(CLAIM, name)
    stage.run("1s")
    (left,) = stage.store.list(VOLUME).items
    assert left["spec"]["storageClassName"] == "kept"
    assert left["status"]["phase"] == "Released"


def test_a_volume_for_a_pod_is_made_in_the_zone_of_its_node() -> None:
    late = storage_class(volumeBindingMode="WaitForFirstConsumer")
    node = make_node("n1", labels={"topology.kubernetes.io/zone": "west"})
    stage = _with_drivers(late, node, claim(), provision_delay="5s")
    stage.add_scheduler()
    pod = make_pod("web")
    pod["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    stage.store.create(pod)
    stage.run("4s")
    assert "nodeName" not in stage.store.get(("v1", "Pod"), "web")["spec"]
    stage.run("3s")
    assert stage.store.get(("v1", "Pod"), "web")["spec"]["nodeName"] == "n1"
    (made,) = stage.store.list(VOLUME).items
    ((term,),) = (each["matchExpressions"] for each in _terms(made))
    assert term == {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["west"]}


def _terms(made: Json) -> list[Json]:
    found: list[Json] = made["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    return found
