"""Configurations of admission webhooks, and admission policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.objects.validation import verdicts
from tests.objects.validation.verdicts import changed, problems

if TYPE_CHECKING:
    from kubestage.aliases import Json

ADMISSION = "admissionregistration.k8s.io/v1"
RULE: Json = {
    "operations": ["CREATE"],
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "resources": ["pods"],
}


def hooks(kind: str = "ValidatingWebhookConfiguration", **hook: Any) -> Json:
    given = {
        "name": "a.b.c",
        "rules": [RULE],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "clientConfig": {"service": {"name": "s", "namespace": "n"}},
        **hook,
    }
    return verdicts.make(ADMISSION, kind, webhooks=[given])


@pytest.mark.parametrize(
    ("hook", "told"),
    [
        ({}, []),
        ({"name": "a.b"}, ['name: Invalid value: "a.b": should be a domain with at least three']),
        ({"sideEffects": None}, ["sideEffects: Required value: must specify one of None, None"]),
        ({"sideEffects": "Some"}, ['sideEffects: Unsupported value: "Some": supported values']),
        ({"timeoutSeconds": 31}, ["timeoutSeconds: Invalid value: 31: the timeout value must be"]),
        ({"failurePolicy": "Odd"}, ['failurePolicy: Unsupported value: "Odd": supported val']),
        ({"admissionReviewVersions": []},
         ["admissionReviewVersions: Required value: must specify one of v1, v1beta1"]),
        ({"admissionReviewVersions": ["v3"]},
         ['admissionReviewVersions: Invalid value: ["v3"]: must include at least one of v1, v1b']),
        ({"clientConfig": {}},
         ["clientConfig: Required value: exactly one of url or service is required"]),
        ({"clientConfig": {"url": "http://u@h/p?q#f"}},
         ['clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; d',
          'clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
          'clientConfig.url: Invalid value: "f": fragments are not permitted in the URL',
          'clientConfig.url: Invalid value: "q": query parameters are not permitted in the URL']),
        ({"clientConfig": {"service": {"name": "s", "path": "x/Y"}}},
         ["clientConfig.service.name: Required value",
          "clientConfig.service.path: Invalid value: \"x/Y\": must start with a '/'",
          'clientConfig.service.path: Invalid value: "x/Y": segment[0] may not be empty',
          'clientConfig.service.path: Invalid value: "x/Y": segment[1]: a lowercase RFC']),
        ({"matchConditions": [{"name": "", "expression": " "}]},
         ["matchConditions[0].expression: Required value", "matchConditions[0].name: Required"]),
    ],
)  # fmt: skip
def test_a_webhook_can_be_asked(hook: Json, told: list[str]) -> None:
    found = problems(hooks(**hook))
    assert len(found) == len(told), found
    for text, part in zip(found, told, strict=True):
        assert text.startswith(f"webhooks[0].{part}")


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"operations": []}, "operations: Required value"),
        ({"operations": ["*", "CREATE"]}, 'operations: Invalid value: ["*","CREATE"]: if'),
        ({"operations": ["LOOK"]}, 'operations[0]: Unsupported value: "LOOK"'),
        ({"apiVersions": [""]}, "apiVersions[0]: Required value"),
        ({"resources": ["*", "pods"]}, 'resources: Invalid value: ["*","pods"]: if \'*\' is'),
        ({"resources": ["*/*", "pods"]}, 'resources: Invalid value: ["*/*","pods"]: if \'*/*\''),
        (
            {"resources": ["pods/*", "pods/log"]},
            'resources[1]: Invalid value: "pods/log": if \'pods/',
        ),
        ({"scope": "World"}, 'scope: Unsupported value: "World": supported values: "*", "Cluster"'),
    ],
)
def test_rules_of_a_webhook_are_exact(rule: Json, told: str) -> None:
    (text,) = problems(hooks(rules=[{**RULE, **rule}]))
    assert text.startswith(f"webhooks[0].rules[0].{told}")


def test_what_older_webhooks_got_wrong_is_let_pass() -> None:
    old = hooks(sideEffects="Some", admissionReviewVersions=["v3"])
    assert changed({**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}, old) == []
    assert changed(old, hooks()) != []


def policy(kind: str = "Validating", match: Json | None = None, **spec: Any) -> Json:
    constraints = {"resourceRules": [RULE], **(match or {})}
    body: Json = {"matchConstraints": constraints}
    if kind == "Validating":
        body["validations"] = [{"expression": "true"}]
    else:
        body["reinvocationPolicy"] = "Never"
        patch = {"expression": "Object{}"}
        body["mutations"] = [{"patchType": "ApplyConfiguration", "applyConfiguration": patch}]
    return verdicts.make(ADMISSION, f"{kind}AdmissionPolicy", spec={**body, **spec})


@pytest.mark.parametrize(
    ("kind", "spec", "told"),
    [
        ("Validating", {}, []),
        ("Mutating", {}, []),
        ("Validating", {"validations": []},
         ["spec.validations: Required value: validations or", "spec.auditAnnotations: Required"]),
        ("Validating", {"match": {"resourceRules": []}},
         ["spec.matchConstraints.resourceRules: Required value"]),
        ("Validating", {"matchConstraints": None}, ["spec.matchConstraints: Required value"]),
        ("Validating", {"paramKind": {"apiVersion": "a/b/c", "kind": "K"}},
         ['spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string']),
        ("Validating", {"variables": [{"name": "in", "expression": "1"}]},
         ['spec.variables[0].name: Invalid value: "in": must be a valid CEL identifier']),
        ("Validating",
         {"validations": [{"expression": "1 < 2", "message": "a\nb", "reason": "Odd"}]},
         ['spec.validations[0].message: Invalid value: "a\\nb": must not contain line breaks',
          'spec.validations[0].reason: Unsupported value: "Odd": supported values: "Forbidden"']),
        ("Validating", {"validations": [{"expression": "1", "messageExpression": "1"}]},
         ['spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int',
          'spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string']),
        ("Mutating", {"variables": [{"name": "a", "expression": "nope"}]},
         ['spec.variables[0].expression: Invalid value: "nope": compilation failed: ERROR: <in']),
        ("Validating", {"matchConditions": [{"name": "a", "expression": "object."}]},
         ['spec.matchConditions[0].expression: Invalid value: "object.": compilation failed: ']),
        ("Validating", {"auditAnnotations": [{"key": "a/b", "valueExpression": ""}]},
         ['spec.auditAnnotations[0].key: Invalid value: "x/a/b"',
          "spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not"]),
        ("Mutating", {"mutations": []},
         ["spec.mutations: Required value: mutations must contain at least one item"]),
        ("Mutating", {"mutations": [{"patchType": "JSONPatch", "applyConfiguration": {}}]},
         ["spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSO",
          'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not']),
        ("Mutating", {"match": {"resourceRules": [{**RULE, "operations": ["DELETE"]}]}},
         ['spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE"']),
        ("Validating", {"match": {"resourceRules": [{**RULE, "operations": []}]}},
         ["spec.matchConstraints.resourceRules[0].operations: Required value"]),
        ("Mutating", {"reinvocationPolicy": ""}, ["spec.reinvocationPolicy: Required value"]),
    ],
)  # fmt: skip
def test_a_policy_says_what_it_is_for(kind: str, spec: Json, told: list[str]) -> None:
    found = problems(policy(kind, **spec))
    assert len(found) == len(told), found
    assert all(text.startswith(part) for text, part in zip(found, told, strict=True))


def bound(kind: str = "Validating", **spec: Any) -> Json:
    spec = {"policyName": "p", **spec}
    if kind == "Validating":
        spec = {"validationActions": ["Deny"], **spec}
    return verdicts.make(ADMISSION, f"{kind}AdmissionPolicyBinding", spec=spec)


@pytest.mark.parametrize(
    ("kind", "spec", "told"),
    [
        ("Validating", {}, []),
        ("Mutating", {}, []),
        ("Mutating", {"policyName": ""}, ["spec.policyName: Required value"]),
        ("Validating", {"validationActions": []},
         ["spec.validationActions: Required value: at least one validation action is required"]),
        ("Validating", {"validationActions": ["Deny", "Warn"]},
         ['spec.validationActions: Invalid value: ["Deny","Warn"]: must not contain both']),
        ("Validating", {"validationActions": ["Deny", "Deny"]},
         ['spec.validationActions[1]: Duplicate value: "Deny"']),
        ("Validating", {"paramRef": {"name": "n", "parameterNotFoundAction": "Deny"}}, []),
        ("Validating", {"paramRef": {}},
         ["spec.paramRef: Required value: one of name or selector must be specified",
          "spec.paramRef.parameterNotFoundAction: Required value"]),
        ("Mutating", {"paramRef": {"name": "n", "selector": {}, "parameterNotFoundAction": "Odd"}},
         ["spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
          "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
          'spec.paramRef.parameterNotFoundAction: Unsupported value: "Odd"']),
    ],
)  # fmt: skip
def test_a_binding_says_where_a_policy_applies(kind: str, spec: Json, told: list[str]) -> None:
    found = problems(bound(kind, **spec))
    assert len(found) == len(told), found
    assert all(text.startswith(part) for text, part in zip(found, told, strict=True))


def test_names_of_webhooks_and_resources_are_distinct() -> None:
    one = hooks()
    two = {**one, "webhooks": one["webhooks"] * 2}
    assert problems(two) == ['webhooks[1].name: Duplicate value: "a.b.c"']
    assert changed(two, one) == problems(two)
    assert changed(two, two) == []
    rule = {**RULE, "resourceNames": ["a", "a", "b/c"]}
    assert problems(policy(match={"resourceRules": [rule]})) == [
        'spec.matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
        (
            "spec.matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "
            "\"b/c\": may not contain '/'"
        ),
    ]


def test_selectors_of_a_webhook_are_judged_and_forgiven() -> None:
    odd = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]}
    wrong = hooks(objectSelector=odd)
    (text,) = problems(wrong)
    assert text.startswith("webhooks[0].objectSelector.matchExpressions[0].values[0]: Invalid")
    assert changed(wrong, wrong) == []


def test_all_resources_may_stand_alone() -> None:
    assert problems(hooks(rules=[{**RULE, "resources": ["*/*"]}])) == []
    (text,) = problems(hooks(matchPolicy="Odd"))
    assert text.startswith(
        'webhooks[0].matchPolicy: Unsupported value: "Odd": supported values: "E'
    )


def test_conditions_and_parameters_of_a_policy_are_judged() -> None:
    twice = [{"name": "a", "expression": "1 < 2"}] * 2
    for kind in ("Validating", "Mutating"):
        assert problems(policy(kind, matchConditions=twice)) == [
            'spec.matchConditions[1].name: Duplicate value: "a"'
        ]
    found = problems(policy(paramKind={"apiVersion": "A/1", "kind": "-"}))
    assert [text.partition(": ")[0] for text in found] == [
        "spec.paramKind.apiVersion",
        "spec.paramKind.apiVersion",
        "spec.paramKind.kind",
    ]


def test_a_webhook_is_asked_again_or_not() -> None:
    (text,) = problems(hooks("MutatingWebhookConfiguration", reinvocationPolicy="Odd"))
    assert text == (
        'webhooks[0].reinvocationPolicy: Unsupported value: "Odd": supported values: '
        '"IfNeeded", "Never"'
    )
