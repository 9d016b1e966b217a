from __future__ import annotations

from typing import Any

import msgspec

from kubestage.objects import kinds
from kubestage.server.discovery import aggregated, legacy
from tests.golden import vectors
from tests.server.discovery.widgets import widgets


def group(document: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [each for each in document["items"] if each["metadata"].get("name") == name]
    return dict(found)


def test_groups_of_kubernetes_are_those_of_the_real_server() -> None:
    (entry,) = vectors.load("discovery", "aggregated")
    real = entry["out"]
    found = aggregated.document(kinds.KindTable(), core=False)
    assert {**found, "items": []} == {**real, "items": []}
    assert found["items"][: len(real["items"])] == real["items"]


def test_both_forms_of_discovery_say_the_same_of_the_core_group() -> None:
    table = kinds.KindTable()
    listed = legacy.api_resource_list(table, "", "v1")
    assert listed is not None
    (core,) = aggregated.document(table, core=True)["items"]
    assert core["metadata"] == {}
    (version,) = core["versions"]
    assert (version["version"], version["freshness"]) == ("v1", "Current")
    names = []
    for resource in version["resources"]:
        names.append(resource["resource"])
        names += [
            f"{resource['resource']}/{each['subresource']}"
            for each in resource.get("subresources", ())
        ]
    assert names == [row["name"] for row in listed["resources"]]


def test_drain_finds_evictions_in_their_own_group() -> None:
    (core,) = aggregated.document(kinds.KindTable(), core=True)["items"]
    (pods,) = [each for each in core["versions"][0]["resources"] if each["resource"] == "pods"]
    (eviction,) = [each for each in pods["subresources"] if each["subresource"] == "eviction"]
    assert eviction["responseKind"] == {"group": "policy", "version": "v1", "kind": "Eviction"}


def test_a_custom_resource_states_its_group_and_version() -> None:
    found = group(aggregated.document(widgets(), core=False), "crud.example.com")
    (widget,) = found["versions"][1]["resources"]
    kind = {"group": "crud.example.com", "version": "v2", "kind": "Widget"}
    assert widget["responseKind"] == kind
    assert widget["scope"] == "Namespaced"
    assert [(each["subresource"], each["responseKind"]) for each in widget["subresources"]] == [
        ("status", kind),
        ("scale", {"group": "autoscaling", "version": "v1", "kind": "Scale"}),
    ]


def test_the_older_version_differs_in_its_name_alone() -> None:
    table = kinds.KindTable()
    new = aggregated.document(table, core=False)
    old = aggregated.document(table, core=False, version="v2beta1")
    assert old == {**new, "apiVersion": "apidiscovery.k8s.io/v2beta1"}
    assert aggregated.content_type("v2beta1") == (
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"
    )


def test_the_etag_changes_with_the_table_and_only_then() -> None:
    def etag(table: kinds.KindTable) -> str:
        return aggregated.etag(msgspec.json.encode(aggregated.document(table, core=False)))

    assert etag(kinds.KindTable()) == etag(kinds.KindTable())
    assert etag(kinds.KindTable()) != etag(widgets())
    assert etag(widgets()).startswith('"')
