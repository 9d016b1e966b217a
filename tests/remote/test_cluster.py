"""Calls, pages and errors against a served stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.cluster.access import Answer, Call, Resource
from kubestage.errors import (
    AlreadyExists,
    Conflict,
    Invalid,
    MethodNotAllowed,
    NotFound,
    UnsupportedMediaType,
)
from tests.remote.asking import (
    CONFIG_MAP,
    DEPLOYMENT,
    NAMESPACE,
    POD,
    ask,
    config_map,
    done,
    page,
    pause,
    wait,
)

if TYPE_CHECKING:
    from kubestage.cluster.access import Cluster
    from kubestage.remote.cluster import RemoteCluster


def test_it_is_the_port(cluster: RemoteCluster) -> None:
    port: Cluster = cluster
    assert not port.is_stage


def test_the_version_is_told(cluster: RemoteCluster) -> None:
    assert cluster.check()["major"] == "1"


def test_an_object_goes_through_all_verbs(cluster: RemoteCluster, namespace: str) -> None:
    where = {"namespace": namespace, "name": "one"}
    made = done(
        ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=config_map("one", a="1"))
    )
    assert made["data"] == {"a": "1"}
    assert done(ask(cluster, "get", CONFIG_MAP, **where)) == made

    changed = {**made, "data": {"a": "2"}}
    assert done(ask(cluster, "update", CONFIG_MAP, **where, body=changed))["data"] == {"a": "2"}
    patched = done(ask(cluster, "patch", CONFIG_MAP, **where, body={"data": {"b": "3"}}))
    assert patched["data"] == {"a": "2", "b": "3"}

    done(ask(cluster, "delete", CONFIG_MAP, **where))
    assert isinstance(ask(cluster, "get", CONFIG_MAP, **where).error, NotFound)


@pytest.mark.parametrize(
    ("patch_type", "body"),
    [
        ("application/merge-patch+json", {"data": {"a": None, "b": "2"}}),
        ("application/strategic-merge-patch+json", {"data": {"a": None, "b": "2"}}),
        (
            "application/json-patch+json",
            [
                {"op": "remove", "path": "/data/a"},
                {"op": "add", "path": "/data/b", "value": "2"},
            ],
        ),
    ],
)
def test_patches_are_of_the_type_they_say(
    cluster: RemoteCluster, namespace: str, patch_type: str, body: object
) -> None:
    done(ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=config_map("one", a="1")))
    patched = ask(
        cluster,
        "patch",
        CONFIG_MAP,
        namespace=namespace,
        name="one",
        body=body,
        patch_type=patch_type,
    )
    assert done(patched)["data"] == {"b": "2"}


def test_what_is_applied_is_there(cluster: RemoteCluster, namespace: str) -> None:
    applied = ask(
        cluster,
        "patch",
        CONFIG_MAP,
        namespace=namespace,
        name="one",
        body=config_map("one", a="1"),
        patch_type="application/apply-patch+yaml",
    )
    assert done(applied)["metadata"]["managedFields"][0]["manager"] == "clusterloader"


def test_an_object_without_a_namespace_is_made_where_it_says(
    cluster: RemoteCluster, namespace: str
) -> None:
    body = config_map("one")
    body["metadata"]["namespace"] = namespace
    assert done(ask(cluster, "create", CONFIG_MAP, body=body))["metadata"]["namespace"] == namespace


def test_lists_are_whole_and_say_what_is_in_them(cluster: RemoteCluster, namespace: str) -> None:
    calls = [
        Call(
            verb="create",
            resource=CONFIG_MAP,
            namespace=namespace,
            body=config_map(f"map-{number}"),
        )
        for number in range(520)
    ]
    answers: list[Answer] = []
    for call in calls:
        cluster.call(call, answers.append)
    wait(cluster, lambda: len(answers) == len(calls))

    listed = done(ask(cluster, "list", CONFIG_MAP, namespace=namespace))

    names = {item["metadata"]["name"] for item in listed["items"]}
    assert names >= {f"map-{number}" for number in range(520)}
    assert listed["kind"] == "ConfigMapList"
    assert listed["metadata"]["resourceVersion"]
    assert {(each["apiVersion"], each["kind"]) for each in listed["items"]} == {("v1", "ConfigMap")}


def test_selectors_select(cluster: RemoteCluster, namespace: str) -> None:
    for name, colour in (("one", "red"), ("two", "blue")):
        body = config_map(name)
        body["metadata"]["labels"] = {"colour": colour}
        done(ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=body))
    by_label = ask(
        cluster, "list", CONFIG_MAP, namespace=namespace, label_selector="colour in (red)"
    )
    by_field = ask(cluster, "list", CONFIG_MAP, field_selector="metadata.name=two")

    assert [each["metadata"]["name"] for each in done(by_label)["items"]] == ["one"]
    assert {each["metadata"]["name"] for each in done(by_field)["items"]} == {"two"}

    done(
        ask(
            cluster,
            "deletecollection",
            CONFIG_MAP,
            namespace=namespace,
            label_selector="colour=red",
        )
    )
    assert isinstance(
        ask(cluster, "get", CONFIG_MAP, namespace=namespace, name="one").error, NotFound
    )
    done(ask(cluster, "get", CONFIG_MAP, namespace=namespace, name="two"))


@pytest.mark.parametrize(("propagation", "stays"), [("Orphan", True), ("Background", False)])
def test_a_deletion_says_what_becomes_of_dependents(
    cluster: RemoteCluster, namespace: str, propagation: str, stays: bool
) -> None:
    owner = done(ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=config_map("owner")))
    owned = config_map("owned")
    owned["metadata"]["ownerReferences"] = [
        {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"]}
    ]
    done(ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=owned))

    done(
        ask(
            cluster,
            "delete",
            CONFIG_MAP,
            namespace=namespace,
            name="owner",
            propagation=propagation,
        )
    )
    pause(cluster, 500_000_000)

    found = ask(cluster, "get", CONFIG_MAP, namespace=namespace, name="owned")
    assert (found.error is None) == stays


def test_kinds_of_other_groups_and_without_namespaces_are_found(
    cluster: RemoteCluster, namespace: str
) -> None:
    assert done(ask(cluster, "list", DEPLOYMENT, namespace=namespace))["items"] == []
    found = done(ask(cluster, "get", NAMESPACE, namespace="ignored", name=namespace))
    assert found["metadata"]["name"] == namespace


def test_refusals_are_of_their_kind(cluster: RemoteCluster, namespace: str) -> None:
    where = {"namespace": namespace, "name": "one"}
    made = done(ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=config_map("one")))
    again = ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=config_map("one"))
    bad = ask(cluster, "create", CONFIG_MAP, namespace=namespace, body=config_map("Not-A-Name"))
    done(ask(cluster, "patch", CONFIG_MAP, **where, body={"data": {"a": "1"}}))
    late = ask(cluster, "update", CONFIG_MAP, **where, body=made)
    strange = ask(cluster, "patch", CONFIG_MAP, **where, body={}, patch_type="text/plain")
    unsaid = ask(cluster, "explode", CONFIG_MAP, **where)

    assert isinstance(again.error, AlreadyExists)
    assert again.error.details["name"] == "one"
    assert isinstance(bad.error, Invalid)
    assert bad.error.details["causes"][0]["field"] == "metadata.name"
    assert isinstance(late.error, Conflict)
    assert isinstance(strange.error, UnsupportedMediaType)
    assert isinstance(unsaid.error, MethodNotAllowed)


@pytest.mark.parametrize("version", ["v1", "nobody.example/v1"])
def test_a_kind_that_is_not_there_is_not_found(cluster: RemoteCluster, version: str) -> None:
    answer = ask(cluster, "list", Resource(version, "Unicorn"))
    assert isinstance(answer.error, NotFound)
    assert answer.error.message == f'no matches for kind "Unicorn" in version "{version}"'


def test_a_kind_that_comes_later_is_found(cluster: RemoteCluster) -> None:
    unicorns = Resource("stable.example/v1", "Unicorn")
    assert isinstance(ask(cluster, "list", unicorns).error, NotFound)
    schema = {"openAPIV3Schema": {"type": "object"}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "unicorns.stable.example"},
        "spec": {
            "group": "stable.example",
            "scope": "Namespaced",
            "names": {"plural": "unicorns", "kind": "Unicorn"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    }
    kind = Resource.of(definition)
    done(ask(cluster, "create", kind, body=definition))
    pause(cluster, 200_000_000)
    assert done(ask(cluster, "list", unicorns))["items"] == []


def test_answers_say_when(cluster: RemoteCluster, namespace: str) -> None:
    before_ns = cluster.moments.now_ns
    answer = ask(cluster, "list", POD, namespace=namespace)
    assert before_ns <= answer.sent_ns < answer.ended_ns <= cluster.moments.now_ns


def test_raw_pages_are_read(cluster: RemoteCluster) -> None:
    assert page(cluster, "/readyz") == page(cluster, "/readyz")
    assert page(cluster, "/readyz").text == "ok"
    assert "# TYPE" in page(cluster, "/metrics").text
    assert page(cluster, "/api/v1/nodes?limit=1").text.startswith("{")
    assert page(cluster, "/nowhere").code == 404
