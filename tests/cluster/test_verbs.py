"""Each verb does on the store what it does on an API server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cluster import verbs
from kubestage.cluster.access import Call, Resource
from kubestage.errors import (
    ApiError,
    BadRequest,
    Conflict,
    MethodNotAllowed,
    NotFound,
    UnsupportedMediaType,
)
from kubestage.stage import Stage
from tests.cluster import stages
from tests.cluster.stages import POD

if TYPE_CHECKING:
    from kubestage.aliases import Json


def done(stage: Stage, **call: Any) -> Json:
    obj, error = verbs.carry_out(stage.store, Call(**{"resource": POD, **call}))
    assert error is None, error
    assert obj is not None
    return obj


def refused(stage: Stage, **call: Any) -> ApiError:
    obj, error = verbs.carry_out(stage.store, Call(**{"resource": POD, **call}))
    assert obj is None
    assert error is not None
    return error


def shop() -> Stage:
    stage = Stage()
    stage.store.create(stages.pod("a", app="web"))
    stage.store.create(stages.pod("b", app="db"))
    return stage


def test_create_fills_in_the_namespace_of_the_call() -> None:
    stage = Stage()
    stage.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    created = done(stage, verb="create", namespace="shop", body=stages.pod("a"))
    assert created["metadata"]["namespace"] == "shop"
    assert created["metadata"]["uid"]


def test_get_and_list_show_what_is_there() -> None:
    stage = shop()
    assert done(stage, verb="get", name="a", namespace="default")["metadata"]["name"] == "a"
    listed = done(stage, verb="list", label_selector="app=db")
    assert (listed["kind"], listed["apiVersion"]) == ("PodList", "v1")
    assert [item["metadata"]["name"] for item in listed["items"]] == ["b"]
    assert listed["metadata"]["resourceVersion"] == stage.store.resource_version
    assert isinstance(refused(stage, verb="get", name="x", namespace="default"), NotFound)


def test_update_replaces_and_knows_an_old_version() -> None:
    stage = shop()
    before = done(stage, verb="get", name="a", namespace="default")
    labelled = {**before, "metadata": {**before["metadata"], "labels": {"app": "new"}}}
    after = done(stage, verb="update", name="a", namespace="default", body=labelled)
    assert after["metadata"]["labels"] == {"app": "new"}
    stale = refused(stage, verb="update", name="a", namespace="default", body=labelled)
    assert isinstance(stale, Conflict)


@pytest.mark.parametrize(
    ("patch_type", "body"),
    [
        ("application/merge-patch+json", {"metadata": {"labels": {"app": "new"}}}),
        ("application/strategic-merge-patch+json", {"metadata": {"labels": {"app": "new"}}}),
        (
            "application/json-patch+json",
            [{"op": "replace", "path": "/metadata/labels/app", "value": "new"}],
        ),
        (
            "application/apply-patch+yaml",
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c", "labels": {"app": "new"}},
             "spec": {"containers": [{"name": "main", "image": "pause"}]}},
        ),
    ],
)  # fmt: skip
def test_every_form_of_a_patch_is_understood(patch_type: str, body: Any) -> None:
    stage = shop()
    name = "c" if patch_type.startswith("application/apply") else "a"
    patched = done(
        stage, verb="patch", name=name, namespace="default", patch_type=patch_type, body=body
    )
    assert patched["metadata"]["labels"]["app"] == "new"


def test_a_patch_in_no_known_form_is_refused() -> None:
    strange = refused(
        shop(), verb="patch", name="a", namespace="default", patch_type="text/plain", body={}
    )
    assert isinstance(strange, UnsupportedMediaType)


def test_delete_tells_of_success_or_shows_what_lingers() -> None:
    stage = shop()
    gone = done(stage, verb="delete", name="a", namespace="default")
    assert (gone["kind"], gone["status"]) == ("Status", "Success")
    assert gone["details"]["kind"] == "pods"
    stage.store.create(
        {**stages.pod("c"), "metadata": {"name": "c", "finalizers": ["example.com/keep"]}}
    )
    lingers = done(stage, verb="delete", name="c", namespace="default")
    assert lingers["metadata"]["deletionTimestamp"]


@pytest.mark.parametrize(("policy", "left"), [("Background", 0), ("Orphan", 1)])
def test_the_policy_of_a_deletion_says_what_becomes_of_dependents(policy: str, left: int) -> None:
    stage = Stage()
    kind = Resource("v1", "ConfigMap")
    owner = stage.store.create(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner"}}
    )
    reference = {
        "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"],
    }  # fmt: skip
    metadata = {"name": "owned", "ownerReferences": [reference]}
    stage.store.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    done(stage, verb="delete", resource=kind, name="owner", namespace="default", propagation=policy)
    names = [name for name in stage.store.read(("v1", "ConfigMap")) if name.endswith("/owned")]
    assert len(names) == left


def test_deletecollection_takes_what_the_selector_shows() -> None:
    stage = shop()
    taken = done(stage, verb="deletecollection", namespace="default", label_selector="app=web")
    assert [item["metadata"]["name"] for item in taken["items"]] == ["a"]
    assert list(stage.store.read(("v1", "Pod"))) == ["default/b"]


def test_what_makes_no_sense_is_refused_in_the_apis_words() -> None:
    stage = Stage()
    assert isinstance(refused(stage, verb="dance"), MethodNotAllowed)
    assert isinstance(refused(stage, verb="create", body=None), BadRequest)
    strange = refused(stage, verb="get", resource=Resource("x/v1", "Y"), name="z")
    assert strange.message == "the server could not find the requested resource"


def test_another_version_of_a_kind_is_shown_as_it_was_asked_for() -> None:
    stage = Stage()
    kind = Resource("autoscaling/v1", "HorizontalPodAutoscaler")
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    body = {
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": {"maxReplicas": 3, "scaleTargetRef": target},
    }
    created = done(stage, verb="create", resource=kind, namespace="default", body=body)
    listed = done(stage, verb="list", resource=kind)
    assert created["apiVersion"] == listed["items"][0]["apiVersion"] == "autoscaling/v1"
