"""Bytes from anywhere are an object or a clear refusal, never anything else."""

from __future__ import annotations

import hypothesis
import msgspec
import pytest
from hypothesis import strategies as st

from kubestage import errors
from kubestage.server.protobuf import envelope as protobuf
from kubestage.server.protobuf.envelope import MAGIC
from tests.server.protobuf import encoding
from tests.server.protobuf.encoding import number_field, piece

POD = encoding.envelope(
    {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "labels": {"app": "web"}, "generation": 3},
        "spec": {
            "containers": [{"name": "c", "resources": {"limits": {"cpu": "1"}}}],
            "nodeSelector": {"a": "b"},
            "tolerations": [{"tolerationSeconds": -5}],
        },
    }
)


def envelope(message: bytes, api_version: str = "v1", kind: str = "Pod") -> bytes:
    meta = piece(1, api_version.encode()) + piece(2, kind.encode())
    return MAGIC + piece(1, meta) + piece(2, message)


def refusal(data: bytes, kind: str = "") -> str:
    with pytest.raises(errors.BadRequest) as caught:
        protobuf.decode(data, kind=kind)
    return caught.value.message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the object provided is unrecognized (must be of type Pod): empty data (<empty>)"),
        (
            b'{"a":1}',
            (
                "the object provided is unrecognized (must be of type Pod): provided data does not "
                "appear to be a protobuf message, expected prefix [107 56 115 0] (7b2261223a317d)"
            ),
        ),
        (MAGIC, "the object provided is unrecognized (must be of type Pod): empty body (6b387300)"),
        (
            envelope(b"\x0a\x05" + piece(1, b"a")),
            'Pod in version "v1" cannot be handled as a Pod: unexpected EOF',
        ),
        (
            envelope(b"\x08\x01"),
            (
                'Pod in version "v1" cannot be handled as a Pod: '
                "proto: wrong wireType = 0 for field metadata"
            ),
        ),
        (
            envelope(b"\x00\x00"),
            'Pod in version "v1" cannot be handled as a Pod: proto: illegal tag 0 (wire type 0)',
        ),
        (
            envelope(b"\x80" * 11),
            'Pod in version "v1" cannot be handled as a Pod: proto: integer overflow',
        ),
        (
            envelope(b"", "example.com/v1", "Widget"),
            (
                'Widget in version "v1" cannot be handled as a Pod: no kind "Widget" is registered '
                'for version "example.com/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"'
            ),
        ),
    ],
)
def test_a_refusal_says_what_is_wrong(data: bytes, message: str) -> None:
    assert refusal(data, "Pod") == message


def test_the_request_fills_in_what_the_envelope_leaves_out() -> None:
    data = MAGIC + piece(2, piece(1, piece(1, b"a")))
    read = protobuf.decode(data, "v1", "Pod")
    assert read == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}


def test_unknown_fields_and_groups_are_passed_over() -> None:
    start, end = encoding.varint(99 << 3 | 3), encoding.varint(99 << 3 | 4)
    group = start + number_field(1, 7) + start + piece(2, b"x") + end + number_field(1, 7) + end
    message = number_field(77, 5) + group + piece(88, b"x") + piece(1, piece(1, b"a"))
    assert protobuf.decode(envelope(message))["metadata"] == {"name": "a"}


def test_pieces_of_one_message_are_put_together_and_the_last_scalar_wins() -> None:
    message = piece(1, piece(1, b"a") + piece(3, b"n")) + piece(1, piece(1, b"b"))
    assert protobuf.decode(envelope(message))["metadata"] == {"name": "b", "namespace": "n"}


def test_packed_and_single_numbers_are_read_alike() -> None:
    # securityContext.supplementalGroups
    single = number_field(4, 1) + number_field(4, 300)
    packed = piece(4, encoding.varint(1) + encoding.varint(300))
    for content in (single, packed):
        message = piece(2, piece(14, content))
        read = protobuf.decode(envelope(message))
        assert read["spec"]["securityContext"] == {"supplementalGroups": [1, 300]}


def test_depth_has_an_end() -> None:
    schema = b""
    for _ in range(2000):
        schema = piece(28, schema)
    message = piece(2, piece(7, piece(4, piece(1, schema))))
    data = envelope(message, "apiextensions.k8s.io/v1", "CustomResourceDefinition")
    assert "nested too deeply" in refusal(data)


def test_a_number_that_json_cannot_hold_is_refused() -> None:
    schema = encoding.encode("apiextensions.v1.JSONSchemaProps", {"maximum": float("inf")})
    message = piece(2, piece(7, piece(4, piece(1, schema))))
    data = envelope(message, "apiextensions.k8s.io/v1", "CustomResourceDefinition")
    assert "unsupported value" in refusal(data)


def test_the_number_of_fields_has_an_end() -> None:
    assert "more than 250000 fields" in refusal(envelope(piece(2, piece(1, b"") * 300_000)))


def test_raw_json_that_is_none_is_refused() -> None:
    for raw in (b"{", b"\xff", b"[" * 5000):
        data = envelope(piece(2, piece(1, raw)), "apps/v1", "ControllerRevision")
        assert "raw JSON cannot be read" in refusal(data)


@hypothesis.given(st.binary(max_size=300))
def test_any_bytes_are_an_object_or_a_refusal(message: bytes) -> None:
    for data in (message, MAGIC + message, envelope(message)):
        try:
            read = protobuf.decode(data, "v1", "Pod")
        except errors.BadRequest:
            continue
        assert msgspec.json.encode(read)


@hypothesis.given(
    st.lists(st.tuples(st.integers(0, len(POD) - 1), st.integers(0, 255)), max_size=4),
    st.integers(0, len(POD)),
)
def test_a_damaged_body_is_an_object_or_a_refusal(
    damage: list[tuple[int, int]], length: int
) -> None:
    data = bytearray(POD)
    for place, byte in damage:
        data[place] = byte
    for damaged in (bytes(data), bytes(data[:length])):
        try:
            read = protobuf.decode(damaged, "v1", "Pod")
        except errors.BadRequest:
            continue
        assert msgspec.json.encode(read)
