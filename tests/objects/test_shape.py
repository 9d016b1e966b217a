"""The shape in which an object is written back."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from kubestage.errors import InputError
from kubestage.objects import schema, shape
from tests.objects import arbitrary_objects

POD: dict[str, Any] = {"apiVersion": "v1", "kind": "Pod"}


def _pod(**spec: Any) -> dict[str, Any]:
    shaped = shape.normalize({**POD, "spec": spec})
    spec_out: dict[str, Any] = shaped["spec"]
    return spec_out


def _shaped(struct_name: str, **fields: Any) -> dict[str, Any]:
    return shape.normalize(fields, schema.struct(struct_name))


def test_mandatory_fields_appear_with_their_zero_value() -> None:
    assert shape.normalize(POD) == {
        **POD,
        "metadata": {},
        "spec": {"containers": None},
        "status": {},
    }


def test_null_is_absent() -> None:
    assert _pod(containers=[], nodeName=None, securityContext=None) == {"containers": []}


def test_empty_optional_values_vanish() -> None:
    given = {"nodeName": "", "hostPID": False, "volumes": [], "nodeSelector": {}}
    assert _pod(containers=[], **given) == {"containers": []}


def test_pointers_keep_empty_values() -> None:
    given = {"automountServiceAccountToken": False, "priority": 0, "securityContext": {}}
    assert _pod(containers=[], **given) == {"containers": [], **given}


def test_structs_are_written_even_when_optional_and_empty() -> None:
    selector = _shaped("core/v1.ResourceFieldSelector", resource="limits.cpu")
    assert selector == {"resource": "limits.cpu", "divisor": "0"}
    assert _shaped("core/v1.Container", name="c")["resources"] == {}


def test_a_time_that_is_not_set_is_null_unless_it_is_left_out_when_zero() -> None:
    condition = _shaped("core/v1.PodCondition", type="Ready", status="True")
    assert condition["lastTransitionTime"] is None
    assert _shaped("meta/v1.ObjectMeta", creationTimestamp=None) == {}
    assert _shaped("meta/v1.ObjectMeta", creationTimestamp="0001-01-01T00:00:00Z") == {}


def test_null_in_a_list_or_map_becomes_the_zero_value() -> None:
    assert _pod(containers=[None])["containers"] == [{"name": "", "resources": {}}]
    labels = _shaped("meta/v1.ObjectMeta", labels={"a": None}, finalizers=[None])
    assert labels == {"labels": {"a": ""}, "finalizers": [""]}


@pytest.mark.parametrize(
    ("given", "stored"),
    [("1000m", "1"), ("0.5", "500m"), (2, "2"), ("1024Mi", "1Gi"), ("100M", "100M")],
)
def test_quantities_have_one_spelling(given: Any, stored: str) -> None:
    assert _pod(overhead={"cpu": given})["overhead"] == {"cpu": stored}


def test_times_are_in_utc_and_at_the_precision_of_their_field() -> None:
    lease = _shaped(
        "coordination/v1.LeaseSpec",
        renewTime="2026-01-01T01:00:00.120000+01:00",
        acquireTime="2026-01-01T00:00:00.000000Z",
    )
    assert lease == {
        "renewTime": "2026-01-01T00:00:00.120000Z",
        "acquireTime": "2026-01-01T00:00:00.000000Z",
    }
    metadata = _shaped("meta/v1.ObjectMeta", deletionTimestamp="2025-12-31T23:30:00.9-00:30")
    assert metadata == {"deletionTimestamp": "2026-01-01T00:00:00Z"}


def test_base64_loses_its_line_breaks() -> None:
    assert _shaped("core/v1.Secret", data={"a": "YWJj\nZA==\r\n"})["data"] == {"a": "YWJjZA=="}


def test_schemas_may_be_shorthands() -> None:
    props = _shaped(
        "apiextensions/v1.JSONSchemaProps",
        items={"type": "object", "title": ""},
        additionalProperties=False,
        dependencies={"a": ["b"], "c": {"nullable": False}},
    )
    assert props == {
        "items": {"type": "object"},
        "additionalProperties": False,
        "dependencies": {"a": ["b"], "c": {}},
    }


def test_unknown_fields_are_kept() -> None:
    spec = _pod(containers=[{"name": "c", "colour": {"hue": [1, None]}}], shape=None)
    assert spec["shape"] is None
    assert spec["containers"][0]["colour"] == {"hue": [1, None]}


def test_kinds_that_are_not_in_the_table_are_copied() -> None:
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"size": None, "tags": []}}
    copied = shape.normalize(widget)
    assert copied == widget
    assert copied["spec"]["tags"] is not widget["spec"]["tags"]  # type: ignore[index] # JSON


@pytest.mark.parametrize(
    ("spec", "path", "problem"),
    [
        ({"containers": [{}, {"image": 5}]}, "spec.containers[1].image", "expected a string"),
        ({"containers": {}}, "spec.containers", "expected a list, got an object"),
        ({"nodeSelector": []}, "spec.nodeSelector", "expected an object, got a list"),
        ({"nodeSelector": {"a": 1}}, "spec.nodeSelector[a]", "got a whole number"),
        ({"affinity": "no"}, "spec.affinity", "expected an object, got a string"),
        ({"priority": 1.5}, "spec.priority", "expected a whole number, got a number"),
        ({"hostPID": "yes"}, "spec.hostPID", "expected true or false"),
        ({"overhead": {"cpu": "much"}}, "spec.overhead[cpu]", "quantities must match"),
        ({"overhead": {"cpu": True}}, "spec.overhead[cpu]", "quantities must match"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_by_path(
    spec: dict[str, Any], path: str, problem: str
) -> None:
    with pytest.raises(InputError, match=problem) as refused:
        shape.normalize({**POD, "spec": spec})
    assert refused.value.path == path


@pytest.mark.parametrize("given", ["yesterday", "2026-13-01T00:00:00Z", 5])
def test_what_is_no_time_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match=r"time|month") as refused:
        shape.normalize({**POD, "metadata": {"deletionTimestamp": given}})
    assert refused.value.path == "metadata.deletionTimestamp"


def test_whole_numbers_may_be_written_with_a_point() -> None:
    assert _pod(containers=[], priority=5.0) == {"containers": [], "priority": 5}


def _mutable_parts(value: Any) -> set[int]:
    inside = value.values() if isinstance(value, dict) else value
    parts = [_mutable_parts(item) for item in inside if isinstance(item, dict | list)]
    return {id(value)}.union(*parts)


@settings(max_examples=200, deadline=None)
@given(arbitrary_objects.objects())
def test_normalizing_is_idempotent_and_shares_nothing(obj: dict[str, Any]) -> None:
    before = copy.deepcopy(obj)
    shaped = shape.normalize(obj)
    assert obj == before
    assert shape.normalize(shaped) == shaped
    assert not _mutable_parts(shaped) & _mutable_parts(obj)
