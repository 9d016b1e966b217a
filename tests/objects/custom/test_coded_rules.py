"""Rules that are decided by code, against the CEL library's answers."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.errors import Invalid
from kubestage.objects import own_definitions
from kubestage.objects.cel import environments
from kubestage.objects.cel.budget import Budget
from kubestage.objects.custom import cel_programs, cel_rules, coded_rules, correlation, nodes
from kubestage.objects.custom.nodes import Node
from kubestage.stage import Stage
from tests.objects.kinds.karpenter_samples import node_pool

PLURALS = ("ec2nodeclasses", "nodeclaims", "nodeoverlays", "nodepools")
AWS_DOMAIN = (
    'self.all(x, x in ["karpenter.k8s.aws/instance-size"] || '
    '!x.find("^([^/]+)").endsWith("karpenter.k8s.aws"))'
)
WORDS = st.sampled_from(
    ["", "a", "1", "-1", "+2", "9223372036854775808", "1.5", "In", "NotIn", "Gt", "Lte", "Exists",
     "karpenter.sh/nodepool", "karpenter.sh/capacity-type", "karpenter.sh/x", "a.karpenter.sh/x",
     "mykarpenter.sh", "kubernetes.io/hostname", "al2023@latest", "al2@v1", "windows2022@latest",
     "windows2022@1", "windows2022", "windows2019@latest@x", "bottlerocket@", "other@1", "@x",
     "Custom", "AL2", "AL2023", "efa-only", "interface", "cpu", "nodes", "kubernetes.io/cluster/x",
     "eks:eks-cluster-name", "karpenter.k8s.aws/ec2nodeclass", "10%", "key\n@x",
     "memory.available", "nodefs.available", "100Mi"]
)  # fmt: skip


def node_of(plural: str) -> Node:
    (version,) = own_definitions.definition(plural)["spec"]["versions"]
    return nodes.root(version["schema"]["openAPIV3Schema"])


def trees(node: Node) -> tuple[coded_rules.RuleTree, cel_rules.RuleTree]:
    return coded_rules.RuleTree(node, is_root=True), cel_rules.RuleTree(node, is_root=True)


def values_of(node: Node) -> st.SearchStrategy[Any]:
    """Values of the right type with few different contents, so that rules meet and are broken."""
    if node.int_or_string:
        return st.integers(0, 2)
    if node.type == "integer":
        return st.integers(0, 2)
    if node.type == "boolean":
        return st.booleans()
    if node.type == "array":
        assert node.items is not None
        return st.lists(values_of(node.items), max_size=3)
    if node.type == "object" and node.additional is not None:
        return st.dictionaries(WORDS, values_of(node.additional), max_size=2)
    if node.type == "object":
        required = set(node.raw.get("required") or ())
        fields = {name: values_of(each) for name, each in node.properties.items()}
        return st.fixed_dictionaries(
            {name: each for name, each in fields.items() if name in required},
            optional={name: each for name, each in fields.items() if name not in required},
        )
    enum = node.raw.get("enum")
    return st.sampled_from(enum) if enum and "In" not in enum else WORDS


@pytest.mark.parametrize("plural", PLURALS)
def test_every_rule_of_the_definitions_is_known(plural: str) -> None:
    assert coded_rules.know_all(node_of(plural))


def judged(coded: Any, compiled: Any, node: Node, new: Any, old: Any) -> tuple[Any, Any]:
    pairs = [correlation.Correlated(new, old, node) if old is not None else None for _ in range(2)]
    return (
        [str(each) for each in coded.validate(new, old, "spec", pairs[0], None, Budget())],
        [str(each) for each in compiled.validate(new, old, "spec", pairs[1], None, Budget())],
    )


@pytest.mark.parametrize("plural", PLURALS)
def test_the_library_gives_the_same_answers(plural: str) -> None:
    node = node_of(plural).properties["spec"]
    coded, compiled = trees(node)
    values = values_of(node)
    broken: set[str] = set()

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(values, st.none() | values)
    def same(new: Any, old: Any) -> None:
        ours, theirs = judged(coded, compiled, node, new, old)
        assert ours == theirs
        broken.update(each.rpartition(": ")[2] for each in ours)

    same()
    assert len(broken) >= 4


def parts(node: Node) -> list[Node]:
    below = [*node.properties.values(), node.items, node.additional]
    found = [each for below_node in below if below_node for each in parts(below_node)]
    return [node, *found] if node.rules else found


@pytest.mark.parametrize("plural", PLURALS)
def test_each_part_with_rules_is_judged_alike(plural: str) -> None:
    for node in parts(node_of(plural).properties["spec"]):
        coded, compiled = trees(node)
        values = values_of(node)

        @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
        @given(values, st.none() | values)
        def same(new: Any, old: Any) -> None:
            ours, theirs = judged(coded, compiled, node, new, old)  # noqa: B023 - run at once
            assert ours == theirs

        same()


@pytest.mark.parametrize(
    "value",
    [
        [{"key": "a", "operator": "In"}],
        [{"key": "a", "operator": "Gt", "values": ["x"]}],
        [{"key": "a", "operator": "Gt", "values": each} for each in (["x"], [])],
        [{"key": "a", "operator": "In", "values": ["x"], "minValues": 2}],
        [{"key": "a", "operator": "In", "minValues": 2}],
        [{"key": "a", "operator": "Lt", "values": ["-1"]}],
        [{"key": "a", "operator": "Lt", "values": ["9223372036854775808"]}],
    ],
)  # fmt: skip
def test_requirements_that_lack_what_rules_take_for_granted(value: Any) -> None:
    node = node_of("nodeclaims").properties["spec"].properties["requirements"]
    ours, theirs = judged(*trees(node), node, value, None)
    assert ours == theirs
    assert ours


def test_a_domain_of_a_provider_is_known_too() -> None:
    schema = {
        "type": "array",
        "items": {"type": "string"},
        "x-kubernetes-validations": [{"rule": AWS_DOMAIN, "message": "restricted"}],
    }
    node = Node(schema)
    assert coded_rules.know_all(node)
    for value in (["karpenter.k8s.aws/instance-size"], ["karpenter.k8s.aws/x"], ["a", "b/c"]):
        ours, theirs = judged(*trees(node), node, value, None)
        assert ours == theirs


def test_other_rules_are_left_to_the_library() -> None:
    schema = {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0"}]}
    assert not coded_rules.know_all(Node(schema))


def test_definitions_with_known_rules_need_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    environments.library.cache_clear()
    cel_programs._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "cel_expr_python.cel", None)
    store = Stage().store
    try:
        for plural in PLURALS:
            store.create(own_definitions.definition(plural))
        pool = node_pool()
        pool["spec"]["template"]["spec"]["requirements"] = [{"key": "karpenter.sh/x",
                                                             "operator": "Exists"}]  # fmt: skip
        with pytest.raises(Invalid, match=r'label domain "karpenter\.sh" is restricted'):
            store.create(pool)
        assert store.create(node_pool())["spec"]["template"]["spec"]["expireAfter"] == "720h"
    finally:
        environments.library.cache_clear()
