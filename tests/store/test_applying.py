"""Server-side apply on stored objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import errors
from tests.store.samples import CONFIG_MAP, DEFINITION, POD, WIDGET, config_map, make_store, pod
from tests.store.test_field_managers import entries

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.applying import Applied
    from kubestage.store.store import Store

DEPLOYMENT = ("apps/v1", "Deployment")
TYPE = "/v1, Kind=ConfigMap"


def deployment(*containers: Json, **spec: Any) -> Json:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": list(containers)}}
    whole = {"selector": {"matchLabels": {"a": "b"}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": whole}


def data(values: dict[str, str]) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": values}


def apply(store: Store, values: dict[str, str], manager: str = "me", **options: Any) -> Applied:
    return store.apply(CONFIG_MAP, "m", data(values), "default", manager=manager, **options)


def test_what_is_absent_is_created_and_what_is_there_is_changed() -> None:
    store = make_store()
    first = apply(store, {"a": "1"})
    assert first.created
    assert first.object is store.get(CONFIG_MAP, "m")
    second = apply(store, {"a": "2"})
    assert not second.created
    assert second.object["data"] == {"a": "2"}
    assert entries(second.object) == {("me", "Apply", ""): {"f:data": {"f:a": {}}}}


def test_the_same_again_is_no_version() -> None:
    store = make_store()
    first = apply(store, {"a": "1"})
    store.clock.now_ns += 10**10
    assert apply(store, {"a": "1"}).object is first.object


def test_a_dry_run_changes_nothing() -> None:
    store = make_store()
    assert apply(store, {"a": "1"}, dry_run=True).created
    assert not store.list(CONFIG_MAP).items
    apply(store, {"a": "1"})
    assert apply(store, {"a": "2"}, dry_run=True).object["data"] == {"a": "2"}
    assert store.get(CONFIG_MAP, "m")["data"] == {"a": "1"}


def test_what_is_given_up_goes_unless_another_owns_it() -> None:
    store = make_store()
    apply(store, {"a": "1", "b": "1", "c": "1"})
    apply(store, {"b": "1"}, "you")
    assert apply(store, {"a": "1"}).object["data"] == {"a": "1", "b": "1"}


def test_a_conflict_is_refused_unless_forced() -> None:
    store = make_store()
    apply(store, {"a": "1"})
    with pytest.raises(errors.Conflict) as refused:
        apply(store, {"a": "2"}, "you")
    assert refused.value.message == ('Apply failed with 1 conflict: conflict with "me": .data.a')
    taken = apply(store, {"a": "2"}, "you", force=True).object
    assert entries(taken) == {("you", "Apply", ""): {"f:data": {"f:a": {}}}}


def test_items_of_lists_are_owned_one_by_one() -> None:
    store = make_store()
    main, helper = {"name": "main", "image": "x"}, {"name": "side", "image": "y"}
    store.apply(DEPLOYMENT, "d", deployment(main), manager="me")
    both = store.apply(DEPLOYMENT, "d", deployment(main, helper), manager="you").object
    containers = both["spec"]["template"]["spec"]["containers"]
    assert [each["name"] for each in containers] == ["main", "side"]
    left = store.apply(DEPLOYMENT, "d", deployment(main), manager="you").object
    containers = left["spec"]["template"]["spec"]["containers"]
    assert [each["name"] for each in containers] == ["main"]


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({**data({}), "kind": "Wrong"}, "invalid object type: /v1, Kind=Wrong"),
        ({"apiVersion": "apps/v1"}, "invalid object type: apps/v1, Kind="),
        (
            {**data({}), "metadata": {"name": "m", "managedFields": []}},
            "metadata.managedFields must be nil",
        ),
        (
            {**data({}), "bog": 1},
            f"failed to create typed patch object (/m; {TYPE}): .bog: field not declared in schema",
        ),
        (
            {**data({}), "metadata": {"name": "n"}},
            "the name of the object (n) does not match the name on the URL (m)",
        ),
        (
            {**data({}), "metadata": {}},
            "the name of the object (m based on URL) was undeterminable: name must be provided",
        ),
    ],
)
def test_what_is_no_configuration_of_the_object_is_refused(config: Json, problem: str) -> None:
    with pytest.raises(errors.BadRequest) as refused:
        make_store().apply(CONFIG_MAP, "m", config, manager="me")
    assert refused.value.message == problem


@pytest.mark.parametrize(
    ("config", "problem"),
    [(None, "invalid object type: /, Kind="), ([], "cannot unmarshal array"), (1, "number into")],
)
def test_what_is_no_object_is_refused(config: Any, problem: str) -> None:
    with pytest.raises(errors.BadRequest, match=problem):
        make_store().apply(CONFIG_MAP, "m", config, manager="me")


@pytest.mark.parametrize("is_there", [False, True])
def test_an_object_of_another_kind_is_not_applied(is_there: bool) -> None:
    store = make_store()
    if is_there:
        store.apply(DEPLOYMENT, "d", deployment({"name": "main", "image": "i"}), manager="me")
    config = {**deployment({"name": "main", "image": "i"}), "kind": "ReplicaSet"}
    with pytest.raises(errors.BadRequest, match="invalid object type: apps/v1, Kind=ReplicaSet"):
        store.apply(DEPLOYMENT, "d", config, manager="me", force=True)


def test_an_applier_must_have_a_name() -> None:
    with pytest.raises(errors.Invalid) as refused:
        apply(make_store(), {}, "")
    assert refused.value.message == (
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for '
        "apply patch"
    )


def test_a_version_that_was_seen_must_be_the_one_that_is_there() -> None:
    store = make_store()
    apply(store, {"a": "1"})
    config = {**data({"a": "2"}), "metadata": {"name": "m", "resourceVersion": "1"}}
    with pytest.raises(errors.Conflict, match="the object has been modified"):
        store.apply(CONFIG_MAP, "m", config, manager="me")


def test_a_uid_of_what_is_gone_is_a_conflict() -> None:
    config = {**data({}), "metadata": {"name": "m", "uid": "u"}}
    with pytest.raises(errors.Conflict, match="uid mismatch: the provided object specified uid u"):
        make_store().apply(CONFIG_MAP, "m", config, manager="me")


def test_a_status_is_applied_through_its_subresource_to_what_is_there() -> None:
    store = make_store()
    config = {**pod("p"), "status": {"phase": "Running"}}
    del config["spec"]
    with pytest.raises(errors.NotFound):
        store.apply(POD, "p", config, manager="kubelet", subresource="status")
    store.create(pod("p"), manager="me")
    after = store.apply(POD, "p", config, manager="kubelet", subresource="status").object
    assert after["status"]["phase"] == "Running"
    assert entries(after)["kubelet", "Apply", "status"] == {"f:status": {"f:phase": {}}}


def test_a_scale_is_applied_to_the_replicas() -> None:
    store = make_store()
    store.apply(DEPLOYMENT, "d", deployment({"name": "c", "image": "x"}, replicas=2), manager="me")
    scale = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "metadata": {"name": "d", "namespace": "default"},
        "spec": {"replicas": 5},
    }
    with pytest.raises(errors.Conflict, match=r'conflict with "me": \.spec\.replicas'):
        store.apply(DEPLOYMENT, "d", scale, manager="hpa", subresource="scale")
    scaled = store.apply(DEPLOYMENT, "d", scale, manager="hpa", subresource="scale", force=True)
    assert scaled.object["spec"] == {"replicas": 5}
    found = store.get(DEPLOYMENT, "d")
    assert found["spec"]["replicas"] == 5
    assert entries(found)["hpa", "Apply", "scale"] == {"f:spec": {"f:replicas": {}}}
    assert "f:replicas" not in entries(found)["me", "Apply", ""]["f:spec"]


def test_custom_resources_are_merged_by_their_schema() -> None:
    store = make_store()
    ports = {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {"name": {"type": "string"}},
        },
    }
    store.create(definition({"ports": ports}))
    for manager, name in (("me", "a"), ("you", "b")):
        config = {"spec": {"ports": [{"name": name}]}, "metadata": {"name": "w"}}
        after = store.apply(
            WIDGET, "w", {"apiVersion": WIDGET[0], "kind": WIDGET[1], **config}, manager=manager
        )
    assert after.object["spec"]["ports"] == [{"name": "a"}, {"name": "b"}]


def definition(properties: Json) -> Json:
    spec = {"type": "object", "properties": properties}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    return {
        "apiVersion": DEFINITION[0],
        "kind": DEFINITION[1],
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Widget", "plural": "widgets"},
            "scope": "Namespaced",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }


def test_an_update_between_two_applies_is_in_the_way() -> None:
    store = make_store()
    apply(store, {"a": "1"})
    store.update({**config_map("m"), "data": {"a": "2"}}, manager="editor")
    with pytest.raises(errors.Conflict, match=r'"editor" using v1: \.data\.a'):
        apply(store, {"a": "1"})
