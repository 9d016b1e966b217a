"""Random objects of any kind of the type table, for properties that hold for all of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from kubestage.objects import kinds, schema

KINDS = tuple(
    (row.api_version, row.kind)
    for row in kinds.BUILT_IN
    if schema.kind_struct(row.api_version, row.kind) is not None
)
# Words on which defaults depend, beside the empty one and any other.
_WORDS = (
    "", "web", "Always", "RollingUpdate", "OnDelete", "Container", "ClientIP", "LoadBalancer",
    "NodePort", "ExactCount", "User", "nginx:latest",
)  # fmt: skip
_SCALARS: dict[schema.Form, st.SearchStrategy[Any]] = {
    schema.Form.STRING: st.sampled_from(_WORDS),
    schema.Form.BOOL: st.booleans(),
    schema.Form.INTEGER: st.sampled_from((0, 1, 7)),
    schema.Form.FLOAT: st.sampled_from((0, 0.5)),
    schema.Form.BYTES: st.sampled_from(("", "YQ==")),
}
_OPAQUE: dict[str, st.SearchStrategy[Any]] = {
    "resource.Quantity": st.sampled_from(("0", "1", "100m", "0.0001", "1.5Gi", "1000m", 2)),
    "meta/v1.Time": st.sampled_from(("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.9Z")),
    "meta/v1.MicroTime": st.just("2026-01-01T00:00:00.123456Z"),
    "intstr.IntOrString": st.sampled_from((0, 1, "", "25%")),
    "apiextensions/v1.JSONSchemaPropsOrArray": st.just([{"type": "string"}]),
    "apiextensions/v1.JSONSchemaPropsOrBool": st.booleans(),
    "apiextensions/v1.JSONSchemaPropsOrStringArray": st.just(["a"]),
}
# Fields that lead to where most defaults are.
_USUAL = ("spec", "template", "containers", "resources", "behavior", "strategy", "updateStrategy")
_ANYTHING = st.sampled_from(({}, {"a": [1]}, "text", 3))


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """An object of a random kind that the API's decoder would take."""
    api_version, kind = draw(st.just(("v1", "Pod")) | st.sampled_from(KINDS))
    found = schema.kind_struct(api_version, kind)
    assert found is not None
    content = draw(_values(schema.type_of(found.name), 7))
    return {**content, "apiVersion": api_version, "kind": kind}


def _values(type_: schema.Type, depth: int) -> st.SearchStrategy[Any]:
    bare = type_.bare
    if bare.form in _SCALARS:
        return _SCALARS[bare.form]
    if bare.form is schema.Form.OPAQUE:
        return _OPAQUE.get(bare.name, _ANYTHING)
    if bare.form is schema.Form.STRUCT:
        return _structs(bare.name, depth)
    assert bare.element is not None
    if depth <= 0:
        return st.sampled_from(([], None) if bare.form is schema.Form.LIST else ({}, None))
    element = _values(bare.element, depth - 1)
    if bare.form is schema.Form.LIST:
        return st.lists(element, min_size=1, max_size=2) | st.just([])
    return st.dictionaries(st.sampled_from(("cpu", "memory", "a")), element, max_size=2)


@st.composite
def _structs(draw: st.DrawFn, name: str, depth: int) -> dict[str, Any]:
    fields = schema.struct(name).by_json
    if not fields or depth <= 0:
        return {}
    usual = [key for key in _USUAL if key in fields]
    drawn = draw(st.lists(st.sampled_from(sorted(fields)), max_size=5, unique=True))
    return {
        key: draw(st.none() | _values(fields[key].type, depth - 1)) if key in drawn
        else draw(_values(fields[key].type, depth - 1))
        for key in dict.fromkeys([*usual, *drawn])
    }  # fmt: skip
