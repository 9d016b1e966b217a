"""Admission policies and their bindings, on writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import AdmissionDenied
from kubestage.store.admission import caller as callers
from kubestage.store.admission.caller import Caller
from tests.store.samples import make_store

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store

GROUP = "admissionregistration.k8s.io/v1"
CONFIG_MAP = ("v1", "ConfigMap")
RULE = {
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "resources": ["configmaps"],
    "operations": ["CREATE", "UPDATE", "DELETE"],
}
MUTATED = {**RULE, "operations": ["CREATE", "UPDATE"]}


def config_map(name: str = "c", **data: str) -> Json:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def policy(store: Store, kind: str, name: str = "p", **spec: Any) -> None:
    rule = RULE if kind == "Validating" else MUTATED
    body = {"matchConstraints": {"resourceRules": [rule]}, **spec}
    if kind == "Mutating":
        body.setdefault("reinvocationPolicy", "Never")
    made = {"apiVersion": GROUP, "kind": f"{kind}AdmissionPolicy", "metadata": {"name": name}}
    store.create({**made, "spec": body})


def binding(store: Store, kind: str, name: str = "b", of: str = "p", **spec: Any) -> None:
    body = {"policyName": of, **spec}
    if kind == "Validating":
        body.setdefault("validationActions", ["Deny"])
    made = {
        "apiVersion": GROUP,
        "kind": f"{kind}AdmissionPolicyBinding",
        "metadata": {"name": name},
    }
    store.create({**made, "spec": body})


def no_more_than_one(**more: Any) -> Json:
    return {"validations": [{"expression": "object == null || size(object.data) < 2", **more}]}


def test_a_validation_refuses_what_a_binding_is_for() -> None:
    store = make_store()
    policy(store, "Validating", **no_more_than_one(messageExpression="'got ' + request.name"))
    store.create(config_map("free", a="1", b="2"))
    binding(store, "Validating")
    store.create(config_map("small", a="1"))
    with pytest.raises(AdmissionDenied) as refused:
        store.create(config_map("large", a="1", b="2"))
    message = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: got large"
    assert refused.value.status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'configmaps "large" is forbidden: {message}',
        "reason": "Invalid",
        "details": {"name": "large", "kind": "configmaps", "causes": [{"message": message}]},
        "code": 422,
    }
    with pytest.raises(AdmissionDenied):
        store.patch(CONFIG_MAP, "small", {"data": {"b": "2"}})


def test_reasons_and_messages() -> None:
    store = make_store()
    policy(store, "Validating", **no_more_than_one(reason="Forbidden", message=" too large "))
    binding(store, "Validating")
    with pytest.raises(AdmissionDenied, match="denied request: too large") as refused:
        store.create(config_map(a="1", b="2"))
    assert (refused.value.code, refused.value.reason) == (403, "Forbidden")


def test_warnings_and_audit_annotations_let_a_request_pass() -> None:
    store = make_store()
    annotation = {"key": "size", "valueExpression": "string(size(object.data))"}
    policy(store, "Validating", **no_more_than_one(), auditAnnotations=[annotation])
    binding(store, "Validating", validationActions=["Warn", "Audit"])
    warnings: list[str] = []
    caller = Caller({"username": "ann"})
    with callers.writing(caller):
        store.create(config_map(a="1", b="2"), warnings=warnings)
    (warning,) = warnings
    assert warning == (
        "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': failed expression: "
        "object == null || size(object.data) < 2"
    )
    assert caller.audit["p/size"] == "2"
    assert '"binding":"b"' in caller.audit["validation.policy.admission.k8s.io/validation_failure"]


def test_parameters_by_name_and_selector_and_when_there_are_none() -> None:
    store = make_store()
    spec: Json = {
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "validations": [{"expression": "size(object.data) <= int(params.data.most)"}],
        "matchConditions": [{"name": "own", "expression": "!object.metadata.name.startsWith('p')"}],
    }
    policy(store, "Validating", **spec)
    store.create(config_map("params", most="1"))
    binding(store, "Validating", paramRef={"name": "params", "parameterNotFoundAction": "Deny"})
    with pytest.raises(AdmissionDenied, match="failed expression: size"):
        store.create(config_map(a="1", b="2"))
    store.delete(CONFIG_MAP, "params")
    with pytest.raises(AdmissionDenied, match="failed to configure binding: no params found"):
        store.create(config_map(a="1"))
    reference = {"selector": {"matchLabels": {"a": "b"}}, "parameterNotFoundAction": "Allow"}
    store.patch((GROUP, "ValidatingAdmissionPolicyBinding"), "b", {"spec": {"paramRef": None}})
    patch = {"spec": {"paramRef": reference}}
    store.patch((GROUP, "ValidatingAdmissionPolicyBinding"), "b", patch)
    store.create(config_map(a="1", b="2"))


@pytest.mark.parametrize(("policy_of_failures", "passes"), [("Ignore", True), ("Fail", False)])
def test_expressions_that_fail(policy_of_failures: str, passes: bool) -> None:
    store = make_store()
    validations = [{"expression": "object.data.nope == 'x'"}]
    policy(store, "Validating", validations=validations, failurePolicy=policy_of_failures)
    binding(store, "Validating")
    if passes:
        store.create(config_map(a="1"))
        return
    with pytest.raises(AdmissionDenied, match="resulted in error: no such key: nope"):
        store.create(config_map(a="1"))


def test_selectors_of_namespaces_and_objects_and_names() -> None:
    store = make_store()
    policy(store, "Validating", validations=[{"expression": "false"}])
    match = {
        "namespaceSelector": {"matchLabels": {"strict": "yes"}},
        "objectSelector": {"matchLabels": {"checked": "yes"}},
        "resourceRules": [{**RULE, "resourceNames": ["c"]}],
    }
    binding(store, "Validating", matchResources=match)
    labelled = config_map("c")
    labelled["metadata"]["labels"] = {"checked": "yes"}
    store.create(labelled)
    store.delete(CONFIG_MAP, "c")
    store.patch(("v1", "Namespace"), "default", {"metadata": {"labels": {"strict": "yes"}}})
    store.create(config_map("c"))
    store.delete(CONFIG_MAP, "c")
    with pytest.raises(AdmissionDenied):
        store.create(labelled)
    other = config_map("d")
    other["metadata"]["labels"] = {"checked": "yes"}
    store.create(other)


def test_a_client_cannot_delete_what_a_policy_protects_and_policies_are_not_protected() -> None:
    store = make_store()
    store.create(config_map())
    protected = {"resourceRules": [{**RULE, "apiGroups": ["*"], "resources": ["*"]}]}
    spec: Json = {"validations": [{"expression": "request.operation != 'DELETE'"}]}
    policy(store, "Validating", matchConstraints=protected, **spec)
    binding(store, "Validating")
    with callers.writing(Caller({"username": "ann"})):
        with pytest.raises(AdmissionDenied, match="denied request"):
            store.delete(CONFIG_MAP, "c")
        store.delete((GROUP, "ValidatingAdmissionPolicy"), "p")
        store.delete(CONFIG_MAP, "c")


def applied(expression: str) -> Json:
    return {
        "mutations": [
            {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}
        ]
    }


def test_a_mutation_is_merged_and_keeps_who_manages_what() -> None:
    store = make_store()
    policy(store, "Mutating", **applied('Object{data: {"added": request.userInfo.username}}'))
    binding(store, "Mutating")
    with callers.writing(Caller({"username": "ann"})):
        created = store.create(config_map(a="1"), manager="m")
    assert created["data"] == {"a": "1", "added": "ann"}
    assert "f:added" not in str(created["metadata"]["managedFields"])


def test_json_patches_and_tests_that_fail() -> None:
    store = make_store()
    text = (
        "[JSONPatch{op: 'test', path: '/data/a', value: '1'}, "
        "JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('b.c'), value: '2'}]"
    )
    mutation = {"patchType": "JSONPatch", "jsonPatch": {"expression": text}}
    policy(store, "Mutating", mutations=[mutation])
    binding(store, "Mutating")
    assert store.create(config_map("x", a="1"))["data"] == {"a": "1", "b.c": "2"}
    assert store.create(config_map("y", a="2"))["data"] == {"a": "2"}


def test_mutations_of_one_policy_are_seen_by_another_that_is_called_again() -> None:
    store = make_store()
    copy = "has(object.data.second) ? Object{data: {'copy': 'yes'}} : Object{}"
    policy(store, "Mutating", "first", reinvocationPolicy="IfNeeded", **applied(copy))
    policy(store, "Mutating", "second", **applied("Object{data: {'second': 'yes'}}"))
    binding(store, "Mutating", "one", "first")
    binding(store, "Mutating", "two", "second")
    created = store.create(config_map(a="1"))
    assert created["data"] == {"a": "1", "copy": "yes", "second": "yes"}


def test_a_mutation_that_does_not_fit_is_refused() -> None:
    store = make_store()
    policy(store, "Mutating", **applied("Object{spec: Object.spec{a: 1}}"))
    binding(store, "Mutating")
    with pytest.raises(AdmissionDenied) as refused:
        store.create(config_map(a="1"))
    text = "policy 'p' with binding 'b' denied request: error applying patch: failed to convert"
    assert refused.value.message.startswith(text)
    assert (refused.value.code, refused.value.reason) == (403, "Invalid")
