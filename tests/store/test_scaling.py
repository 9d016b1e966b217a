from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import BadRequest, Conflict, Invalid, NotFound
from kubestage.objects.patches import PatchType
from tests.store.samples import (
    DEFINITION,
    REPLICA_SET,
    WIDGET,
    make_store,
    replica_set,
    widget,
    widgets_definition,
)

if TYPE_CHECKING:
    from kubestage.store.store import Store


@pytest.fixture
def store() -> Store:
    made = make_store()
    made.create(replica_set("r"))
    return made


def scale(name: str, replicas: int, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": {"replicas": replicas},
    }


def test_a_scale_shows_wanted_and_actual_replicas(store: Store) -> None:
    obj = store.get(REPLICA_SET, "r")
    shown = store.get(REPLICA_SET, "r", subresource="scale")
    assert shown["spec"] == {"replicas": 2}
    assert shown["status"] == {"replicas": 0, "selector": "app=r"}
    identity = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    assert shown["metadata"] == {name: obj["metadata"][name] for name in identity}


def test_scaling_changes_the_spec_and_counts_as_a_generation(store: Store) -> None:
    answer = store.update(scale("r", 5), kind=REPLICA_SET, subresource="scale")
    obj = store.get(REPLICA_SET, "r")
    assert (obj["spec"]["replicas"], obj["metadata"]["generation"]) == (5, 2)
    assert answer["metadata"]["resourceVersion"] == obj["metadata"]["resourceVersion"]


def test_no_replicas_are_left_out(store: Store) -> None:
    answer = store.update(scale("r", 0), kind=REPLICA_SET, subresource="scale")
    assert answer["spec"] == {}
    assert store.get(REPLICA_SET, "r")["spec"]["replicas"] == 0


@pytest.mark.parametrize(
    ("patch_type", "patch"),
    [
        (PatchType.MERGE, {"spec": {"replicas": 7}}),
        (PatchType.STRATEGIC, {"spec": {"replicas": 7}}),
        (PatchType.JSON, [{"op": "replace", "path": "/spec/replicas", "value": 7}]),
    ],
)
def test_a_scale_is_patched(store: Store, patch_type: PatchType, patch: Any) -> None:
    store.patch(REPLICA_SET, "r", patch, patch_type=patch_type, subresource="scale")
    assert store.get(REPLICA_SET, "r")["spec"]["replicas"] == 7


def test_a_stale_scale_conflicts(store: Store) -> None:
    stale = scale("r", 5, resourceVersion="1")
    with pytest.raises(Conflict, match=r'replicasets.apps "r": the object has been modified'):
        store.update(stale, kind=REPLICA_SET, subresource="scale")
    patch = {"metadata": {"resourceVersion": "1"}, "spec": {"replicas": 1}}
    with pytest.raises(Conflict):
        store.patch(REPLICA_SET, "r", patch, subresource="scale")


def test_fewer_than_none_are_refused(store: Store) -> None:
    with pytest.raises(Invalid) as refusal:
        store.update(scale("r", -1), kind=REPLICA_SET, subresource="scale")
    assert refusal.value.message == (
        'Scale.autoscaling "r" is invalid: spec.replicas: Invalid value: -1: '
        "must be greater than or equal to 0"
    )


def test_a_rehearsed_scaling_changes_nothing(store: Store) -> None:
    answer = store.update(scale("r", 9), kind=REPLICA_SET, subresource="scale", dry_run=True)
    assert answer["spec"] == {"replicas": 9}
    assert store.get(REPLICA_SET, "r")["spec"]["replicas"] == 2


def test_only_a_scale_of_something_can_scale(store: Store) -> None:
    with pytest.raises(NotFound, match=r'replicasets.apps "x" not found'):
        store.update(scale("x", 1), kind=REPLICA_SET, subresource="scale")
    with pytest.raises(NotFound):
        store.patch(REPLICA_SET, "x", {}, subresource="scale")
    with pytest.raises(BadRequest, match=r"does not match the name on the URL"):
        store.update(scale("q", 1), kind=REPLICA_SET, name="r", subresource="scale")
    with pytest.raises(BadRequest, match=r"cannot be handled as a Scale"):
        store.update(replica_set("r"), kind=REPLICA_SET, subresource="scale")


def test_custom_resources_scale_where_their_definition_says() -> None:
    store = make_store()
    paths = {
        "specReplicasPath": ".spec.size",
        "statusReplicasPath": ".status.now",
        "labelSelectorPath": ".status.chosen",
    }
    store.create(widgets_definition(subresources={"status": {}, "scale": paths}))
    store.create(widget("w", spec={"size": 3}))
    store.patch(WIDGET, "w", {"status": {"now": 2, "chosen": "a=b"}}, subresource="status")
    shown = store.get(WIDGET, "w", subresource="scale")
    assert shown["spec"] == {"replicas": 3}
    assert shown["status"] == {"replicas": 2, "selector": "a=b"}
    store.patch(WIDGET, "w", {"spec": {"replicas": 4}}, subresource="scale")
    assert store.get(WIDGET, "w")["spec"]["size"] == 4
    del paths["labelSelectorPath"]
    changed = widgets_definition(subresources={"scale": paths})["spec"]["versions"]
    patch = {"spec": {"versions": changed}}
    store.patch(DEFINITION, "widgets.example.com", patch)
    assert store.get(WIDGET, "w", subresource="scale")["status"] == {"replicas": 2}
    with pytest.raises(Invalid, match=r"\.spec\.size: Invalid value: -1"):
        store.patch(WIDGET, "w", {"spec": {"replicas": -1}}, subresource="scale")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x", "x is of the type string"),
        (True, "true is of the type bool"),
        ([3], "[3] is of the type []interface {}"),
        ({}, "map[] is of the type map[string]interface {}"),
    ],
)
def test_what_became_replicas_later_may_not_be_a_number(value: Any, shown: str) -> None:
    store = make_store()
    store.create(widgets_definition())
    store.create(widget("w", spec={"size": value}))
    paths = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.now"}
    versions = widgets_definition(subresources={"scale": paths})["spec"]["versions"]
    store.patch(DEFINITION, "widgets.example.com", {"spec": {"versions": versions}})
    with pytest.raises(BadRequest) as refusal:
        store.get(WIDGET, "w", subresource="scale")
    assert refusal.value.message == f".spec.size accessor error: {shown}, expected int64"


def test_replication_controllers_select_by_a_plain_map() -> None:
    store = make_store()
    store.create(
        {
            "apiVersion": "v1",
            "kind": "ReplicationController",
            "metadata": {"name": "rc"},
            "spec": {
                "selector": {"b": "2", "a": "1"},
                "template": {
                    "metadata": {"labels": {"a": "1", "b": "2"}},
                    "spec": {"containers": [{"name": "c", "image": "x:1"}]},
                },
            },
        }
    )
    shown = store.get(("v1", "ReplicationController"), "rc", subresource="scale")
    assert shown["status"]["selector"] == "a=1,b=2"
