"""Field selectors: recorded cases, and what holds for every selector."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import fields
from kubestage.objects.fields import FieldSelectorError
from tests.golden import vectors

NAMES = st.sampled_from(("metadata.name", "spec.nodeName", "status.phase"))
VALUES = st.text(alphabet="ab,=\\! é", max_size=5)


def _answer(op: str, given_in: dict[str, Any]) -> Any:
    if op == "fieldLabel":
        kind = (given_in["apiVersion"], given_in["kind"])
        label, value = fields.convert_field_label(*kind, given_in["label"], given_in["value"])
        return {"label": label, "value": value}
    selector = fields.parse(given_in["selector"])
    return {
        "empty": selector.empty,
        "matches": [selector.matches(item) for item in given_in["fieldSets"]],
        "requirements": [
            {"field": item.field, "operator": item.operator, "value": item.value}
            for item in selector.requirements
        ],
        "string": str(selector),
    }


@pytest.mark.parametrize("op", ["fields.Parse", "fieldLabel"])
def test_recorded_field_selectors_agree_with_the_api(op: str) -> None:
    wrong = []
    entries = vectors.load("selectors", op)
    for entry in entries:
        try:
            answer = {"out": _answer(op, entry["in"])}
        except FieldSelectorError as error:
            answer = {"error": str(error)}
        if answer != {key: entry[key] for key in ("out", "error") if key in entry}:
            wrong.append(entry["id"])
    assert entries
    assert not wrong


@given(VALUES)
def test_escaping_is_undone(value: str) -> None:
    assert fields.unescape(fields.escape(value)) == value


@given(st.lists(st.tuples(NAMES, st.sampled_from(("=", "==", "!=")), VALUES), max_size=4))
def test_text_survives_a_round_trip(terms: list[tuple[str, str, str]]) -> None:
    text = ",".join(f"{name}{sign}{fields.escape(value)}" for name, sign, value in terms)
    selector = fields.parse(text)
    assert len(selector.requirements) == len(terms)
    assert set(fields.parse(str(selector)).requirements) == set(selector.requirements)


def test_a_selector_for_a_kind_uses_the_stored_field_names() -> None:
    selector = fields.parse_for("v1", "Pod", "spec.host=n1,status.phase!=Failed")
    assert str(selector) == "spec.nodeName=n1,status.phase!=Failed"
    assert selector.requires_exact_match("spec.nodeName") == "n1"
    assert selector.requires_exact_match("status.phase") is None


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (("v1", "Pod"), "field label not supported: spec.x"),
        (("batch/v1", "Job"), 'field label "spec.x" not supported for Job'),
        (
            ("resource.k8s.io/v1", "ResourceSlice"),
            "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.x",
        ),
        (
            ("apps/v1", "Deployment"),
            '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
    ],
)
def test_an_unsupported_field_is_refused_in_the_words_of_its_kind(
    kind: tuple[str, str], message: str
) -> None:
    with pytest.raises(FieldSelectorError) as caught:
        fields.parse_for(*kind, "spec.x=1")
    assert str(caught.value) == message


def test_supported_fields_are_listed() -> None:
    assert "spec.nodeName" in fields.selectable_fields("v1", "Pod")
    assert set(fields.selectable_fields("apps/v1", "Deployment")) == {
        "metadata.name",
        "metadata.namespace",
    }


def test_a_converter_may_drop_a_requirement() -> None:
    assert fields.parse("a=b").transform(lambda _field, _value: ("", "")).empty
