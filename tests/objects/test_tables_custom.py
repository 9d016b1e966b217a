"""Custom resources: columns and cells come from their definition."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import tables, timestamps

NOW_NS = timestamps.parse_time("2026-01-01T00:05:00Z")
META = {"name": "x", "creationTimestamp": "2026-01-01T00:00:00Z"}


def _cell(value_type: str, path: str, **fields: Any) -> Any:
    obj = {"apiVersion": "g/v1", "kind": "K", "metadata": META, **fields}
    definition = {"additionalPrinterColumns": [{"name": "C", "type": value_type, "jsonPath": path}]}
    name, cell = tables.row(obj, NOW_NS, definition).cells
    assert name == "x"
    return cell


def test_without_columns_of_its_own_a_custom_resource_shows_its_age() -> None:
    assert [column.name for column in tables.columns("g/v1", "K")] == ["Name", "Age"]
    obj = {"apiVersion": "g/v1", "kind": "K", "metadata": META}
    assert tables.row(obj, NOW_NS).cells == ["x", "5m"]


def test_columns_are_described_by_their_path_unless_they_say_more() -> None:
    defined = [
        {"name": "A", "type": "string", "jsonPath": ".spec.a", "priority": 1},
        {"name": "B", "type": "integer", "jsonPath": ".b", "format": "int32", "description": "b"},
    ]
    _, first, second = tables.columns("g/v1", "K", {"additionalPrinterColumns": defined})
    assert first.description == "Custom resource definition column (in JSONPath format): .spec.a"
    assert (first.priority, second.format, second.description) == (1, "int32", "b")


@pytest.mark.parametrize(
    ("value_type", "value", "expected"),
    [
        ("string", "text", "text"),
        ("string", 3, "3"),
        ("string", True, "true"),
        ("string", None, "<no value>"),
        ("string", {"b": "<", "a": [1]}, '{"a":[1],"b":"\\u003c"}'),
        ("integer", 3, 3),
        ("integer", 3.7, 3),
        ("integer", "3", None),
        ("integer", True, None),
        ("number", 3, 3.0),
        ("boolean", False, False),
        ("boolean", "no", None),
        ("date", "2026-01-01T00:04:00Z", "60s"),
        ("date", "yesterday", "<invalid>"),
        ("date", 5, None),
    ],
)
def test_a_value_must_fit_the_type_of_its_column(
    value_type: str, value: Any, expected: Any
) -> None:
    cell = _cell(value_type, ".spec.v", spec={"v": value})
    assert cell == expected
    assert type(cell) is type(expected)


CONDITIONS = [{"type": "A", "status": "False", "n": 1}, {"type": "B", "status": "True", "n": 2}]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".conditions[?(@.type=='B')].status", "True"),
        ('.conditions[?(@.type == "A")].status', "False"),
        (".conditions[?(@.n>1)].type", "B"),
        (".conditions[?(@.status)].type", "A"),
        (".conditions[?(@.n!=1)].type", "B"),
        (".conditions[0].type", "A"),
        (".conditions[-1].type", "B"),
        (".conditions[1:].type", "B"),
        (".conditions[*].type", "A"),
        ("$.conditions[0]['type']", "A"),
        (r".labels.a\.b/c", "v"),
        (r".labels['a\.b/c']", "v"),
        (".labels['a.b/c']", None),
        (".conditions[7].type", None),
        (".conditions[?(@.n=='1')].type", None),
        (".conditions[?(@.type=='Z')].status", None),
        (".missing.deep", None),
        ("conditions", None),
        (".labels[0]", None),
    ],
)
def test_paths_find_what_definitions_ask_for(path: str, expected: Any) -> None:
    assert _cell("string", path, conditions=CONDITIONS, labels={"a.b/c": "v"}) == expected


def test_vertical_pod_autoscalers_show_their_recommendation() -> None:
    columns = tables.columns("autoscaling.k8s.io/v1", "VerticalPodAutoscaler")
    assert [column.name for column in columns] == ["Name", "Mode", "CPU", "Mem", "Provided", "Age"]
    row = tables.row(
        {
            "apiVersion": "autoscaling.k8s.io/v1",
            "kind": "VerticalPodAutoscaler",
            "metadata": META,
            "spec": {"updatePolicy": {"updateMode": "Off"}},
            "status": {
                "recommendation": {
                    "containerRecommendations": [{"target": {"cpu": "25m", "memory": "1Gi"}}]
                },
                "conditions": [{"type": "RecommendationProvided", "status": "True"}],
            },
        },
        NOW_NS,
    )
    assert row.cells == ["x", "Off", "25m", "1Gi", "True", "5m"]


def test_scenarios_show_where_they_are() -> None:
    api_version = "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1"
    status = {
        "phase": "Running",
        "stepStatus": {"step": 2, "phase": "Scheduling"},
        "pods": {"scheduled": 5, "pending": 1, "preempted": 0},
    }
    obj = {"apiVersion": api_version, "kind": "Scenario", "metadata": META, "status": status}
    assert tables.row(obj, NOW_NS).cells == [
        "x",
        "Running",
        2,
        5,
        1,
        0,
        "5m",
        "Scheduling",
        None,
        None,
    ]
