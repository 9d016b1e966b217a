from __future__ import annotations

from typing import Any

from tests.objects.validation.devices.samples import RESOURCE, claim, device_class, request
from tests.objects.validation.judging import changes, make, problems


def template(*requests: dict[str, Any], **meta: Any) -> dict[str, Any]:
    spec = {"metadata": meta, "spec": {"devices": {"requests": list(requests)}}}
    return make(RESOURCE, "ResourceClaimTemplate", namespaced=True, spec=spec)


def test_what_a_claim_asks_for_stays() -> None:
    (text,) = changes(claim(request(count=2)), claim(request()))
    assert text.startswith('spec: Invalid value: {"Devices":{"Requests":[{"Name":"r","Exactly":{')
    assert text.endswith(": field is immutable")


def test_a_template_makes_claims_with_labels_and_no_names() -> None:
    assert problems(template(request(), labels={"a": "b"})) == []
    assert problems(template(request(), name="x")) == [
        "spec.metadata.name: Forbidden: cannot be set"
    ]
    assert problems(template({"name": "r"})) == [
        (
            "spec.spec.devices.requests[0]: Required value: exactly one of `exactly` or "
            "`firstAvailable` is required"
        )
    ]


def test_a_changed_template_is_refused_as_a_whole() -> None:
    (text,) = changes(template(request(count=2)), template(request()))
    assert text.startswith("spec: Invalid value: {")


def test_of_a_class_only_the_finished_name_is_judged() -> None:
    obj = device_class()
    obj["metadata"] |= {"generateName": "Bad_", "name": "Bad_x"}
    (text,) = problems(obj)
    assert text.startswith('metadata.name: Invalid value: "Bad_x": a lowercase RFC 1123 subdomain')


def test_a_class_stands_for_an_extended_resource() -> None:
    assert problems(device_class(extendedResourceName="x.y/gpu")) == []
    assert problems(device_class(extendedResourceName="cpu")) == [
        ('spec.extendedResourceName: Invalid value: "cpu": must be a valid extended resource name')
    ]


def test_long_parameters_that_are_stored_may_stay() -> None:
    long = [{"opaque": {"driver": "d.x", "parameters": {"a": "x" * 10240}}}]
    assert problems(device_class(config=long)) == [
        "spec.config[0].opaque.parameters: Too long: may not be more than 10240 bytes"
    ]
    assert changes(device_class(config=long), device_class(config=long)) == []


def test_an_expression_that_is_none_is_told_with_its_place() -> None:
    selectors = [{"cel": {"expression": "1 +"}}, {"cel": {"expression": "'a'"}}]
    first, second = problems(device_class(selectors=selectors))
    assert first.startswith(
        'spec.selectors[0].cel.expression: Invalid value: "1 +": compilation failed: ERROR: '
        "<input>:1:4: Syntax error: mismatched input '<EOF>'"
    )
    assert second == (
        "spec.selectors[1].cel.expression: Invalid value: \"'a'\": must evaluate to bool or the "
        "unknown type, not string"
    )
