"""The resource claim controller among others: devices go from pod to pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers import registry
from kubestage.controllers.lazy_controller import Placeholder
from kubestage.stage import Stage
from kubestage.testing import make_node
from tests.controllers.resource_claim.devices import CLAIM, DRIVER, POD, template

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _devices(count: int) -> list[Json]:
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 1}
    devices = [{"name": f"gpu-{number}"} for number in range(count)]
    selector = {"cel": {"expression": f"device.driver == '{DRIVER}'"}}
    return [
        {
            "apiVersion": CLAIM[0],
            "kind": "ResourceSlice",
            "metadata": {"name": "n1-gpus"},
            "spec": {"driver": DRIVER, "nodeName": "n1", "pool": pool, "devices": devices},
        },
        {
            "apiVersion": CLAIM[0],
            "kind": "DeviceClass",
            "metadata": {"name": DRIVER},
            "spec": {"selectors": [selector], "extendedResourceName": "example.com/gpu"},
        },
    ]


def _job(completions: int, *, is_extended: bool = False) -> Json:
    container: Json = {"name": "main", "image": "sleep"}
    spec: Json = {"restartPolicy": "Never", "containers": [container]}
    if is_extended:
        container["resources"] = {"limits": {"example.com/gpu": "1"}}
    else:
        container["resources"] = {"claims": [{"name": "gpu"}]}
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "gpus"}]
    notes = {"kubestage.dev/run-duration": "10s"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "default"},
        "spec": {
            "completions": completions,
            "parallelism": completions,
            "template": {"metadata": {"annotations": notes}, "spec": spec},
        },
    }


def _stage(*objects: Json) -> Stage:
    stage = Stage(seed=3)
    stage.add_scheduler()
    stage.add_controllers()
    stage.apply([make_node("n1", cpu="8"), *objects])
    return stage


def _phases(stage: Stage) -> list[str]:
    return sorted(each["status"]["phase"] for each in stage.store.list(POD).items)


def test_pods_use_one_device_after_another_has_left_it() -> None:
    stage = _stage(*_devices(2), template(), _job(5))
    stage.run("8s")
    assert _phases(stage) == ["Pending"] * 3 + ["Running"] * 2
    found = [each for each in stage.store.list(CLAIM).items if "allocation" in each["status"]]
    taken = {each["status"]["allocation"]["devices"]["results"][0]["device"] for each in found}
    assert taken == {"gpu-0", "gpu-1"}
    stage.run("2m")
    assert _phases(stage) == ["Succeeded"] * 5
    assert stage.store.list(CLAIM).items == []
    assert stage.controllers is not None
    assert stage.controllers.failures == {}


def test_devices_behind_resources_are_used_again_too() -> None:
    stage = _stage(*_devices(1), _job(3, is_extended=True))
    stage.run("5s")
    (made,) = stage.store.list(CLAIM).items
    assert made["metadata"]["annotations"]["resource.kubernetes.io/extended-resource-claim"]
    stage.run("2m")
    assert _phases(stage) == ["Succeeded"] * 3
    assert stage.store.list(CLAIM).items == []


def test_claims_go_with_pods_that_are_deleted() -> None:
    stage = _stage(*_devices(2), template(), _job(2))
    stage.run("5s")
    assert len(stage.store.list(CLAIM).items) == 2
    stage.store.delete(("batch/v1", "Job"), "train")
    stage.run("2m")
    assert stage.store.list(CLAIM).items == []


def test_the_loop_sleeps_while_nobody_has_claims() -> None:
    stage = _stage(template())
    stage.run("1m")
    assert stage.controllers is not None
    (loop,) = [each for each in stage.controllers.controllers if each.name == "resource_claim"]
    assert isinstance(loop, Placeholder)
    stage.apply([_job(1)])
    stage.run("1s")
    (loop,) = [each for each in stage.controllers.controllers if each.name == "resource_claim"]
    assert not isinstance(loop, Placeholder)
    assert [each.name for each in registry.LOOPS].count("resource_claim") == 1


def test_a_fork_goes_on_as_the_stage_would() -> None:
    stage = _stage(*_devices(1), template(), _job(3))
    stage.run("7s")
    fork = stage.fork()
    for each in (stage, fork):
        each.run("1m")
    names = [each["metadata"]["name"] for each in stage.store.list(POD).items]
    assert names == [each["metadata"]["name"] for each in fork.store.list(POD).items]
    assert stage.store.resource_version == fork.store.resource_version
