from __future__ import annotations

from typing import Any

import hypothesis
import msgspec
import pytest

from kubestage import errors
from kubestage.objects import decode, go_decoder, go_scanner, schema, type_check
from tests.objects import arbitrary_objects

POD = b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{%s}}'


def read(spec: str, field_validation: decode.FieldValidation = "Strict") -> decode.Decoded:
    return decode.decode(POD % spec.encode(), "v1", "Pod", field_validation)


def refusal(body: bytes, api_version: str = "v1", kind: str = "Pod") -> str:
    with pytest.raises(errors.BadRequest) as caught:
        decode.decode(body, api_version, kind)
    return caught.value.message


def misfit(spec: str) -> str:
    prefix = 'Pod in version "v1" cannot be handled as a Pod: '
    message = refusal(POD % spec.encode())
    assert message.startswith(prefix)
    return message.removeprefix(prefix)


def test_a_good_body_is_read_as_it_stands() -> None:
    assert read('"nodeName":"n"').object["spec"] == {"nodeName": "n"}


def test_a_dict_is_taken_as_parsed_json_and_left_alone() -> None:
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"x": 1}}
    decoded = decode.decode(obj, "v1", "Pod", "Warn")
    assert decoded.object["spec"] == {}
    assert decoded.warnings == ('unknown field "spec.x"',)
    assert obj["spec"] == {"x": 1}


def test_what_is_not_said_follows_from_the_request() -> None:
    decoded = decode.decode(b'{"metadata":{"name":"p"}}', "v1", "Pod")
    assert decoded.object == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ('"x":1', 'strict decoding error: unknown field "spec.x"'),
        ('"NodeName":"n"', 'strict decoding error: unknown field "spec.NodeName"'),
        ('"nodeName":"n","nodeName":"m"', 'strict decoding error: duplicate field "spec.nodeName"'),
        (
            '"nodeSelector":{"a":"b","a":"c"}',
            'strict decoding error: duplicate field "spec.nodeSelector.a"',
        ),
        (
            '"restartPolicy":5',
            (
                "json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of "
                "type v1.RestartPolicy"
            ),
        ),
        (
            '"volumes":[{"emptyDir":[]}]',
            (
                "json: cannot unmarshal array into Go struct field "
                "Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource"
            ),
        ),
        (
            '"overhead":"x"',
            (
                "json: cannot unmarshal string into Go struct field PodSpec.spec.overhead of type "
                "v1.ResourceList"
            ),
        ),
        (
            '"activeDeadlineSeconds":9223372036854775808',
            (
                "json: cannot unmarshal number 9223372036854775808 into Go struct field "
                "PodSpec.spec.activeDeadlineSeconds of type int64"
            ),
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_gos_words(spec: str, problem: str) -> None:
    assert misfit(spec) == problem


def test_a_wrong_type_is_told_before_an_unknown_field() -> None:
    assert misfit('"x":1,"nodeName":5').startswith("json: cannot unmarshal number")


def test_warnings_are_told_once_and_in_order() -> None:
    decoded = read('"b":1,"a":1,"containers":[{"x":1},{"x":1}],"b":2', "Warn")
    assert decoded.warnings == (
        'unknown field "spec.b"',
        'unknown field "spec.a"',
        'unknown field "spec.containers[0].x"',
        'unknown field "spec.containers[1].x"',
    )
    assert decoded.object["spec"] == {"containers": [{}, {}]}


def test_a_repeated_object_is_merged_and_a_repeated_value_replaced() -> None:
    spec = '"securityContext":{"runAsUser":1},"securityContext":{"runAsGroup":2},"nodeName":"a"'
    decoded = read(f'{spec},"nodeName":"b"', "Ignore")
    assert decoded.object["spec"] == {
        "securityContext": {"runAsUser": 1, "runAsGroup": 2},
        "nodeName": "b",
    }
    assert decoded.warnings == ()


def test_a_repeated_field_spelt_with_escapes_is_found() -> None:
    assert "duplicate field" in misfit('"nodeName":"n","node\\u004eame":"m"')


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "unexpected end of JSON input (<empty>)"),
        (b"{", "unexpected end of JSON input ({)"),
        (b"nul", "unexpected end of JSON input (6e756c)"),
        (b'{"a":1 "b"}', "invalid character '\"' after object key:value pair"),
        (b'{"a" 1}', "invalid character '1' after object key ("),
        (b"[1 2]", "invalid character '2' after array element"),
        (b'{"a":01}', "invalid character '1' after object key:value pair"),
        (b'{"a":1.}', "invalid character '}' after decimal point in numeric literal"),
        (b'{"a":1ex}', "invalid character 'x' in exponent of numeric literal"),
        (b'{"a":"\t"}', "invalid character '\\t' in string literal"),
        (b'{"a":"\\x"}', "invalid character 'x' in string escape code"),
        (b'{"a":"\\u00g0"}', "invalid character 'g' in \\u hexadecimal character escape"),
        (b"{} x", "invalid character 'x' after top-level value"),
        (b"\xff", "invalid character 'ÿ' looking for beginning of value"),
        (b"true", "cannot unmarshal bool into Go value of type struct"),
    ],
)
def test_what_is_not_json_is_refused_in_gos_words(body: bytes, problem: str) -> None:
    assert problem in refusal(body)


def test_bodies_of_another_kind_or_version_are_told_apart() -> None:
    assert refusal(b'{"apiVersion":"v1","kind":"PodList"}').endswith(
        "converting (v1.PodList) to (core.Pod): unknown conversion"
    )
    assert refusal(b'{"apiVersion":"v1","kind":"Foo"}').startswith(
        'Foo in version "v1" cannot be handled as a Pod: no kind "Foo" is registered'
    )
    assert refusal(b'{"apiVersion":"extensions/v1beta1"}', "networking.k8s.io/v1", "Ingress") == (
        "the API version in the data (extensions/v1beta1) does not match the expected API "
        "version (networking.k8s.io/v1)"
    )


def test_a_custom_resource_is_read_as_it_stands_but_without_repeated_fields() -> None:
    kind = ("example.com/v1", "Thing")
    body = b'{"apiVersion":"example.com/v1","kind":"Thing","spec":{"a":[{"b":1}]}}'
    assert decode.decode(body, *kind).object["spec"] == {"a": [{"b": 1}]}
    twice = body.replace(b'"b":1', b'"b":1,"b":2')
    assert refusal(twice, *kind).endswith('duplicate field "spec.a[0].b"')


@hypothesis.given(arbitrary_objects.objects())
def test_the_quick_look_and_the_careful_one_agree(obj: dict[str, Any]) -> None:
    struct = schema.kind_struct(obj["apiVersion"], obj["kind"])
    assert struct is not None
    decoder = go_decoder.Decoder()
    decoder.struct(struct.name, go_scanner.scan(msgspec.json.encode(obj)), "")
    assert decoder.strict == []
    if type_check.fits(struct, obj):
        assert decoder.problem is None


@hypothesis.given(arbitrary_objects.objects())
def test_decoding_keeps_what_was_written(obj: dict[str, Any]) -> None:
    decoded = decode.decode(msgspec.json.encode(obj), obj["apiVersion"], obj["kind"])
    assert decoded.warnings == ()
    again = decode.decode(msgspec.json.encode(decoded.object), obj["apiVersion"], obj["kind"])
    assert again.object == decoded.object
