from __future__ import annotations

from typing import Any

import hypothesis
import pytest

from kubestage.objects import labels, node_selector
from kubestage.scheduler import node_matching
from tests.scheduler.plugins import clusters

NODES = [
    clusters.node("node-0", labels={"zone": "a", "gen": "1"}),
    clusters.node("node-1", labels={"zone": "b", "gen": "10"}),
    clusters.node("node-2", labels={"gen": "x"}),
]


def _selected(*requirements: dict[str, Any], kind: str = "matchExpressions") -> list[str]:
    over = clusters.columns(NODES)
    selector = node_selector.lazy({"nodeSelectorTerms": [{kind: list(requirements)}]})
    mask = node_matching.matches_any(over, selector)
    return [name for name, matched in zip(over.names, mask, strict=True) if matched]


@pytest.mark.parametrize(
    ("requirement", "names"),
    [
        ({"key": "zone", "operator": "In", "values": ["a", "z"]}, ["node-0"]),
        ({"key": "zone", "operator": "NotIn", "values": ["a"]}, ["node-1", "node-2"]),
        ({"key": "zone", "operator": "Exists"}, ["node-0", "node-1"]),
        ({"key": "zone", "operator": "DoesNotExist"}, ["node-2"]),
        ({"key": "unheard", "operator": "DoesNotExist"}, ["node-0", "node-1", "node-2"]),
        ({"key": "gen", "operator": "Gt", "values": ["1"]}, ["node-1"]),
        ({"key": "gen", "operator": "Lt", "values": ["10"]}, ["node-0"]),
        ({"key": "gen", "operator": "Unheard"}, []),
    ],
)
def test_each_operator_selects_its_nodes(requirement: dict[str, Any], names: list[str]) -> None:
    assert _selected(requirement) == names


@pytest.mark.parametrize(
    ("key", "operator", "value", "names"),
    [
        ("metadata.name", "In", "node-1", ["node-1"]),
        ("metadata.name", "NotIn", "node-1", ["node-0", "node-2"]),
        ("metadata.name", "In", "elsewhere", []),
        ("metadata.other", "In", "", ["node-0", "node-1", "node-2"]),
        ("metadata.other", "NotIn", "", []),
    ],
)
def test_fields_select_by_name_and_others_are_empty(
    key: str, operator: str, value: str, names: list[str]
) -> None:
    field = {"key": key, "operator": operator, "values": [value]}
    assert _selected(field, kind="matchFields") == names


def test_nothing_selects_nothing_and_everything_everything() -> None:
    over = clusters.columns(NODES)
    assert not node_matching.matches_labels(over, labels.NOTHING).any()
    assert node_matching.matches_labels(over, labels.EVERYTHING).all()


@hypothesis.given(clusters.nodes(), clusters.terms)
def test_a_term_matches_all_nodes_as_it_matches_each(nodes: Any, term: Any) -> None:
    over = clusters.columns(nodes)
    for compiled in node_selector.lazy({"nodeSelectorTerms": [term]}).terms:
        expected = [compiled.matches(info.name, info.view.labels) for info in over.infos]
        assert node_matching.matches_term(over, compiled).tolist() == expected
