from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from kubestage.objects import kinds
from kubestage.server.discovery import groups, resources
from kubestage.server.openapi import definitions, paths
from kubestage.server.openapi import documents as openapi
from kubestage.server.openapi.components import SchemaComponents
from tests.server.discovery.widgets import WIDGETS, widgets

if TYPE_CHECKING:
    from kubestage.aliases import Json

SERVED = [
    (group, version)
    for group in ["", *groups.names(kinds.KindTable())]
    for version in groups.versions(kinds.KindTable(), group)
]
POD_SPEC = "io.k8s.api.core.v1.PodSpec"
REF = "#/components/schemas/"


def path_of(group: str, version: str) -> str:
    return f"apis/{group}/{version}" if group else f"api/{version}"


def document(table: kinds.KindTable, path: str) -> Json:
    found = openapi.document(table, path)
    assert found is not None
    decoded: Json = msgspec.json.decode(found.body)
    return decoded


def built(group: str, version: str, *, published: bool) -> tuple[Json, dict[str, Json]]:
    """Paths and schemas, with the published definitions or without."""
    source = definitions.read() if published else None
    components = SchemaComponents(kinds.KindTable(), source)
    return paths.build(kinds.KindTable(), components, group, version), components.schemas


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("published", [True, False], ids=["published", "type-table"])
@pytest.mark.parametrize(("group", "version"), SERVED)
def test_every_reference_leads_somewhere_and_no_schema_is_idle(
    group: str, version: str, published: bool
) -> None:
    served, schemas = built(group, version, published=published)
    found = references(served) | references(schemas)
    assert found == {REF + name for name in schemas}


@pytest.mark.parametrize(("group", "version"), SERVED)
def test_every_verb_of_discovery_has_an_operation(group: str, version: str) -> None:
    served, _ = built(group, version, published=True)
    prefix = f"/apis/{group}/{version}" if group else f"/api/{version}"
    methods = {"create": "post", "update": "put", "list": "get", "deletecollection": "delete"}
    for resource in resources.served_resources(kinds.KindTable(), group, version):
        scope = "/namespaces/{namespace}" if resource.namespaced else ""
        collection = f"{prefix}{scope}/{resource.name}"
        for verb in set(resource.verbs) - {"watch"}:
            at_collection = verb in ("create", "list", "deletecollection")
            path = collection if at_collection else f"{collection}/{{name}}"
            assert methods.get(verb, verb) in served[path], (path, verb)
        for part in resource.subresources:
            for verb in part.verbs:
                path = f"{collection}/{{name}}/{part.name}"
                assert methods.get(verb, verb) in served[path], (path, verb)


@pytest.mark.parametrize(("group", "version"), SERVED)
def test_operations_have_names_of_their_own_and_say_their_kind(group: str, version: str) -> None:
    served, _ = built(group, version, published=True)
    named = [
        operation
        for item in served.values()
        for method, operation in item.items()
        if method != "parameters" and "operationId" in operation
    ]
    names = [operation["operationId"] for operation in named]
    assert len(names) == len(set(names))
    assert all("kind" in each["x-kubernetes-group-version-kind"] for each in named)


def test_writes_take_the_parameters_that_kubectl_looks_for() -> None:
    item = document(kinds.KindTable(), "apis/apps/v1")["paths"][
        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
    ]
    names = [each["name"] for each in item["patch"]["parameters"]]
    assert names == ["dryRun", "fieldManager", "fieldValidation", "force"]
    assert "application/strategic-merge-patch+json" in item["patch"]["requestBody"]["content"]
    assert item["put"]["x-kubernetes-action"] == "put"


def test_a_scale_is_about_the_kind_that_it_takes() -> None:
    item = document(kinds.KindTable(), "apis/apps/v1")["paths"][
        "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"
    ]
    assert item["get"]["operationId"] == "readAppsV1NamespacedDeploymentScale"
    assert item["get"]["x-kubernetes-group-version-kind"] == {
        "group": "autoscaling",
        "version": "v1",
        "kind": "Scale",
    }


@pytest.mark.parametrize("published", [True, False], ids=["published", "type-table"])
def test_lists_say_how_patches_merge_them(published: bool) -> None:
    _, schemas = built("", "v1", published=published)
    containers = schemas[POD_SPEC]["properties"]["containers"]
    assert containers["type"] == "array"
    assert containers["items"] == {"$ref": f"{REF}io.k8s.api.core.v1.Container"}
    assert containers["x-kubernetes-patch-merge-key"] == "name"
    assert containers["x-kubernetes-patch-strategy"] == "merge"
    assert schemas[POD_SPEC]["required"] == ["containers"]


def test_published_and_tabled_schemas_have_the_same_fields() -> None:
    _, published = built("", "v1", published=True)
    _, tabled = built("", "v1", published=False)
    for name in (POD_SPEC, "io.k8s.api.core.v1.NodeStatus", "io.k8s.api.core.v1.ServiceSpec"):
        assert set(published[name]["properties"]) == set(tabled[name]["properties"])


def test_changes_of_the_package_are_undone() -> None:
    _, schemas = built("", "v1", published=True)
    pod = schemas["io.k8s.api.core.v1.Pod"]
    assert pod["type"] == "object"
    assert pod["properties"]["kind"]["type"] == "string"
    assert "enum" not in pod["properties"]["kind"]
    spec = pod["properties"]["spec"]
    assert spec["allOf"] == [{"$ref": REF + POD_SPEC}]
    assert spec["description"]
    either = schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]
    assert either["oneOf"] == [{"type": "integer"}, {"type": "string"}]


def test_a_custom_resource_is_described_by_its_definition() -> None:
    found = document(widgets(), "apis/crud.example.com/v2")
    schema = found["components"]["schemas"]["com.example.crud.v2.Widget"]
    assert schema["description"] == "A widget."
    assert schema["properties"]["spec"]["required"] == ["size"]
    assert set(schema["properties"]) == {"apiVersion", "kind", "metadata", "spec"}
    assert schema["x-kubernetes-group-version-kind"] == [
        {"group": "crud.example.com", "version": "v2", "kind": "Widget"}
    ]
    item = found["paths"]["/apis/crud.example.com/v2/namespaces/{namespace}/widgets/{name}"]
    types = item["patch"]["requestBody"]["content"]
    assert "application/strategic-merge-patch+json" not in types
    assert "application/vnd.kubernetes.protobuf" not in item["put"]["requestBody"]["content"]


def test_a_definition_takes_the_place_of_a_kind_that_was_there() -> None:
    definition = msgspec.json.decode(msgspec.json.encode(WIDGETS))
    spec = definition["spec"]
    spec["group"] = "autoscaling.k8s.io"
    spec["names"] = {"kind": "VerticalPodAutoscaler", "plural": "verticalpodautoscalers"}
    spec["versions"] = [{**spec["versions"][0], "name": "v1"}]
    table = kinds.KindTable()
    table.register(definition)
    schemas = document(table, "apis/autoscaling.k8s.io/v1")["components"]["schemas"]
    found = schemas["io.k8s.autoscaling.v1.VerticalPodAutoscaler"]
    assert found["description"] == "A widget."


def test_our_own_kinds_are_described_by_theirs() -> None:
    found = document(kinds.KindTable(), "apis/kubestage.dev/v1alpha1")
    schema = found["components"]["schemas"]["dev.kubestage.v1alpha1.Traffic"]
    assert "spec" in schema["properties"]
    assert schema["properties"]["metadata"]["allOf"]


def test_the_index_points_at_every_document_and_names_its_state() -> None:
    table = widgets()
    listed = openapi.index(table)["paths"]
    assert set(listed) >= {path_of(*each) for each in SERVED}
    for path, entry in listed.items():
        found = openapi.document(table, path)
        assert found is not None
        assert entry == {"serverRelativeURL": f"/openapi/v3/{path}?hash={found.hash}"}


def test_a_changed_definition_changes_its_hash_and_no_other() -> None:
    before = openapi.index(widgets())["paths"]
    changed = msgspec.json.decode(msgspec.json.encode(WIDGETS))
    changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["description"] = "Other."
    table = kinds.KindTable()
    table.register(changed)
    after = openapi.index(table)["paths"]
    different = {path for path in before if before[path] != after[path]}
    assert different == {"apis/crud.example.com/late"}
    assert b"Other." in openapi.document(table, "apis/crud.example.com/late").body  # type: ignore[union-attr] # it is there


@pytest.mark.parametrize(
    "path", ["", "api", "api/v2", "apis/apps", "apis/x/v1", "../etc", "apis//v1"]
)
def test_what_is_not_served_has_no_document(path: str) -> None:
    assert openapi.document(kinds.KindTable(), path) is None


def test_a_document_is_built_once() -> None:
    table = kinds.KindTable()
    first = openapi.document(table, "apis/apps/v1")
    second = openapi.document(kinds.KindTable(), "/apis/apps/v1/")
    assert first is not None
    assert second is not None
    assert first.body is second.body
