from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import AlreadyExists, Forbidden
from tests.store.samples import CONFIG_MAP, POD, config_map, make_store, pod, replica_set

if TYPE_CHECKING:
    from kubestage.store.store import Store

QUOTA = ("v1", "ResourceQuota")
CLAIM = ("v1", "PersistentVolumeClaim")


def quota(
    store: Store,
    hard: dict[str, str],
    name: str = "q",
    used: dict[str, str] | None = None,
    **spec: Any,
) -> None:
    """A quota as its controller leaves it."""
    store.create(
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": name},
            "spec": {"hard": hard, **spec},
        }
    )
    status = {"hard": hard, "used": dict.fromkeys(hard, "0") | (used or {})}
    store.patch(QUOTA, name, {"status": status}, subresource="status")


def used(store: Store, name: str = "q") -> dict[str, str]:
    found: dict[str, str] = store.get(QUOTA, name)["status"]["used"]
    return found


def costly(name: str, **resources: dict[str, str]) -> dict[str, Any]:
    made = pod(name)
    made["spec"]["containers"][0]["resources"] = resources
    return made


def claim(name: str, size: str = "1Gi", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": size}},
            **spec,
        },
    }


@pytest.fixture
def store() -> Store:
    return make_store()


def test_a_quota_without_a_status_limits_nothing(store: Store) -> None:
    store.create(
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "q"},
            "spec": {"hard": {"pods": "0"}},
        }
    )
    store.create(pod("a"))


def test_every_pod_of_a_template_is_charged(store: Store) -> None:
    quota(store, {"pods": "2", "count/pods": "5"})
    store.create(pod())
    store.create(pod())
    with pytest.raises(Forbidden) as refusal:
        store.create(pod("third"))
    assert refusal.value.message == (
        'pods "third" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, '
        "limited: pods=2"
    )
    assert refusal.value.details == {"name": "third", "kind": "pods"}
    assert used(store) == {"count/pods": "2", "pods": "2"}


def test_a_refusal_names_the_name_that_was_made_up(store: Store) -> None:
    quota(store, {"pods": "0"})
    with pytest.raises(Forbidden, match=r'^pods "web-[a-z0-9]{5}" is forbidden: exceeded'):
        store.create(pod())


def test_only_what_is_exceeded_is_shown(store: Store) -> None:
    quota(store, {"requests.cpu": "1", "limits.memory": "1Gi", "pods": "10"})
    store.create(costly("a", requests={"cpu": "600m"}, limits={"memory": "512Mi"}))
    assert used(store) == {"limits.memory": "512Mi", "pods": "1", "requests.cpu": "600m"}
    with pytest.raises(Forbidden) as refusal:
        store.create(costly("b", requests={"cpu": "0.5"}, limits={"memory": "513Mi"}))
    assert refusal.value.message == (
        'pods "b" is forbidden: exceeded quota: q, requested: limits.memory=513Mi,'
        "requests.cpu=500m, used: limits.memory=512Mi,requests.cpu=600m, limited: "
        "limits.memory=1Gi,requests.cpu=1"
    )


def test_under_a_quota_for_compute_every_container_must_say_what_it_needs(store: Store) -> None:
    quota(store, {"cpu": "1", "limits.memory": "1Gi"})
    made = costly("a", requests={"cpu": "1m"})
    made["spec"]["initContainers"] = [{"name": "init", "image": "i"}]
    with pytest.raises(Forbidden) as refusal:
        store.create(made)
    assert refusal.value.message == (
        'pods "a" is forbidden: failed quota: q: must specify cpu for: init; limits.memory for: '
        "init,main"
    )


def test_usage_must_be_known(store: Store) -> None:
    quota(store, {"pods": "2", "cpu": "1"})
    status = {"hard": {"pods": "2", "cpu": "1"}, "used": {"pods": "0", "cpu": None}}
    store.patch(QUOTA, "q", {"status": status}, subresource="status")
    with pytest.raises(Forbidden) as refusal:
        store.create(costly("a", requests={"cpu": "1m"}))
    assert refusal.value.message == (
        'pods "a" is forbidden: status unknown for quota: q, resources: cpu,pods'
    )


def test_all_quotas_must_agree_before_one_is_charged(store: Store) -> None:
    quota(store, {"pods": "5"}, "a")
    quota(store, {"count/pods": "0"}, "b")
    with pytest.raises(Forbidden, match="exceeded quota: b"):
        store.create(pod())
    assert used(store, "a") == {"pods": "0"}


@pytest.mark.parametrize(
    ("made", "resource"),
    [
        (replica_set("a"), "count/replicasets.apps"),
        (config_map("a"), "configmaps"),
        (config_map("a"), "count/configmaps"),
    ],
)
def test_objects_are_counted(store: Store, made: dict[str, Any], resource: str) -> None:
    quota(store, {resource: "1"})
    store.create(made)
    assert used(store) == {resource: "1"}
    made["metadata"]["name"] = "b"
    with pytest.raises(Forbidden, match=f"requested: {resource}=1, used: {resource}=1"):
        store.create(made)


def test_other_namespaces_pay_for_themselves(store: Store) -> None:
    quota(store, {"configmaps": "0"})
    store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "rich"}})
    store.create(config_map("a", "rich"))


def test_a_dry_run_is_judged_and_not_charged(store: Store) -> None:
    quota(store, {"pods": "1"})
    store.create(pod("a"), dry_run=True)
    assert used(store) == {"pods": "0"}
    store.create(pod("a"))
    with pytest.raises(Forbidden):
        store.create(pod("b"), dry_run=True)


def test_what_cannot_be_stored_for_its_name_has_been_charged(store: Store) -> None:
    store.create(config_map("a"))
    quota(store, {"configmaps": "5"}, used={"configmaps": "1"})
    heard: list[str] = []
    store.subscribe(lambda change: heard.append(change.kind.kind))
    with pytest.raises(AlreadyExists):
        store.create(config_map("a"))
    assert used(store) == {"configmaps": "2"}
    assert heard == ["ResourceQuota"]


def test_updates_of_counted_kinds_are_free(store: Store) -> None:
    quota(store, {"configmaps": "1"})
    store.create(config_map("a"))
    store.patch(CONFIG_MAP, "a", {"data": {"b": "2"}})
    assert used(store) == {"configmaps": "1"}


def test_claims_are_charged_in_all_and_by_class(store: Store) -> None:
    hard = {
        "persistentvolumeclaims": "3",
        "requests.storage": "5Gi",
        "fast.storageclass.storage.k8s.io/requests.storage": "2Gi",
        "fast.storageclass.storage.k8s.io/persistentvolumeclaims": "9",
    }
    quota(store, hard)
    store.create(claim("a", "2Gi", storageClassName="slow"))
    store.create(claim("b", "1Gi", storageClassName="fast"))
    with pytest.raises(Forbidden) as refusal:
        store.create(claim("c", "2Gi", storageClassName="fast"))
    resource = "fast.storageclass.storage.k8s.io/requests.storage"
    assert refusal.value.message.endswith(
        f"exceeded quota: q, requested: {resource}=2Gi, used: {resource}=1Gi, "
        f"limited: {resource}=2Gi"
    )
    assert used(store)["requests.storage"] == "3Gi"


def test_a_claim_that_grows_is_charged_the_difference(store: Store) -> None:
    quota(store, {"requests.storage": "5Gi"})
    expandable = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": "x",
        "allowVolumeExpansion": True,
    }
    store.create(expandable)
    store.create(claim("a", "1Gi", storageClassName="fast"))
    store.patch(CLAIM, "a", {"status": {"phase": "Bound"}}, subresource="status")
    store.patch(CLAIM, "a", {"spec": {"resources": {"requests": {"storage": "4Gi"}}}})
    assert used(store) == {"requests.storage": "4Gi"}
    with pytest.raises(Forbidden, match=r"requested: requests.storage=2Gi, used: requests.sto"):
        store.patch(CLAIM, "a", {"spec": {"resources": {"requests": {"storage": "6Gi"}}}})


def test_a_pod_that_gets_a_deadline_changes_its_scope(store: Store) -> None:
    store.create(pod("a"))
    quota(store, {"pods": "1"}, "now", scopes=["Terminating"])
    store.patch(POD, "a", {"spec": {"activeDeadlineSeconds": 60}})
    assert used(store, "now") == {"pods": "1"}
    store.patch(POD, "a", {"metadata": {"labels": {"x": "y"}}})
    assert used(store, "now") == {"pods": "1"}


def test_a_scoped_quota_is_for_its_scope(store: Store) -> None:
    quota(store, {"pods": "0"}, scopes=["BestEffort"])
    store.create(costly("a", requests={"cpu": "1m"}))
    with pytest.raises(Forbidden):
        store.create(pod("b"))


def test_recorded_objects_are_not_charged(store: Store) -> None:
    quota(store, {"pods": "0"})
    store.load(pod("a"))
    assert used(store) == {"pods": "0"}


def test_a_store_may_go_without_checks() -> None:
    store = make_store(checks=())
    quota(store, {"pods": "0"})
    assert store.create(pod("a"))["metadata"]["name"] == "a"
