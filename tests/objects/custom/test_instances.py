from __future__ import annotations

from typing import Any

import pytest

from kubestage.errors import BadRequest
from kubestage.objects.custom import decoding, instances, rows
from kubestage.objects.kinds import KindTable
from tests.objects.custom.samples import (
    COUNT,
    FREE,
    TEXT,
    array,
    created,
    kind,
    mapping,
    struct,
    updated,
    widget,
)

SIZE = {**COUNT, "maximum": 10}
KEYED = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}


def read(schema: dict[str, Any], spec: Any) -> Any:
    return instances.instances_of(kind(schema)).read(widget(spec))[0]["spec"]


def test_an_object_is_read_into_a_copy() -> None:
    given = widget({"size": 1, "odd": 2})
    read_object, unknown = instances.instances_of(kind(struct(size=SIZE))).read(given)
    assert (read_object["spec"], unknown) == ({"size": 1}, ["spec.odd"])
    assert given["spec"] == {"size": 1, "odd": 2}


def test_defaults_come_where_nothing_is_said() -> None:
    port = {**struct(port=COUNT, protocol={**TEXT, "default": "TCP"}), "default": {"port": 80}}
    schema = struct(
        port=port, ports=array(port), mode={**TEXT, "default": "fast"}, by=mapping(port)
    )
    assert read(schema, {}) == {"port": {"port": 80, "protocol": "TCP"}, "mode": "fast"}
    assert read(schema, {"mode": None, "port": {}, "ports": [{"port": 1}, None]}) == {
        "mode": "fast",
        "port": {"protocol": "TCP"},
        "ports": [{"port": 1, "protocol": "TCP"}, {"port": 80, "protocol": "TCP"}],
    }
    assert read(schema, {"by": {"k": {}}})["by"] == {"k": {"protocol": "TCP"}}


def test_a_default_is_nobodys_to_share() -> None:
    schema = struct(tags={**array(TEXT), "default": ["a"]})
    read(schema, {})["tags"].append("b")
    assert read(schema, {}) == {"tags": ["a"]}


def test_null_stays_where_it_is_allowed() -> None:
    schema = struct(a={**TEXT, "nullable": True, "default": "x"}, b=TEXT)
    assert read(schema, {"a": None, "b": None}) == {"a": None}


def test_defaults_keep_no_metadata_that_a_server_would_drop() -> None:
    embedded = {"x-kubernetes-embedded-resource": True, **FREE}
    value = {"apiVersion": "v1", "kind": "A", "metadata": {"name": "x", "odd": 1}}
    schema = struct(r={**embedded, "default": value})
    assert read(schema, {})["r"]["metadata"] == {"name": "x"}


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        (
            {"name": 5},
            "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string",
        ),
        ("x", "json: cannot unmarshal string into Go value of type v1.ObjectMeta"),
        (
            {"labels": {"a": True}},
            "json: cannot unmarshal bool into Go struct field ObjectMeta.labels of type string",
        ),
    ],
)
def test_metadata_must_be_metadata(metadata: Any, problem: str) -> None:
    with pytest.raises(BadRequest) as refused:
        instances.instances_of(kind(FREE)).read({**widget(), "metadata": metadata})
    assert refused.value.message == (
        f'Widget in version "v1" cannot be handled as a Widget: {problem}'
    )


def test_unknown_metadata_goes() -> None:
    given = {**widget(), "metadata": {"name": "w", "odd": 1, "labels": None}}
    found, unknown = instances.instances_of(kind(FREE)).read(given)
    assert (found["metadata"], unknown) == ({"name": "w"}, ["metadata.odd"])


def test_names_are_judged_before_values() -> None:
    found = created(struct(size=SIZE), {"size": 11}, metadata={"name": "W", "namespace": "d"})
    assert found[0].startswith('metadata.name: Invalid value: "W": a lowercase RFC 1123 subdomain')
    assert found[1:] == [
        "spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10"
    ]


def test_sets_and_maps_hold_nothing_twice() -> None:
    schema = struct(
        s=array(TEXT, **{"x-kubernetes-list-type": "set"}),
        m=array(struct(["name"], name=TEXT, n=COUNT), **KEYED),
    )
    spec = {"s": ["a", "b", "a", "a"], "m": [{"name": "x"}, {"name": "x", "n": 1}]}
    assert created(schema, spec) == [
        'spec.s[2]: Duplicate value: "a"',
        'spec.m[1]: Duplicate value: {"name":"x"}',
    ]


def test_a_list_that_held_something_twice_may_go_on() -> None:
    schema = struct(s=array(TEXT, **{"x-kubernetes-list-type": "set"}))
    assert updated(schema, {"s": ["a", "a", "b"]}, {"s": ["a", "a"]}) == []
    assert updated(schema, {"s": ["a", "a"]}, {"s": ["a"]}) == ['spec.s[1]: Duplicate value: "a"']


def test_what_did_not_change_is_not_judged_anew() -> None:
    schema = struct(["must"], size=SIZE, other=TEXT, must=COUNT)
    size = "spec.size: Invalid value: 99: spec.size in body should be less than or equal to 10"
    assert updated(schema, {"size": 99, "other": "b", "must": 1}, {"size": 99, "other": "a"}) == []
    assert updated(schema, {"size": 99, "must": 1}, {"size": 98}) == [size]
    assert updated(schema, {"size": 99, "other": "b"}, {"size": 99, "other": "a"}) == [
        "spec.must: Required value"
    ]
    assert updated(schema, {"size": 99}, {"size": 99}) == []


def test_elements_are_told_apart_by_their_keys() -> None:
    schema = struct(m=array(struct(["name"], name=TEXT, n=SIZE), **KEYED), l=array(SIZE))
    old = {"m": [{"name": "x", "n": 99}, {"name": "y", "n": 1}], "l": [99]}
    moved = {"m": [{"name": "z"}, {"name": "x", "n": 99}], "l": [99]}
    assert updated(schema, moved, old) == []
    assert updated(schema, {**old, "l": [99, 1]}, old) == [
        "spec.l[0]: Invalid value: 99: spec.l[0] in body should be less than or equal to 10"
    ]


def test_alternatives_are_judged_whatever_was_before() -> None:
    schema = {**struct(a=SIZE, b=TEXT), "allOf": [{"properties": {"a": {"maximum": 5}}}]}
    assert updated(schema, {"a": 7, "b": "y"}, {"a": 7, "b": "x"}) == [
        "spec.a: Invalid value: 7: spec.a in body should be less than or equal to 5",
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
    ]


def test_embedded_resources_have_a_type_and_good_metadata() -> None:
    schema = struct(r={"x-kubernetes-embedded-resource": True, **FREE})
    assert created(schema, {"r": {"metadata": {"name": "a/b"}}}) == [
        "spec.r.apiVersion: Required value",
        "spec.r.kind: Required value",
        "spec.r.metadata.name: Invalid value: \"a/b\": may not contain '/'",
    ]
    assert created(schema, {"r": {"apiVersion": "a/b/c", "kind": "no kind"}})[0] == (
        'spec.r.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'
    )
    with pytest.raises(BadRequest, match=r"spec\.r\.kind: Invalid value: 5: must be a string$"):
        read(schema, {"r": {"apiVersion": "v1", "kind": 5}})


def test_replicas_that_a_scale_shows_must_be_counts() -> None:
    scale = {
        "specReplicasPath": ".spec.n",
        "statusReplicasPath": ".status.n",
        "labelSelectorPath": ".spec.s",
    }
    made = instances.instances_of(kind(FREE, subresources={"scale": scale}))
    obj = widget({"n": -1, "s": 5}, status={"n": 2**31})
    problems = [str(each) for each in made.validate_create(made.read(obj)[0])]
    accessor = ".spec.s accessor error: 5 is of the type int64, expected string"
    assert problems == [
        ".spec.n: Invalid value: -1: should be a non-negative integer",
        ".status.n: Invalid value: 2147483648: should be less than or equal to 2147483647",
        f'.spec.s: Invalid value: "": {accessor}',
    ]


def test_our_own_kinds_are_not_custom() -> None:
    row = KindTable().get("kubestage.dev/v1alpha1", "Traffic")
    assert row is not None
    assert not rows.are_custom(row)
    assert rows.are_custom(kind(FREE))


def test_a_definition_is_compiled_once() -> None:
    row = kind(FREE)
    assert instances.instances_of(row) is instances.instances_of(row)
    assert instances.instances_of(kind(struct(a=TEXT))) is not instances.instances_of(row)


def test_unknown_fields_are_refused_told_or_dropped() -> None:
    row = kind(struct(size=SIZE))
    body = b'{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","odd":1},'
    body += b'"spec":{"size":1,"size":2,"z":1},"top":1}'
    told = (
        'duplicate field "spec.size"', 'unknown field "metadata.odd"', 'unknown field "spec.z"',
        'unknown field "top"',
    )  # fmt: skip
    assert decoding.decode(body, row, "Warn").warnings == told
    ignored = decoding.decode(body, row, "Ignore")
    assert (ignored.warnings, ignored.object["spec"]) == ((), {"size": 2})
    with pytest.raises(BadRequest) as refused:
        decoding.decode(body, row, "Strict")
    assert refused.value.message == (
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: '
        + ", ".join(told)
    )


def test_a_body_must_say_what_it_is() -> None:
    row = kind(FREE)
    with pytest.raises(BadRequest) as refused:
        decoding.decode(b'{"metadata":{"name":"some-long-name"}}', row, "Ignore")
    assert refused.value.message == (
        "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in "
        '\'{"metadata":{"name":"some-long-name"}}\' ({"metadata":{"name":"some-long ...)'
    )
    with pytest.raises(BadRequest, match=r"the API version in the data \(v1\) does not match"):
        decoding.decode(b'{"apiVersion":"v1","kind":"Widget"}', row, "Ignore")


@pytest.mark.parametrize("body", [b"[]", b"{", b"", b"5", b'{"kind":5}', b'{"kind":"W"'])
def test_what_is_no_object_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest):
        decoding.decode(body, kind(FREE), "Strict")
