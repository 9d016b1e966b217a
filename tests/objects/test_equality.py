from __future__ import annotations

from typing import Any

import hypothesis
import pytest

from kubestage.objects import defaulting, equality, schema
from tests.objects import arbitrary_objects


@pytest.mark.parametrize(
    ("expression", "one", "other", "equal"),
    [
        ("core/v1.ResourceList", {"cpu": "1000m"}, {"cpu": "1"}, True),
        ("core/v1.ResourceList", {"cpu": "1000m"}, {"cpu": "2"}, False),
        ("core/v1.ResourceList", None, {}, True),
        ("[]core/v1.Toleration", None, [], True),
        ("[]core/v1.Toleration", [{"key": "a"}], [{"key": "a", "value": ""}], True),
        ("*core/v1.NodeAffinity", None, {}, False),
        ("core/v1.PodSpec", {"hostNetwork": False}, {}, True),
        ("core/v1.PodSpec", {"affinity": {}}, {}, False),
        ("core/v1.PodSpec", {"unknown": 1}, {}, False),
    ],
)
def test_equality_is_of_meaning(expression: str, one: Any, other: Any, equal: bool) -> None:
    assert equality.semantic_equal(expression, one, other) is equal
    assert equality.semantic_equal(expression, other, one) is equal


@hypothesis.given(arbitrary_objects.objects())
def test_an_object_means_the_same_in_its_normal_shape(obj: dict[str, Any]) -> None:
    once = defaulting.default(obj)
    struct = schema.kind_struct(obj["apiVersion"], obj["kind"])
    assert struct is not None
    assert equality.semantic_equal(struct.name, once, defaulting.default(once))
