from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import warnings
from tests.objects.custom.samples import COUNT, TEXT, array, definition, struct, version, widget

AVOID = "to avoid accidental conflicts with other finalizer writers"


def formatted(**fields: Any) -> dict[str, Any]:
    schema = {"openAPIV3Schema": struct(spec=struct(**fields))}
    made = definition(versions=[version(schema=schema)])
    kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
    return {**made, **kind}


def test_a_format_that_means_nothing_is_told_once() -> None:
    odd = {**TEXT, "format": "odd"}
    old = formatted(a=odd, b={**COUNT, "format": "int32"})
    assert warnings.on_create(old) == ['unrecognized format "odd"']
    new = formatted(a=odd, l=array({**COUNT, "format": "date"}))
    assert warnings.on_update(new, old) == ['unrecognized format "date"']


@pytest.mark.parametrize(
    ("finalizer", "text"),
    [
        ("plain", f'"plain": prefer a domain-qualified finalizer name {AVOID}'),
        ("a.b", f'"a.b": prefer a domain-qualified finalizer name including a path (/) {AVOID}'),
        ("a.b/c", ""),
        ("orphan", ""),
    ],
)
def test_finalizers_of_custom_resources_should_be_qualified(finalizer: str, text: str) -> None:
    held = widget(metadata={"name": "w", "finalizers": [finalizer]})
    told = [f"metadata.finalizers: {text}"] if text else []
    assert warnings.on_create(held) == told
    assert warnings.on_update(held, widget()) == told
    assert warnings.on_update(held, held) == []
