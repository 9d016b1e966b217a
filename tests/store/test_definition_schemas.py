from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.errors import ApiError, BadRequest
from tests.objects.custom.samples import COUNT, TEXT, array, struct
from tests.store.samples import DEFINITION, make_store, widget, widgets_definition


@pytest.mark.parametrize(
    "schema",
    [
        array({"type": 5}),
        {"type": "object", "additionalProperties": {"pattern": []}},
        {"type": "object", "additionalProperties": "x"},
        {"type": "array", "items": 5},
    ],
)
def test_what_is_no_schema_is_a_bad_request(schema: Any) -> None:
    made = widgets_definition(schema={"openAPIV3Schema": struct(spec=schema)})
    with pytest.raises(BadRequest, match=r"cannot be handled as a CustomResourceDefinition: "):
        make_store().create(made)


KEYWORDS = (
    "type",
    "format",
    "default",
    "maximum",
    "minimum",
    "maxLength",
    "pattern",
    "maxItems",
    "multipleOf",
    "enum",
    "required",
    "items",
    "properties",
    "additionalProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "nullable",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-embedded-resource",
    "x-kubernetes-validations",
)
WORDS = st.sampled_from(
    ["object", "array", "string", "integer", "set", "map", "a", "date-time", "(", ".a", "self == 1"]
)
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | WORDS
PARTS = st.recursive(
    SCALARS | st.sampled_from([TEXT, COUNT, struct(a=TEXT), array(COUNT)]),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from([*KEYWORDS, "a", "rule", "metadata"]), inner, max_size=4),
        st.lists(inner, max_size=3),
    ),
    max_leaves=15,
)


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(KEYWORDS), PARTS, max_size=5), PARTS)
def test_any_schema_is_refused_or_serves_its_objects(schema: Any, value: Any) -> None:
    store = make_store()
    whole = struct(spec={"type": "object", **schema})
    try:
        store.create(widgets_definition(schema={"openAPIV3Schema": whole}))
    except ApiError:
        assert not store.list(DEFINITION).items
        return
    try:
        created = store.create(widget("w", spec=value))
    except ApiError:
        return
    assert store.update(created) == created
