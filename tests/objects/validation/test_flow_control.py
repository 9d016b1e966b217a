"""Flow schemas and priority levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.objects.validation import verdicts
from tests.objects.validation.verdicts import changed, problems

if TYPE_CHECKING:
    from kubestage.aliases import Json

FLOWS = "flowcontrol.apiserver.k8s.io/v1"
RULE: Json = {
    "subjects": [{"kind": "User", "user": {"name": "u"}}],
    "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz", "/x/*"]}],
}


def flow(rule: Json | None = None, **spec: Any) -> Json:
    level = {"name": "global"}
    rules = [{**RULE, **(rule or {})}]
    spec = {"priorityLevelConfiguration": level, "rules": rules, **spec}
    return verdicts.make(FLOWS, "FlowSchema", spec=spec)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({}, None),
        ({"matchingPrecedence": 1}, "only the schema named 'exempt' may have matchingPrecedence 1"),
        ({"matchingPrecedence": 10001}, "must not be greater than 10000"),
        ({"distinguisherMethod": {"type": "ByLuck"}}, 'Unsupported value: {"Type":"ByLuck"}'),
        ({"priorityLevelConfiguration": {}}, "Required value: must reference a priority level"),
        ({"rule": {"subjects": []}}, "subjects must contain at least one value"),
        ({"rule": {"nonResourceRules": []}}, "at least one of resourceRules and nonResourceRules"),
        ({"rule": {"subjects": [{"kind": "Group", "user": {"name": "u"}}]}},
         "group is required when subject kind is 'Group'"),
        ({"rule": {"nonResourceRules": [{"verbs": ["*", "get"], "nonResourceURLs": ["x"]}]}},
         "if '*' is present, must not specify other verbs"),
        ({"rule": {"resourceRules": [{"verbs": ["get"], "apiGroups": ["*"], "resources": ["*"]}]}},
         "resource rules that are not cluster scoped must supply at least one namespace"),
    ],
)  # fmt: skip
def test_a_flow_schema_tells_whose_requests_it_is_for(spec: Json, told: str | None) -> None:
    found = problems(flow(**spec))
    assert (told is None) == (not found), found
    assert told is None or told in found[0]


@pytest.mark.parametrize("url", ["", "x", "/a b", "//", "/*a", "/*/*"])
def test_urls_of_a_flow_schema_are_paths(url: str) -> None:
    rule = {"verbs": ["get"], "nonResourceURLs": [url]}
    (text,) = problems(flow({"nonResourceRules": [rule]}))
    assert text.startswith("spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value")


def level(name: str = "x", **spec: Any) -> Json:
    return verdicts.make(FLOWS, "PriorityLevelConfiguration", name, spec=spec)


def queued(**queuing: Any) -> Json:
    return {"type": "Limited", "limited": {"limitResponse": {"type": "Queue", "queuing": queuing}}}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (queued(), None),
        ({"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}, None),
        ({"type": "Limited"}, "spec.limited: Required value: must not be empty when type is"),
        ({"type": "Exempt"}, "must be 'Exempt' if and only if `name` is 'exempt'"),
        (queued(handSize=65), "should not be greater than queues (64)"),
        (queued(handSize=11, queues=64), "required entropy bits of deckSize 64 and handSize 11"),
        ({"type": "Limited", "limited": {"limitResponse": {"type": "Queue"}}},
         "must not be empty if limited.limitResponse.type is Limited"),
        ({"type": "Limited",
          "limited": {"lendablePercent": 101, "limitResponse": {"type": "Reject"}}},
         "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive"),
    ],
)  # fmt: skip
def test_a_priority_level_limits_somehow(spec: Json, told: str | None) -> None:
    found = problems(level(**spec))
    assert (told is None) == (not found), found
    assert told is None or told in found[0]


@pytest.mark.parametrize(
    ("account", "told"),
    [
        ({"name": "*", "namespace": "n"}, []),
        ({"name": "A", "namespace": "n"}, ["name: Invalid value"]),
        ({"name": "a"}, ["namespace: Required value: must specify namespace for service account"]),
        ({"name": "a", "namespace": "N"}, ["namespace: Invalid value"]),
    ],
)
def test_an_account_of_a_flow_schema_has_a_namespace(account: Json, told: list[str]) -> None:
    subject = {"kind": "ServiceAccount", "serviceAccount": account}
    found = problems(flow({"subjects": [subject]}))
    assert len(found) == len(told), found
    for text, part in zip(found, told, strict=True):
        assert text.startswith(f"spec.rules[0].subjects[0].serviceAccount.{part}")


def test_a_subject_is_of_one_kind() -> None:
    subject = {"kind": "User", "user": {"name": "u"}, "group": {"name": "g"}}
    assert problems(flow({"subjects": [subject, {"kind": "Robot"}]})) == [
        (
            "spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is "
            "not 'Group'"
        ),
        (
            'spec.rules[0].subjects[1].kind: Unsupported value: "Robot": supported values: '
            '"Group", "ServiceAccount", "User"'
        ),
    ]


def test_a_wildcard_stands_alone() -> None:
    rule = {"verbs": ["*"], "apiGroups": ["*", ""], "resources": ["*", "x"], "namespaces": ["*"]}
    groups, resources = problems(flow({"resourceRules": [rule]}))
    path, why = "spec.rules[0].resourceRules[0]", "if '*' is present, must not specify other"
    assert groups == f'{path}.apiGroups: Invalid value: ["*",""]: {why} api groups'
    assert resources == f'{path}.resources: Invalid value: ["*","x"]: {why} resources'


def test_namespaces_of_a_flow_schema_are_names() -> None:
    rule = {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["N"]}
    (text,) = problems(flow({"resourceRules": [rule]}))
    assert text.startswith(
        'spec.rules[0].resourceRules[0].namespaces[0]: Invalid value: "N": each member of this '
        "list must be '*' or a DNS-1123 label; a lowercase RFC 1123 label"
    )


def test_conditions_have_a_type_each_once() -> None:
    given = [{"type": "A"}, {"type": "A"}, {}]
    for obj in (flow(), level(**queued())):
        assert changed({**obj, "status": {"conditions": given}}, obj, "status") == [
            'status.conditions[1].type: Duplicate value: "A"',
            "status.conditions[2].type: Required value",
        ]


def test_an_answer_to_too_many_requests_is_chosen() -> None:
    assert problems(level(type="Limited", limited={})) == [
        "spec.limited.limitResponse.type: Required value"
    ]
    reject = {"type": "Reject", "queuing": {}}
    assert problems(level(type="Limited", limited={"limitResponse": reject})) == [
        (
            "spec.limited.limitResponse.queuing: Forbidden: must be nil if "
            "limited.limitResponse.type is not Limited"
        )
    ]
