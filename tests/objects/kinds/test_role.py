"""Roles, bindings, secrets and revisions."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from tests.objects.validation import verdicts
from tests.objects.validation.verdicts import changed, problems

if TYPE_CHECKING:
    from kubestage.aliases import Json

RBAC = "rbac.authorization.k8s.io/v1"
RULE: Json = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}
ROLE_REF: Json = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}


def role(kind: str = "Role", **parts: Any) -> Json:
    return verdicts.make(RBAC, kind, **parts)


def binding(of: str = "RoleBinding", ref: Json | None = None, subject: Json | None = None) -> Json:
    given = {"kind": "User", "name": "u", **(subject or {})}
    return verdicts.make(RBAC, of, roleRef={**ROLE_REF, **(ref or {})}, subjects=[given])


@pytest.mark.parametrize(
    ("kind", "rule", "told"),
    [
        ("Role", {}, []),
        ("Role", {"verbs": []}, ["verbs: Required value: verbs must contain at least one value"]),
        ("Role", {"apiGroups": []},
         ["apiGroups: Required value: resource rules must supply at least one api group"]),
        ("Role", {"resources": []},
         ["resources: Required value: resource rules must supply at least one resource"]),
        ("Role", {"nonResourceURLs": ["/x"]},
         ['nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply',
          'nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular']),
        ("ClusterRole", {"nonResourceURLs": ["/x"], "apiGroups": [], "resources": []}, []),
    ],
)  # fmt: skip
def test_a_rule_allows_something(kind: str, rule: Json, told: list[str]) -> None:
    found = problems(role(kind, rules=[{**RULE, **rule}]))
    assert len(found) == len(told), found
    for text, part in zip(found, told, strict=True):
        assert text.startswith(f"rules[0].{part}")


def test_names_of_roles_need_only_fit_into_a_path() -> None:
    named = {**role(), "metadata": {**role()["metadata"], "name": "system:Node/x"}}
    assert problems(named) == [
        "metadata.name: Invalid value: \"system:Node/x\": may not contain '/'"
    ]
    assert problems({**named, "metadata": {**named["metadata"], "name": "system:Node"}}) == []


def test_an_aggregated_role_selects_others() -> None:
    assert problems(role("ClusterRole", aggregationRule={})) == [
        (
            "aggregationRule.clusterRoleSelectors: Required value: at least one "
            "clusterRoleSelector "
            "required if aggregationRule is non-nil"
        )
    ]
    odd = {"matchExpressions": [{"key": "a", "operator": "In", "values": ["-"]}]}
    wrong = role("ClusterRole", aggregationRule={"clusterRoleSelectors": [odd]})
    assert problems(wrong) != []
    assert changed({**wrong, "rules": [RULE]}, wrong) == []


@pytest.mark.parametrize(
    ("kind", "subject", "told"),
    [
        ("RoleBinding", {}, []),
        ("RoleBinding", {"name": ""}, ["subjects[0].name: Required value"]),
        ("RoleBinding", {"kind": "Robot"},
         ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "U']),
        ("RoleBinding", {"apiGroup": "x"},
         ['subjects[0].apiGroup: Unsupported value: "x": supported values: "rbac.auth']),
        ("RoleBinding", {"kind": "ServiceAccount", "apiGroup": "x"},
         ['subjects[0].apiGroup: Unsupported value: "x": supported values: ""']),
        ("RoleBinding", {"kind": "ServiceAccount", "name": "A"},
         ['subjects[0].name: Invalid value: "A": a lowercase RFC 1123 subdomain']),
        ("ClusterRoleBinding", {"kind": "ServiceAccount"},
         ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
          "subjects[0].namespace: Required value"]),
    ],
)  # fmt: skip
def test_a_binding_names_who_and_what(kind: str, subject: Json, told: list[str]) -> None:
    found = problems(binding(kind, subject=subject))
    assert len(found) == len(told), found
    assert all(text.startswith(part) for text, part in zip(found, told, strict=True))


def test_the_role_of_a_binding_stays() -> None:
    assert changed(binding(ref={"name": "q"}), binding()) == [
        (
            'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role",'
            '"Name":"q"}: '
            "cannot change roleRef"
        )
    ]
    assert problems(binding(ref={"name": ""})) == ["roleRef.name: Required value"]


def secret(kind: str = "", meta: Json | None = None, **data: str) -> Json:
    return verdicts.make("v1", "Secret", meta=meta, type=kind, stringData=data)


@pytest.mark.parametrize(
    ("kind", "data", "told"),
    [
        ("", {"a": "b"}, []),
        ("", {"a b": "c"}, ['data[a b]: Invalid value: "a b": a valid config key must consist']),
        ("kubernetes.io/tls", {"tls.crt": ""}, ["data[tls.key]: Required value"]),
        ("kubernetes.io/basic-auth", {"username": ""}, []),
        ("kubernetes.io/ssh-auth", {"ssh-privatekey": ""}, ["data[ssh-privatekey]: Required"]),
        ("kubernetes.io/dockercfg", {".dockercfg": "{}"}, []),
        ("kubernetes.io/dockercfg", {".dockercfg": "[]"},
         [('data[.dockercfg]: Invalid value: "<secret contents redacted>": json: cannot unmarshal '
          "array into Go value of type map[string]interface {}")]),
        ("kubernetes.io/dockercfg", {".dockercfg": ""},
         ['data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON']),
        ("my/own", {}, []),
    ],
)  # fmt: skip
def test_each_type_of_secret_has_its_keys(kind: str, data: Json, told: list[str]) -> None:
    found = problems(secret(kind, **data))
    assert len(found) == len(told), found
    assert all(text.startswith(part) for text, part in zip(found, told, strict=True))


def test_a_token_names_its_account() -> None:
    kind = "kubernetes.io/service-account-token"
    meta = {"annotations": {"kubernetes.io/service-account.name": "a"}}
    assert problems(secret(kind)) != []
    assert problems(secret(kind, meta)) == []


def test_a_secret_fits_into_a_mebibyte() -> None:
    text = base64.b64encode(b"x" * (1024 * 1024 + 1)).decode()
    big = verdicts.make("v1", "Secret", data={"a": text})
    assert problems(big) == ["data: Too long: may not be more than 1048576 bytes"]


def test_a_frozen_secret_stays() -> None:
    frozen = {**secret(a="b"), "immutable": True}
    assert changed(secret(a="b"), frozen) == [
        "immutable: Forbidden: field is immutable when `immutable` is set"
    ]
    assert changed({**secret(a="c"), "immutable": True}, frozen) == [
        "data: Forbidden: field is immutable when `immutable` is set"
    ]


def revision(data: Any, number: int = 1) -> Json:
    return verdicts.make("apps/v1", "ControllerRevision", data=data, revision=number)


@pytest.mark.parametrize(
    ("data", "number", "told"),
    [
        ({"a": 1}, 1, []),
        (None, 1, ["data: Required value: data is mandatory"]),
        ([], 1, ["data: Required value: data must be a valid JSON object"]),
        ({}, -1, ["revision: Invalid value: -1: must be greater than or equal to 0"]),
    ],
)
def test_a_revision_holds_an_object(data: Any, number: int, told: list[str]) -> None:
    assert problems(revision(data, number)) == told


def test_what_a_revision_holds_stays() -> None:
    assert changed(revision({"a": 1}, 2), revision({"a": 1})) == []
    assert changed(revision({"a": 2}), revision({"a": 1})) == [
        'data: Invalid value: {"a":2}: field is immutable'
    ]
