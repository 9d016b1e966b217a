from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.server import calling

AUTHORIZATION = "/apis/authorization.k8s.io/v1"
AUTHENTICATION = "/apis/authentication.k8s.io/v1"
LOCAL = f"{AUTHORIZATION}/namespaces/default/localsubjectaccessreviews"
GET_PODS = {"verb": "get", "resource": "pods"}


def post(path: str, body: Any, method: str = "POST", **headers: str) -> Any:
    return asyncio.run(calling.call(calling.application(), method, path, body, headers=headers))


def causes(answer: Any) -> list[tuple[str, str]]:
    assert answer.status == 422
    return [(each["field"], each["message"]) for each in answer.json["details"]["causes"]]


def test_everybody_may_do_everything() -> None:
    spec = {"resourceAttributes": GET_PODS}
    answer = post(f"{AUTHORIZATION}/selfsubjectaccessreviews", {"spec": spec})
    assert answer.status == 201
    assert answer.json["status"] == {"allowed": True}
    (entry,) = answer.json["metadata"]["managedFields"]
    assert entry["manager"] == "test"
    assert set(entry["fieldsV1"]) == {"f:spec"}


def test_the_rules_are_one_line() -> None:
    path = f"{AUTHORIZATION}/selfsubjectrulesreviews"
    answer = post(path, {"spec": {"namespace": "default"}})
    assert answer.json["spec"] == {}
    assert answer.json["status"]["resourceRules"] == [
        {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}
    ]
    assert answer.json["status"]["incomplete"] is False
    refused = post(path, {"spec": {}})
    assert (refused.status, refused.json["message"]) == (400, "no namespace on request")


def test_whoever_asks_is_the_administrator() -> None:
    answer = post(f"{AUTHENTICATION}/selfsubjectreviews", {})
    assert answer.json["status"]["userInfo"]["username"] == "admin"
    assert "creationTimestamp" in answer.json["metadata"]


@pytest.mark.parametrize(
    ("headers", "user"),
    [
        (
            {"impersonate-user": "bob"},
            {"username": "bob", "groups": ["system:authenticated"]},
        ),
        (
            {"impersonate-user": "bob", "impersonate-group": "a,b", "impersonate-uid": "7"},
            {"username": "bob", "uid": "7", "groups": ["a", "b", "system:authenticated"]},
        ),
        (
            {"impersonate-user": "system:serviceaccount:ns:sa"},
            {
                "username": "system:serviceaccount:ns:sa",
                "groups": [
                    "system:serviceaccounts",
                    "system:serviceaccounts:ns",
                    "system:authenticated",
                ],
            },
        ),
        (
            {"impersonate-user": "system:anonymous", "impersonate-extra-why": "fun"},
            {
                "username": "system:anonymous",
                "groups": ["system:unauthenticated"],
                "extra": {"why": ["fun"]},
            },
        ),
    ],
)
def test_the_administrator_may_pretend(headers: dict[str, str], user: dict[str, Any]) -> None:
    answer = post(f"{AUTHENTICATION}/selfsubjectreviews", {}, **headers)
    assert answer.json["status"]["userInfo"] == user


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            {"spec": {"resourceAttributes": GET_PODS}},
            ("spec.user", 'Invalid value: "": at least one of user or group must be specified'),
        ),
        (
            {"metadata": {"name": "x"}, "spec": {"user": "a", "resourceAttributes": GET_PODS}},
            ("metadata", "must be empty"),
        ),
        (
            {"spec": {"user": "a", "resourceAttributes": {"fieldSelector": {}}}},
            (
                "spec.resourceAttributes.fieldSelector.requirements",
                (
                    "Required value: when spec.resourceAttributes.fieldSelector is specified, "
                    "requirements or rawSelector is required"
                ),
            ),
        ),
        (
            {
                "spec": {
                    "user": "a",
                    "resourceAttributes": {
                        "labelSelector": {"requirements": [{"key": "a", "operator": "In"}]}
                    },
                }
            },
            (
                "spec.resourceAttributes.labelSelector.requirements[0].values",
                "Required value: must be specified when `operator` is 'In' or 'NotIn'",
            ),
        ),
        (
            {
                "spec": {
                    "user": "a",
                    "resourceAttributes": {
                        "fieldSelector": {
                            "rawSelector": "a=b",
                            "requirements": [{"key": "a", "operator": "Exists"}],
                        }
                    },
                }
            },
            (
                "spec.resourceAttributes.fieldSelector.rawSelector",
                'Invalid value: "a=b": may not specified at the same time as requirements',
            ),
        ),
    ],
)
def test_a_question_has_to_make_sense(body: Any, expected: tuple[str, str]) -> None:
    ((path, message),) = causes(post(f"{AUTHORIZATION}/subjectaccessreviews", body))
    assert path == expected[0]
    assert message.endswith(expected[1])


def test_an_operator_of_the_future_is_no_mistake() -> None:
    for selector in ("labelSelector", "fieldSelector"):
        requirements = {"requirements": [{"key": "a", "operator": "Soon"}]}
        spec = {"user": "a", "resourceAttributes": {**GET_PODS, selector: requirements}}
        assert post(f"{AUTHORIZATION}/subjectaccessreviews", {"spec": spec}).status == 201


def test_a_local_question_is_about_its_namespace_only() -> None:
    attributes = {**GET_PODS, "namespace": "other"}
    answer = post(LOCAL, {"spec": {"user": "a", "resourceAttributes": attributes}})
    assert causes(answer) == [
        (
            "spec.resourceAttributes.namespace",
            'Invalid value: "other": must match metadata.namespace',
        )
    ]
    body = {"spec": {"user": "a", "nonResourceAttributes": {"path": "/", "verb": "get"}}}
    assert causes(post(LOCAL, body)) == [
        (
            "spec.nonResourceAttributes",
            'Invalid value: {"Path":"/","Verb":"get"}: disallowed on this kind of request',
        )
    ]
    elsewhere = {"metadata": {"namespace": "other"}, "spec": {}}
    assert post(LOCAL, elsewhere).status == 400


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH"])
def test_a_review_is_only_ever_created(method: str) -> None:
    answer = post(f"{AUTHORIZATION}/subjectaccessreviews", None, method)
    assert (answer.status, answer.json["reason"]) == (405, "MethodNotAllowed")


@pytest.mark.parametrize(
    "path",
    [
        f"{AUTHORIZATION}/moons",
        f"{AUTHORIZATION}/localsubjectaccessreviews",
        f"{AUTHORIZATION}/namespaces/default/subjectaccessreviews",
        f"{AUTHORIZATION}/selfsubjectreviews",
        f"{AUTHORIZATION}/subjectaccessreviews/x",
    ],
)
def test_there_is_nothing_elsewhere(path: str) -> None:
    assert post(path, {}).status == 404


def test_an_answer_comes_in_yaml_too() -> None:
    answer = post(f"{AUTHENTICATION}/selfsubjectreviews", {}, accept="application/yaml")
    assert answer.header("content-type") == ["application/yaml"]
    assert b"username: admin" in answer.body
