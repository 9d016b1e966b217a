from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import kinds
from kubestage.server.discovery import legacy
from tests.golden import vectors
from tests.server.discovery.widgets import WIDGETS, widgets


@pytest.mark.parametrize(
    "entry",
    vectors.load("discovery", "resources"),
    ids=lambda entry: f"{entry['in']['group']}/{entry['in']['version']}",
)
def test_resources_are_those_of_the_real_server(entry: dict[str, Any]) -> None:
    given = entry["in"]
    found = legacy.api_resource_list(kinds.KindTable(), given["group"], given["version"])
    assert found == entry["out"]


@pytest.mark.parametrize(
    "entry", vectors.load("discovery", "group"), ids=lambda entry: str(entry["in"]["group"])
)
def test_groups_are_those_of_the_real_server(entry: dict[str, Any]) -> None:
    assert legacy.api_group(kinds.KindTable(), entry["in"]["group"]) == entry["out"]


def test_groups_come_in_the_order_of_the_real_server_then_custom_ones_then_metrics() -> None:
    listed = legacy.api_group_list(widgets())
    names = [group["name"] for group in listed["groups"]]
    (aggregated,) = vectors.load("discovery", "aggregated")
    real = [group["metadata"]["name"] for group in aggregated["out"]["items"]]
    assert names == [
        *real,
        "autoscaling.k8s.io",
        "crud.example.com",
        "karpenter.k8s.aws",
        "karpenter.sh",
        "kubestage.dev",
        "kwok.x-k8s.io",
        "simulation.kube-scheduler-simulator.x-k8s.io",
        "metrics.k8s.io",
    ]
    assert (listed["kind"], listed["apiVersion"]) == ("APIGroupList", "v1")
    assert legacy.api_group(widgets(), "apps") == {
        "kind": "APIGroup",
        "apiVersion": "v1",
        **listed["groups"][names.index("apps")],
    }


def test_the_core_group_names_the_address_of_the_server() -> None:
    assert legacy.legacy_api("127.0.0.1:6443") == {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [
            {"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}
        ],
    }


def test_what_is_not_served_is_not_there() -> None:
    table = kinds.KindTable()
    assert legacy.api_group(table, "crud.example.com") is None
    assert legacy.api_group(table, "") is None
    assert legacy.api_resource_list(table, "apps", "v9") is None


def test_versions_of_a_custom_resource_are_ordered_by_maturity_then_age() -> None:
    group = legacy.api_group(widgets(), "crud.example.com")
    assert group is not None
    versions = [each["version"] for each in group["versions"]]
    assert versions == ["v10", "v2", "v1", "v11beta2", "v11beta1", "v12alpha1", "early", "late"]
    assert group["preferredVersion"] == {"groupVersion": "crud.example.com/v10", "version": "v10"}


def test_a_custom_resource_is_listed_as_the_real_server_does() -> None:
    found = legacy.api_resource_list(widgets(), "crud.example.com", "v2")
    assert found is not None
    assert found["resources"] == [
        {
            "name": "widgets",
            "singularName": "widget",
            "namespaced": True,
            "kind": "Widget",
            "verbs": [
                "delete", "deletecollection", "get", "list", "patch", "create", "update", "watch",
            ],
            "shortNames": ["wd"],
            "categories": ["all"],
            # Of crud.example.com/v1, the version that is kept: as recorded.
            "storageVersionHash": "l5vqqbGfZLo=",
        },
        {
            "name": "widgets/status",
            "singularName": "",
            "namespaced": True,
            "kind": "Widget",
            "verbs": ["get", "patch", "update"],
        },
        {
            "name": "widgets/scale",
            "singularName": "",
            "namespaced": True,
            "group": "autoscaling",
            "version": "v1",
            "kind": "Scale",
            "verbs": ["get", "patch", "update"],
        },
    ]  # fmt: skip


def test_a_custom_resource_leaves_with_its_definition() -> None:
    table = widgets()
    table.unregister(WIDGETS)
    assert legacy.api_group(table, "crud.example.com") is None


def test_the_metrics_api_is_listed_though_nothing_of_it_is_stored() -> None:
    found = legacy.api_resource_list(kinds.KindTable(), "metrics.k8s.io", "v1beta1")
    assert found is not None
    rows = [(row["name"], row["kind"], row["namespaced"]) for row in found["resources"]]
    assert rows == [("nodes", "NodeMetrics", False), ("pods", "PodMetrics", True)]
    assert all(row["verbs"] == ["get", "list"] for row in found["resources"])
