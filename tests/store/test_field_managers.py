"""managedFields in the store: tracked for those who name a manager, and for nobody else."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from kubestage.objects.patches import PatchType
from kubestage.units import SECOND_NS
from tests.store.samples import CONFIG_MAP, POD, config_map, make_store, pod

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store


def entries(obj: Json) -> dict[tuple[str, str, str], Json]:
    return {
        (each["manager"], each["operation"], each.get("subresource", "")): each["fieldsV1"]
        for each in obj["metadata"].get("managedFields", [])
    }


def test_a_simulation_of_its_own_keeps_no_record() -> None:
    store = make_store()
    store.create(pod("a"))
    store.patch(POD, "a", {"metadata": {"labels": {"x": "y"}}})
    store.patch(POD, "a", {"status": {"phase": "Running"}}, subresource="status")
    updated = store.update({**store.get(POD, "a")})
    assert "managedFields" not in updated["metadata"]


def test_a_named_creator_owns_what_it_wrote_and_what_was_defaulted() -> None:
    created = make_store().create(pod("a", labels={"x": "y"}), manager="me")
    found = entries(created)["me", "Update", ""]
    assert found["f:metadata"] == {"f:labels": {".": {}, "f:x": {}}}
    assert "f:restartPolicy" in found["f:spec"]
    # Admission wrote these, not the creator; and the status is nobody's.
    assert "f:tolerations" not in found["f:spec"]
    assert "f:status" not in found


def test_siblings_of_a_template_share_their_record_but_for_the_time() -> None:
    store = make_store()
    first = store.create(pod("a"), manager="me")
    store.clock.now_ns += 5 * SECOND_NS
    second = store.create(pod("b"), manager="me")
    third = store.create(pod("c"), manager="me")
    one, other = first["metadata"]["managedFields"][0], second["metadata"]["managedFields"][0]
    assert one["time"] != other["time"]
    assert other["time"] == second["metadata"]["creationTimestamp"]
    assert one["fieldsV1"] is other["fieldsV1"]
    assert second["metadata"]["managedFields"] is third["metadata"]["managedFields"]


def test_siblings_of_other_creators_and_with_made_up_names_have_their_own_record() -> None:
    store = make_store()
    named = store.create(pod("a"), manager="me")
    other = store.create(pod("b"), manager="you")
    made_up = store.create(pod(), manager="me")
    nobody = store.create(pod("c"))
    assert list(entries(named)) == [("me", "Update", "")]
    assert list(entries(other)) == [("you", "Update", "")]
    assert entries(made_up)["me", "Update", ""]["f:metadata"] == {"f:generateName": {}}
    assert "f:metadata" not in entries(named)["me", "Update", ""]
    assert entries(nobody) == {}


def test_the_status_is_owned_through_its_subresource() -> None:
    store = make_store()
    store.create(pod("a"), manager="me")
    patch = {"status": {"phase": "Running"}, "spec": {"priority": 7}}
    after = store.patch(POD, "a", patch, subresource="status", manager="kubelet")
    assert entries(after)["kubelet", "Update", "status"] == {"f:status": {"f:phase": {}}}


def test_a_component_of_the_simulation_is_tracked_where_others_are() -> None:
    store = make_store()
    store.create(config_map("a"), manager="me")
    store.component = "the-simulation"
    after = store.patch(CONFIG_MAP, "a", {"data": {"b": "2"}})
    assert entries(after)["the-simulation", "Update", ""] == {"f:data": {"f:b": {}}}


@pytest.mark.parametrize("manager", ["me", "you"])
def test_a_write_that_says_nothing_new_is_no_version(manager: str) -> None:
    store = make_store()
    created = store.create(config_map("a"), manager="me")
    store.clock.now_ns += 5 * SECOND_NS
    again = store.update(config_map("a"), manager=manager)
    assert again is store.get(CONFIG_MAP, "a")
    assert again["metadata"] == created["metadata"]


def test_what_the_rules_of_a_kind_take_back_is_no_version_the_second_time() -> None:
    store = make_store()
    namespace: Json = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}
    store.create(namespace, manager="me")
    wanted = {**namespace, "spec": {"finalizers": ["example.com/other"]}}
    first = store.update(wanted, manager="you")
    assert first["spec"] == {"finalizers": ["kubernetes"]}
    store.clock.now_ns += 5 * SECOND_NS
    assert store.update(wanted, manager="you") is first


def claim() -> Json:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"kind": "PersistentVolumeClaim", "metadata": {"name": "a"}, "spec": spec}


def job(labels: dict[str, str]) -> Json:
    inner = {**pod("x")["spec"], "restartPolicy": "Never"}
    spec = {"template": {"metadata": {"labels": labels}, "spec": inner}}
    return {"kind": "Job", "metadata": {"name": "a"}, "spec": spec}


@pytest.mark.parametrize(
    ("api_version", "obj", "is_completed"),
    [("v1", claim(), True), ("batch/v1", job({}), True), ("batch/v1", job({"x": "y"}), False)],
)
def test_any_write_stores_what_was_stored_without_and_read_with(
    api_version: str, obj: Json, is_completed: bool
) -> None:
    store = make_store()
    kind = (api_version, obj["kind"])
    created = store.create({"apiVersion": api_version, **obj}, manager="me")
    first = store.patch(kind, "a", {}, manager="me")
    assert (first is not created) == is_completed
    assert {**first["metadata"], "resourceVersion": ""} == {
        **created["metadata"],
        "resourceVersion": "",
    }
    assert store.patch(kind, "a", {}, manager="me") is first
    store.delete(kind, "a")
    assert not store.unread


def test_time_moves_on_only_with_what_the_writer_changes() -> None:
    store = make_store()
    before = store.create(config_map("a"), manager="me")["metadata"]["managedFields"][0]["time"]
    store.clock.now_ns += 5 * SECOND_NS
    after = store.patch(CONFIG_MAP, "a", {"data": {"b": "2"}}, manager="you")
    times = {each["manager"]: each["time"] for each in after["metadata"]["managedFields"]}
    assert times["me"] == before
    assert times["you"] > before


def test_a_patch_may_reset_or_rewrite_the_record() -> None:
    store = make_store()
    created = store.create(config_map("a"), manager="me")
    entry = {**created["metadata"]["managedFields"][0], "manager": "heir"}
    operations = [{"op": "replace", "path": "/metadata/managedFields", "value": [entry]}]
    after = store.patch(CONFIG_MAP, "a", operations, patch_type=PatchType.JSON, manager="kubectl")
    assert list(entries(after)) == [("heir", "Update", "")]
    reset = store.patch(CONFIG_MAP, "a", {"metadata": {"managedFields": [{}]}}, manager="kubectl")
    assert "managedFields" not in reset["metadata"]


def test_a_record_goes_with_a_copy_of_the_store() -> None:
    store = make_store()
    store.create(pod("a"), manager="me")
    copy: Store = pickle.loads(pickle.dumps(store))
    assert copy.create(pod("b"), manager="me") == store.create(pod("b"), manager="me")


def test_an_updater_of_the_scale_owns_the_replicas() -> None:
    store = make_store()
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod("x")["spec"]}
    selector = {"matchLabels": {"a": "b"}}
    spec = {"replicas": 1, "selector": selector, "template": template}
    kind = ("apps/v1", "ReplicaSet")
    replica_set = {"apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "r"}, "spec": spec}
    store.create(replica_set, manager="me")
    store.patch(kind, "r", {"spec": {"replicas": 3}}, subresource="scale", manager="hpa")
    found = entries(store.get(kind, "r"))
    assert found["hpa", "Update", "scale"] == {"f:spec": {"f:replicas": {}}}
    assert "f:replicas" not in found["me", "Update", ""]["f:spec"]
