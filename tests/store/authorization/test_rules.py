"""Rules of roles, and whether some cover others."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.store.authorization import rules
from kubestage.store.authorization.access import Access

READ_PODS = {"verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"]}
ALL = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}


def rule(verbs: str, groups: str, resources: str, names: str = "") -> dict[str, Any]:
    found = {
        "verbs": verbs.split(","),
        "apiGroups": ["" if each == "-" else each for each in groups.split(",")],
        "resources": resources.split(","),
    }
    return {**found, "resourceNames": names.split(",")} if names else found


@pytest.mark.parametrize(
    ("one", "access", "expected"),
    [
        (READ_PODS, Access("get", "", "pods"), True),
        (READ_PODS, Access("get", "", "pods", "log"), False),
        (READ_PODS, Access("delete", "", "pods"), False),
        (READ_PODS, Access("get", "apps", "pods"), False),
        (rule("get", "-", "pods/log"), Access("get", "", "pods", "log"), True),
        (rule("get", "-", "*/log"), Access("get", "", "pods", "log"), True),
        (rule("get", "-", "*/log"), Access("get", "", "pods"), False),
        (rule("get", "-", "*"), Access("get", "", "pods", "log"), True),
        (rule("get", "-", "secrets", "a,b"), Access("get", "", "secrets", name="b"), True),
        (rule("get", "-", "secrets", "a,b"), Access("get", "", "secrets", name="c"), False),
        (rule("list", "-", "secrets", "a"), Access("list", "", "secrets"), False),
        (ALL, Access("anything", "any.group", "things", "part", "ns", "name"), True),
        (ALL, Access("get", path="/metrics"), False),
        ({"verbs": ["get"], "nonResourceURLs": ["/metrics"]}, Access("get", path="/metrics"), True),
        ({"verbs": ["get"], "nonResourceURLs": ["/api/*"]}, Access("get", path="/api/v1"), True),
        ({"verbs": ["get"], "nonResourceURLs": ["/api/*"]}, Access("get", path="/apis"), False),
        ({"verbs": ["*"], "nonResourceURLs": ["*"]}, Access("post", path="/x"), True),
    ],
)
def test_what_a_rule_allows(one: dict[str, Any], access: Access, expected: bool) -> None:
    assert rules.allows(one, access) is expected


@pytest.mark.parametrize(
    ("held", "granted", "lacking"),
    [
        ([READ_PODS], [READ_PODS], []),
        ([ALL], [READ_PODS, rule("escalate", "x", "y/z", "n")], []),
        ([], [READ_PODS], ['{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}']),
        (
            [READ_PODS],
            [rule("get,watch", "-", "pods,nodes")],
            [
                '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "watch"]}',
                '{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}',
            ],
        ),
        (
            [rule("get", "-", "secrets", "a")],
            [rule("get", "-", "secrets")],
            ['{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}'],
        ),
        (
            [rule("get", "-", "secrets", "a")],
            [rule("get", "-", "secrets", "a,b")],
            ['{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}'],
        ),
        ([rule("get", "-", "*/scale")], [rule("get", "-", "deployments/scale")], []),
        (
            [{"verbs": ["get"], "nonResourceURLs": ["/a/*"]}],
            [{"verbs": ["get"], "nonResourceURLs": ["/a/b", "/c"]}],
            ['{NonResourceURLs:["/c"], Verbs:["get"]}'],
        ),
    ],
)
def test_what_is_missing(
    held: list[dict[str, Any]], granted: list[dict[str, Any]], lacking: list[str]
) -> None:
    assert rules.missing(held, granted) == lacking


_WORDS = st.lists(st.sampled_from(["a", "b", "*"]), min_size=1, max_size=3, unique=True)
_RULES = st.builds(
    lambda verbs, groups, resources: {"verbs": verbs, "apiGroups": groups, "resources": resources},
    _WORDS,
    _WORDS,
    _WORDS,
)
_ACCESS = st.builds(Access, *[st.sampled_from(["a", "b", "c"])] * 3)


@given(st.lists(_RULES, max_size=3), st.lists(_RULES, max_size=2), _ACCESS)
def test_what_is_covered_allows_nothing_more(
    held: list[dict[str, Any]], granted: list[dict[str, Any]], access: Access
) -> None:
    if not rules.missing(held, granted) and any(rules.allows(each, access) for each in granted):
        assert any(rules.allows(each, access) for each in held)
