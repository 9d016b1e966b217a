from __future__ import annotations

from typing import Any

from tests.objects.validation.judging import changes, make, problems


def runtime_class(**parts: Any) -> dict[str, Any]:
    return make("node.k8s.io/v1", "RuntimeClass", **{"handler": "kata", **parts})


def test_a_handler_is_a_label() -> None:
    assert problems(runtime_class()) == []
    assert problems(runtime_class(handler="")) == ["handler: Required value"]
    assert problems(runtime_class(handler="a.b")) == [
        'handler: Invalid value: "a.b": must not contain dots'
    ]


def test_the_handler_stays() -> None:
    assert changes(runtime_class(overhead={"podFixed": {"cpu": "1"}}), runtime_class()) == []
    assert changes(runtime_class(handler="runc"), runtime_class()) == [
        'handler: Invalid value: "runc": field is immutable'
    ]


def test_an_overhead_is_an_amount_of_resources() -> None:
    assert problems(runtime_class(overhead={"podFixed": {"cpu": "-1"}})) == [
        'overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'
    ]


def test_tolerations_differ() -> None:
    one = {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 1}
    scheduling = {"tolerations": [one, {**one, "tolerationSeconds": 2}], "nodeSelector": {"?": ""}}
    first, second = problems(runtime_class(scheduling=scheduling))
    assert first.startswith('scheduling.nodeSelector: Invalid value: "?": name part must consist')
    assert second == (
        'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"",'
        '"Effect":"NoExecute","TolerationSeconds":2}'
    )
