"""The kind table: how kinds are found, and how definitions add to them."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import InputError
from kubestage.objects import kinds, schema
from kubestage.objects.kinds import KindTable

WIDGETS: dict[str, Any] = {
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets", "shortNames": ["wd"]},
        "versions": [
            {"name": "v1", "served": True, "subresources": {"status": {}}},
            {"name": "v1alpha1", "served": False},
        ],
    }
}


@pytest.mark.parametrize(
    ("typed", "resource"),
    [
        ("po", "pods"),
        ("pod", "pods"),
        ("Pods", "pods"),
        ("deploy", "deployments.apps"),
        ("deployments.apps", "deployments.apps"),
        ("deployment.apps", "deployments.apps"),
        ("deployments.v1.apps", "deployments.apps"),
        ("hpa", "horizontalpodautoscalers.autoscaling"),
        ("scenario", "scenarios.simulation.kube-scheduler-simulator.x-k8s.io"),
    ],
)
def test_a_kind_is_found_by_what_people_type(typed: str, resource: str) -> None:
    assert [row.resource for row in KindTable().find(typed)] == [resource]


def test_all_means_the_kinds_that_run_things() -> None:
    found = {row.kind for row in KindTable().find("all")}
    assert {"Pod", "Service", "Deployment", "Job", "HorizontalPodAutoscaler"} <= found
    assert "ConfigMap" not in found


def test_a_misspelt_name_is_told_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean deployments"):
        KindTable().find("deploymets")


@pytest.mark.parametrize(
    ("obj", "path", "told"),
    [
        ({"kind": "Pod"}, "apiVersion", "apiVersion is missing"),
        ({"apiVersion": "v1"}, "kind", "kind is missing"),
        ({"apiVersion": "v1", "kind": "Podd"}, "kind", "did you mean Pod"),
        ({"apiVersion": "v1", "kind": "Deployment"}, "apiVersion", "did you mean apps/v1"),
        ({"apiVersion": "x/v1", "kind": "Zzz"}, "kind", "CustomResourceDefinition"),
    ],
)
def test_an_object_of_no_kind_says_what_is_wrong(obj: dict[str, Any], path: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        KindTable().of(obj)
    assert refused.value.path == path
    assert told in str(refused.value)


def test_a_definition_adds_its_served_versions_and_takes_them_away() -> None:
    table = KindTable()
    added = table.register(WIDGETS)
    assert [row.api_version for row in added] == ["example.com/v1"]
    row = table.find("wd")[0]
    assert row is table.get("example.com/v1", "Widget")
    assert row is table.by_plural("example.com", "v1", "widgets")
    assert row.namespaced
    assert "status" in row.subresources
    assert row.singular == "widget"
    table.unregister(WIDGETS)
    assert table.get("example.com/v1", "Widget") is None
    assert table.by_plural("example.com", "v1", "widgets") is None


def test_another_table_knows_nothing_of_it() -> None:
    KindTable().register(WIDGETS)
    assert KindTable().get("example.com/v1", "Widget") is None


def test_a_built_in_kind_outlives_a_definition_of_the_same_name() -> None:
    table = KindTable()
    built_in = table.find("scenarios")[0]
    definition = {
        "spec": {
            "group": built_in.group,
            "scope": "Cluster",
            "names": {"kind": "Scenario", "plural": "scenarios"},
            "versions": [{"name": "v1alpha1", "served": True}],
        }
    }
    table.register(definition)
    assert table.find("scenarios")[0].definition is not None
    table.unregister(definition)
    assert table.find("scenarios") == (built_in,)


def test_a_copy_of_a_table_goes_its_own_way() -> None:
    table = KindTable()
    table.register(WIDGETS)
    copied = table.copy()
    assert list(copied) == list(table)
    copied.unregister(WIDGETS)
    assert table.get("example.com/v1", "Widget") is not None
    assert copied.get("example.com/v1", "Widget") is None


@pytest.mark.parametrize("kind", [["Pod"], {"a": 1}, 3, None])
def test_a_kind_that_is_no_text_is_missing(kind: Any) -> None:
    with pytest.raises(InputError, match="kind is missing"):
        KindTable().of({"apiVersion": "v1", "kind": kind})


def test_every_built_in_kind_of_kubernetes_has_its_shape_in_the_type_table() -> None:
    not_of_kubernetes = {
        "EC2NodeClass", "NodeClaim", "NodeGroup", "NodeOverlay", "NodePool", "PriceCatalog",
        "Scenario", "Stage", "StageNodeClass", "Traffic",
    }  # fmt: skip
    shapeless = {
        row.kind for row in kinds.BUILT_IN if schema.kind_struct(row.api_version, row.kind) is None
    }
    assert shapeless == not_of_kubernetes


def test_names_do_not_clash() -> None:
    own = [row for row in kinds.BUILT_IN if row.stored_as is None]
    names = [name for row in own for name in {row.plural, *row.short_names}]
    assert len(names) == len(set(names))
