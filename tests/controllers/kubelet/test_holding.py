"""Pods that refer to objects which are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.errors import InputError
from tests.controllers.kubelet.clusters import POD, Cluster, at

if TYPE_CHECKING:
    from kubestage.aliases import Json

_CONFIG = ("v1", "ConfigMap")


def _cluster(absent: str = "hold") -> Cluster:
    cluster = Cluster(absent_references=absent, image_bandwidth="0")
    cluster.node()
    return cluster


def _container(**parts: Any) -> list[Json]:
    return [{"name": "c", "image": "app:1", **parts}]


def _env(optional: bool = False, part: str = "configMapKeyRef") -> list[Json]:
    reference = {"name": "settings", "key": "mode", "optional": optional}
    return _container(env=[{"name": "MODE", "valueFrom": {part: reference}}])


def _mounting(**volume: Any) -> dict[str, Any]:
    mounts = [{"name": "v", "mountPath": "/v"}]
    return {
        "containers": _container(volumeMounts=mounts),
        "volumes": [{"name": "v", **volume}],
    }


def _config(data: dict[str, str] | None = None, kind: str = "ConfigMap") -> Json:
    metadata = {"name": "settings", "namespace": "default"}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, "data": data or {}}


def _waiting(cluster: Cluster) -> Json:
    waiting: Json = cluster.container()["state"]["waiting"]
    return waiting


def test_a_container_waits_for_the_config_map_of_its_environment_and_for_its_key() -> None:
    cluster = _cluster()
    cluster.pod(containers=_env())
    cluster.run("15s")
    missing = 'configmap "settings" not found'
    assert _waiting(cluster) == {"reason": "CreateContainerConfigError", "message": missing}
    assert cluster.status()["phase"] == "Pending"
    assert ("Failed", f"Error: {missing}") in cluster.events()
    cluster.store.create(_config())
    cluster.run("10s")
    assert _waiting(cluster)["message"] == "couldn't find key mode in ConfigMap default/settings"
    cluster.store.update(_config({"mode": "fast"}))
    cluster.run("10s")
    # It is tried every ten seconds, from its first attempt on.
    assert cluster.container()["state"]["running"]["startedAt"] == at(31)


def test_nothing_is_done_while_it_waits() -> None:
    cluster = _cluster()
    cluster.pod(containers=_env())
    cluster.pod("mounts", **_mounting(configMap={"name": "settings"}))
    cluster.run("15s")
    done = len(cluster.movements())
    cluster.run("1h")
    assert len(cluster.movements()) == done


def test_all_of_a_secret_is_needed() -> None:
    cluster = _cluster()
    cluster.pod(containers=_container(envFrom=[{"secretRef": {"name": "settings"}}]))
    cluster.run("5s")
    assert _waiting(cluster)["message"] == 'secret "settings" not found'
    cluster.store.create(_config(kind="Secret"))
    cluster.run("10s")
    assert cluster.status()["phase"] == "Running"


@pytest.mark.parametrize("part", ["configMapKeyRef", "secretKeyRef"])
def test_what_is_optional_may_be_missing(part: str) -> None:
    cluster = _cluster()
    cluster.pod(containers=_env(optional=True, part=part))
    cluster.pod("mounts", **_mounting(configMap={"name": "settings", "optional": True}))
    cluster.run("2s")
    assert cluster.status()["phase"] == cluster.status("mounts")["phase"] == "Running"


def test_a_pod_waits_for_its_volumes_and_starts_with_the_next_attempt() -> None:
    cluster = _cluster()
    items = [{"key": "mode", "path": "mode"}]
    cluster.pod(**_mounting(configMap={"name": "settings", "items": items}))
    cluster.run("4s")
    assert _waiting(cluster) == {"reason": "ContainerCreating"}
    failed = 'MountVolume.SetUp failed for volume "v" : '
    assert cluster.events() == [("FailedMount", f'{failed}configmap "settings" not found')]
    cluster.store.create(_config())
    cluster.run("1s")
    absent = "configmap references non-existent config key: mode"
    assert cluster.events()[-1] == ("FailedMount", failed + absent)
    cluster.store.update(_config({"mode": "fast"}))
    cluster.run("10s")
    # Attempts are 0.5, 1, 2, 4 and 8 seconds after one another.
    assert cluster.container()["state"]["running"]["startedAt"] == at(8)


def test_all_sources_of_a_projected_volume_are_named() -> None:
    cluster = _cluster()
    sources = [{"configMap": {"name": "a"}}, {"secret": {"name": "b"}}]
    cluster.pod(**_mounting(projected={"sources": sources}))
    cluster.run("2s")
    assert cluster.events()[0][1].endswith('[configmap "a" not found, secret "b" not found]')


def test_a_volume_that_nothing_mounts_is_not_needed() -> None:
    cluster = _cluster()
    cluster.pod(volumes=[{"name": "v", "configMap": {"name": "settings"}}])
    cluster.run("2s")
    assert cluster.status()["phase"] == "Running"


def test_a_claim_that_is_missing_or_not_bound_holds_its_pod() -> None:
    cluster = _cluster()
    cluster.pod(**_mounting(persistentVolumeClaim={"claimName": "data"}))
    cluster.run("2s")
    text = (
        "Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], "
        "failed to process volumes=[v]: error processing PVC default/data: failed to fetch "
        'PVC from API server: persistentvolumeclaims "data" not found'
    )
    assert cluster.events() == [("FailedMount", text)]
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    cluster.store.create(claim)
    cluster.run("10s")
    assert cluster.events()[-1][1].endswith("error processing PVC default/data: PVC is not bound")


def test_a_path_by_expression_is_mended_by_an_annotation() -> None:
    cluster = _cluster()
    field = {"fieldRef": {"fieldPath": "metadata.annotations['kubestage.dev/path']"}}
    mount = {"name": "v", "mountPath": "/v", "subPathExpr": "$(WHERE)/logs"}
    containers = _container(env=[{"name": "WHERE", "valueFrom": field}], volumeMounts=[mount])
    cluster.pod(containers=containers, volumes=[{"name": "v", "emptyDir": {}}])
    cluster.run("5s")
    assert _waiting(cluster)["message"] == "missing value for WHERE"
    for path, problem in (
        ("/tmp", "error SubPath `/tmp/logs` must not be an absolute path"),
        ("..", "unable to provision SubPath `../logs`: must not contain '..'"),
    ):
        _annotate(cluster, path)
        assert _waiting(cluster) == {"reason": "CreateContainerConfigError", "message": problem}
    _annotate(cluster, "here")
    assert cluster.status()["phase"] == "Running"


def _annotate(cluster: Cluster, path: str) -> None:
    patch = {"metadata": {"annotations": {"kubestage.dev/path": path}}}
    cluster.store.patch(POD, "web", patch, "default")
    cluster.run("1ms")


def test_a_pod_that_waits_can_be_deleted_and_is_forgotten() -> None:
    cluster = _cluster()
    cluster.pod(containers=_env())
    cluster.run("2s")
    cluster.delete()
    cluster.run("1m")
    assert cluster.get() is None
    cluster.store.create(_config({"mode": "fast"}))
    cluster.run("1m")
    assert cluster.get() is None


def test_one_that_restarts_needs_it_again() -> None:
    cluster = _cluster()
    cluster.store.create(_config({"mode": "fast"}))
    cluster.pod(containers=_env(), annotations={"run-duration": "30s"})
    cluster.run("10s")
    cluster.store.delete(_CONFIG, "settings", "default")
    cluster.run("30s")
    assert cluster.container()["state"]["waiting"]["reason"] == "CreateContainerConfigError"
    assert cluster.container()["lastState"]["terminated"]["reason"] == "Completed"


@pytest.mark.parametrize("absent", ["assume", ""])
def test_without_the_setting_pods_start_as_if_everything_were_there(absent: str) -> None:
    cluster = _cluster(absent)
    cluster.pod(containers=_env())
    cluster.pod("mounts", **_mounting(secret={"secretName": "settings"}))
    cluster.run("2s")
    assert cluster.status()["phase"] == cluster.status("mounts")["phase"] == "Running"


def test_a_setting_that_means_nothing_is_refused() -> None:
    with pytest.raises(InputError, match='"maybe" is neither hold nor assume'):
        KubeletSettings(absent_references="maybe")
