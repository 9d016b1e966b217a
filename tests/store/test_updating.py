from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import BadRequest, Conflict, Invalid, NotFound, UnsupportedMediaType
from kubestage.objects.patches import PatchType
from tests.store.samples import (
    CONFIG_MAP,
    DEFINITION,
    LEASE,
    POD,
    REPLICA_SET,
    WIDGET,
    config_map,
    make_store,
    pod,
    replica_set,
    widget,
    widgets_definition,
)

if TYPE_CHECKING:
    from kubestage.store.store import Store


@pytest.fixture
def store() -> Store:
    return make_store()


def changed(obj: dict[str, Any], **data: str) -> dict[str, Any]:
    return {**obj, "data": data}


def test_an_update_replaces_the_object(store: Store) -> None:
    created = store.create(config_map("a"))
    updated = store.update(changed(created, b="2"))
    assert updated["data"] == {"b": "2"}
    assert int(updated["metadata"]["resourceVersion"]) > int(created["metadata"]["resourceVersion"])
    assert created["data"] == {"a": "1"}
    assert store.get(CONFIG_MAP, "a") is updated


def test_equal_parts_are_shared_with_the_old_version(store: Store) -> None:
    created = store.create(pod("a", labels={"x": "1"}))
    again = copy.deepcopy(created)
    again["metadata"]["annotations"] = {"n": "v"}
    updated = store.update(again)
    assert updated["spec"] is created["spec"]
    assert updated["status"] is created["status"]
    assert updated["metadata"]["labels"] is created["metadata"]["labels"]


def test_a_stale_version_conflicts(store: Store) -> None:
    created = store.create(config_map("a"))
    store.update(changed(created, b="2"))
    with pytest.raises(Conflict, match=r"the object has been modified; please apply") as refusal:
        store.update(changed(created, c="3"))
    assert refusal.value.details == {"name": "a", "kind": "configmaps"}


def test_without_a_version_the_latest_is_replaced(store: Store) -> None:
    created = store.create(config_map("a"))
    store.update(changed(created, b="2"))
    assert store.update(config_map("a"))["data"] == {"a": "1"}


def test_some_kinds_insist_on_a_version(store: Store) -> None:
    lease = {"apiVersion": LEASE[0], "kind": LEASE[1], "metadata": {"name": "l"}, "spec": {}}
    store.create(lease)
    with pytest.raises(Invalid, match=r'^leases.coordination.k8s.io "l" is invalid: metadata.res'):
        store.update(lease)


def test_a_version_is_a_number(store: Store) -> None:
    store.create(config_map("a"))
    with pytest.raises(BadRequest, match=r"ParseUint"):
        store.update(config_map("a", resourceVersion="abc"))


def test_a_uid_means_that_object_and_no_other(store: Store) -> None:
    store.create(config_map("a"))
    with pytest.raises(Conflict, match=r"Key: /registry/configmaps/default/a, ") as refusal:
        store.update(config_map("a", uid="00000000-0000-0000-0000-000000000001"))
    assert "Precondition failed: UID in precondition: 0000" in refusal.value.message


def test_an_update_that_says_nothing_new_is_none(store: Store) -> None:
    created = store.create(pod("a"))
    version = store.resource_version
    assert store.update(copy.deepcopy(created)) is created
    assert store.patch(POD, "a", {"spec": {"restartPolicy": "Always"}}) is created
    assert store.resource_version == version


def test_what_is_not_there_cannot_be_updated(store: Store) -> None:
    with pytest.raises(NotFound, match=r'configmaps "a" not found'):
        store.update(config_map("a"))


def test_some_kinds_are_created_by_an_update(store: Store) -> None:
    lease = {"apiVersion": LEASE[0], "kind": LEASE[1], "metadata": {"name": "l"}, "spec": {}}
    store.update(lease)
    assert store.get(LEASE, "l")["metadata"]["uid"]


def test_the_name_must_be_that_of_the_request(store: Store) -> None:
    store.create(config_map("a"))
    message = r"the name of the object \(a\) does not match the name on the URL \(b\)"
    with pytest.raises(BadRequest, match=message):
        store.update(config_map("a"), name="b")
    message = r"the name of the object \(a based on URL\) was undeterminable"
    with pytest.raises(BadRequest, match=message):
        store.update(config_map(""), name="a")
    with pytest.raises(BadRequest, match=r"undeterminable"):
        store.update(config_map(""))
    with pytest.raises(BadRequest, match=r"does not match the namespace"):
        store.update(config_map("a"), namespace="kube-system")


def test_generation_counts_changes_of_the_spec_only(store: Store) -> None:
    store.create(replica_set("r"))
    store.patch(REPLICA_SET, "r", {"metadata": {"labels": {"x": "1"}, "generation": 99}})
    assert store.get(REPLICA_SET, "r")["metadata"]["generation"] == 1
    store.patch(REPLICA_SET, "r", {"spec": {"replicas": 3}})
    assert store.get(REPLICA_SET, "r")["metadata"]["generation"] == 2
    store.patch(REPLICA_SET, "r", {"status": {"replicas": 3}}, subresource="status")
    assert store.get(REPLICA_SET, "r")["metadata"]["generation"] == 2


def test_status_is_written_apart_from_spec(store: Store) -> None:
    store.create(replica_set("r"))
    both = {"spec": {"replicas": 5}, "status": {"replicas": 4}}
    updated = store.patch(REPLICA_SET, "r", both)
    assert (updated["spec"]["replicas"], updated["status"]["replicas"]) == (5, 0)
    both = {"spec": {"replicas": 6}, "status": {"replicas": 4}}
    updated = store.patch(REPLICA_SET, "r", both, subresource="status")
    assert (updated["spec"]["replicas"], updated["status"]["replicas"]) == (5, 4)


def test_immutable_fields_are_guarded(store: Store) -> None:
    store.create(pod("a"))
    with pytest.raises(Invalid, match=r"pod updates may not change fields other than"):
        store.patch(POD, "a", {"spec": {"hostNetwork": True}})


def test_a_rehearsed_update_changes_nothing(store: Store) -> None:
    created = store.create(config_map("a"))
    rehearsed = store.update(changed(created, b="2"), dry_run=True)
    assert rehearsed["data"] == {"b": "2"}
    assert rehearsed["metadata"]["resourceVersion"] == created["metadata"]["resourceVersion"]
    assert store.get(CONFIG_MAP, "a") is created


@pytest.mark.parametrize(
    ("patch_type", "patch"),
    [
        (PatchType.MERGE, {"data": {"b": "2"}}),
        (PatchType.STRATEGIC, {"data": {"b": "2"}}),
        (PatchType.JSON, [{"op": "add", "path": "/data/b", "value": "2"}]),
    ],
)
def test_three_forms_of_a_patch(store: Store, patch_type: PatchType, patch: Any) -> None:
    store.create(config_map("a"))
    patched = store.patch(CONFIG_MAP, "a", patch, patch_type=patch_type)
    assert patched["data"] == {"a": "1", "b": "2"}


def test_a_patch_may_insist_on_a_version(store: Store) -> None:
    store.create(config_map("a"))
    with pytest.raises(Conflict):
        store.patch(CONFIG_MAP, "a", {"metadata": {"resourceVersion": "1"}})


def test_a_patch_cannot_change_who_an_object_is(store: Store) -> None:
    store.create(config_map("a"))
    with pytest.raises(BadRequest, match=r"does not match the name on the URL"):
        store.patch(CONFIG_MAP, "a", {"metadata": {"name": "b"}})
    with pytest.raises(Invalid, match=r"metadata.uid: .*field is immutable"):
        store.patch(CONFIG_MAP, "a", {"metadata": {"uid": "x"}})


def test_a_patch_that_fails_is_refused(store: Store) -> None:
    store.create(config_map("a"))
    failing = [{"op": "test", "path": "/data/a", "value": "9"}]
    with pytest.raises(Invalid, match=r"the server rejected our request due to an error"):
        store.patch(CONFIG_MAP, "a", failing, patch_type=PatchType.JSON)
    with pytest.raises(BadRequest, match=r"cannot unmarshal object into Go value of type \[\]hand"):
        store.patch(CONFIG_MAP, "a", {"a": 1}, patch_type=PatchType.JSON)
    with pytest.raises(BadRequest, match="Invalid JSON Patch"):
        store.patch(CONFIG_MAP, "a", None)
    with pytest.raises(BadRequest, match=r"cannot unmarshal string into Go value of type map"):
        store.patch(CONFIG_MAP, "a", "x")
    whole = [{"op": "replace", "path": "", "value": [1]}]
    with pytest.raises(BadRequest, match=r"the patch leaves no object"):
        store.patch(CONFIG_MAP, "a", whole, patch_type=PatchType.JSON)
    store.create(pod("p"))
    patch = {"spec": {"containers": [{"image": "x"}]}}
    with pytest.raises(BadRequest, match=r"does not contain declared merge key: name"):
        store.patch(POD, "p", patch, patch_type=PatchType.STRATEGIC)
    with pytest.raises(NotFound):
        store.patch(CONFIG_MAP, "none", {})


def test_field_validation_of_a_patch(store: Store) -> None:
    store.create(config_map("a"))
    with pytest.raises(Invalid, match=r'strict decoding error: unknown field "bogus"') as refusal:
        store.patch(CONFIG_MAP, "a", {"bogus": 1}, field_validation="Strict")
    assert refusal.value.details["causes"][0]["field"] == "patch"
    warnings: list[str] = []
    patched = store.patch(CONFIG_MAP, "a", {"bogus": 1}, field_validation="Warn", warnings=warnings)
    assert warnings == ['unknown field "bogus"']
    assert "bogus" not in patched


def test_custom_resources_take_no_strategic_patch(store: Store) -> None:
    store.create(widgets_definition(subresources={"status": {}}))
    store.create(widget("w", spec={"size": 1}))
    with pytest.raises(UnsupportedMediaType, match=r"application/merge-patch"):
        store.patch(WIDGET, "w", {"spec": {"size": 2}}, patch_type=PatchType.STRATEGIC)
    assert store.patch(WIDGET, "w", {"spec": {"size": 2}})["metadata"]["generation"] == 2


def test_a_subresource_that_a_kind_lacks_is_not_found(store: Store) -> None:
    store.create(config_map("a"))
    message = "could not find the requested resource"
    with pytest.raises(NotFound, match=message):
        store.get(CONFIG_MAP, "a", subresource="status")
    with pytest.raises(NotFound, match=message):
        store.update(config_map("a"), subresource="status")
    with pytest.raises(NotFound, match=message):
        store.patch(CONFIG_MAP, "a", {}, subresource="scale")


def test_true_in_place_of_one_is_a_change(store: Store) -> None:
    store.create(widgets_definition())
    store.create(widget("w", spec={"on": 1}))
    assert store.patch(WIDGET, "w", {"spec": {"on": True}})["spec"]["on"] is True
    assert store.get(DEFINITION, "widgets.example.com")


def test_a_strategic_patch_cannot_change_the_kind(store: Store) -> None:
    store.create(config_map("a"))
    patch = {"kind": "Secret", "apiVersion": "v2", "data": {"b": "2"}}
    patched = store.patch(
        CONFIG_MAP, "a", patch, patch_type=PatchType.STRATEGIC, field_validation="Strict"
    )
    assert (patched["kind"], patched["data"]) == ("ConfigMap", {"a": "1", "b": "2"})


def test_a_strategic_patch_is_quoted_as_it_was_sent(store: Store) -> None:
    store.create(config_map("a"))
    with pytest.raises(Invalid) as caught:
        store.patch(
            CONFIG_MAP,
            "a",
            {"bogus": [1, "x"]},
            patch_type=PatchType.STRATEGIC,
            field_validation="Strict",
        )
    assert caught.value.message == (
        ' "" is invalid: patch: Invalid value: "map[bogus:[1 x]]": strict decoding error: unknown '
        'field "bogus"'
    )


def test_owners_that_a_patch_names_twice_are_warned_of(store: Store) -> None:
    store.create(config_map("a"))
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "o", "uid": "u"}
    warnings: list[str] = []
    patch = {"metadata": {"ownerReferences": [owner, owner]}}
    patched = store.patch(CONFIG_MAP, "a", patch, warnings=warnings)
    assert len(patched["metadata"]["ownerReferences"]) == 1
    assert len(warnings) == 1
    assert "duplicate entries after mutating admission happens; API server" in warnings[0]
    assert "duplicate UID(s) observed: u" in warnings[0]
