from __future__ import annotations

from typing import Any

from kubestage.objects.validation import access_reviews

GET_PODS = {"verb": "get", "resource": "pods"}
PATH = {"path": "/", "verb": "get"}


def problems(kind: str, spec: dict[str, Any], **metadata: Any) -> list[str]:
    review = {"kind": kind, "metadata": metadata, "spec": spec}
    return [str(each) for each in access_reviews.validate(review)]


def test_one_thing_is_asked_at_a_time() -> None:
    assert problems("SelfSubjectAccessReview", {"resourceAttributes": GET_PODS}) == []
    assert problems("SelfSubjectAccessReview", {"nonResourceAttributes": PATH}) == []
    both = {"resourceAttributes": GET_PODS, "nonResourceAttributes": PATH}
    assert problems("SelfSubjectAccessReview", both) == [
        (
            'spec.nonResourceAttributes: Invalid value: {"Path":"/","Verb":"get"}: cannot be '
            "specified in combination with resourceAttributes"
        )
    ]
    assert problems("SelfSubjectAccessReview", {}) == [
        (
            "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or "
            "resourceAttributes must be specified"
        )
    ]


def test_somebody_is_asked_about() -> None:
    for who in ({"user": "a"}, {"groups": ["g"]}):
        spec = {"resourceAttributes": GET_PODS, **who}
        assert problems("SubjectAccessReview", spec) == []
    (problem,) = problems("SubjectAccessReview", {"resourceAttributes": GET_PODS})
    assert problem.startswith("spec.user: ")


def test_a_question_has_no_name_but_may_have_managers() -> None:
    spec = {"user": "a", "resourceAttributes": {**GET_PODS, "namespace": "n"}}
    assert problems("SubjectAccessReview", spec, managedFields=[{}]) == []
    (problem,) = problems("SubjectAccessReview", spec, namespace="n")
    assert problem == 'metadata: Invalid value: {"namespace":"n"}: must be empty'
    assert problems("LocalSubjectAccessReview", spec, namespace="n") == []
    (problem,) = problems("LocalSubjectAccessReview", spec, namespace="n", name="x")
    assert problem.endswith("must be empty except for namespace")


def test_requirements_of_fields_follow_their_operator() -> None:
    def of(**requirement: Any) -> list[str]:
        selector = {"requirements": [requirement]}
        attributes = {**GET_PODS, "fieldSelector": selector}
        return problems("SelfSubjectAccessReview", {"resourceAttributes": attributes})

    where = "spec.resourceAttributes.fieldSelector.requirements[0]"
    assert of(key="a", operator="In", values=["b"]) == []
    assert of(key="a", operator="Exists") == []
    assert of(operator="Exists") == [f"{where}.key: Required value: must be specified"]
    (problem,) = of(key="a", operator="NotIn")
    assert problem.startswith(f"{where}.values: Required value")
    (problem,) = of(key="a", operator="DoesNotExist", values=["b"])
    assert problem.startswith(f"{where}.values: Forbidden")
