from __future__ import annotations

import sys
from typing import Any

import msgspec
import pytest

from kubestage.objects.cel import environments
from kubestage.objects.custom import cel_names, cel_programs, definition_check, nodes
from tests.objects.custom.samples import COUNT, TEXT, array, created, mapping, struct, updated
from tests.store.samples import widgets_definition

UNCHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing "
    "errors to complete validation"
)
KEYED = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}


def ruled(schema: dict[str, Any], *rules: Any) -> dict[str, Any]:
    made = [each if isinstance(each, dict) else {"rule": each} for each in rules]
    return {**schema, "x-kubernetes-validations": made}


RANGE = struct(min=COUNT, max=COUNT)


def test_a_broken_rule_is_told_in_its_own_words() -> None:
    schema = ruled(RANGE, {"rule": "self.min <= self.max", "message": " too much "})
    assert created(schema, {"min": 1, "max": 2}) == []
    assert created(schema, {"min": 3, "max": 2}) == ["spec: Invalid value: too much"]


def test_a_rule_without_a_message_is_quoted() -> None:
    schema = struct(n=ruled(COUNT, "self > 0"))
    assert created(schema, {"n": 0}) == ["spec.n: Invalid value: 0: failed rule: self > 0"]


def test_a_message_may_be_made_of_the_value() -> None:
    rule = {"rule": "self > 0", "messageExpression": "'got ' + string(self)", "message": "plain"}
    assert created(struct(n=ruled(COUNT, rule)), {"n": 0}) == ["spec.n: Invalid value: 0: got 0"]
    empty = {**rule, "messageExpression": "' '"}
    assert created(struct(n=ruled(COUNT, empty)), {"n": 0}) == ["spec.n: Invalid value: 0: plain"]


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("FieldValueInvalid", "spec.n: Invalid value: 0: no"),
        ("FieldValueForbidden", "spec.n: Forbidden: no"),
        ("FieldValueRequired", "spec.n: Required value: no"),
        ("FieldValueDuplicate", "spec.n: Duplicate value: 0"),
    ],
)
def test_a_rule_names_its_reason(reason: str, text: str) -> None:
    rule = {"rule": "self > 0", "message": "no", "reason": reason}
    assert created(struct(n=ruled(COUNT, rule)), {"n": 0}) == [text]


def test_a_rule_may_point_at_a_field() -> None:
    schema = ruled(RANGE, {"rule": "self.min > 0", "message": "no", "fieldPath": ".min"})
    assert created(schema, {"min": 0}) == ["spec.min: Invalid value: no"]


def test_a_rule_that_fails_on_a_value_breaks_it() -> None:
    assert created(ruled(RANGE, "self.min > 0"), {}) == [
        'spec: Invalid value: "object": no such key: min evaluating rule: self.min > 0'
    ]
    division = struct(n=ruled(COUNT, "1 / self > 0"))
    assert created(division, {"n": 0}) == [
        'spec.n: Invalid value: "integer": division by zero evaluating rule: 1 / self > 0'
    ]


def test_rules_about_a_change_wait_for_one() -> None:
    schema = struct(a=ruled(TEXT, {"rule": "self == oldSelf", "message": "fixed"}), b=TEXT)
    assert created(schema, {"a": "x"}) == []
    assert updated(schema, {"a": "x"}, {}) == []
    assert updated(schema, {"a": "y"}, {"a": "x"}) == ['spec.a: Invalid value: "y": fixed']


def test_a_change_that_is_demanded_must_come() -> None:
    schema = struct(n=ruled(COUNT, {"rule": "self > oldSelf", "message": "more"}))
    assert updated(schema, {"n": 1}, {"n": 1}) == ["spec.n: Invalid value: 1: more"]


def test_an_old_value_may_be_optional() -> None:
    rule = {"rule": "oldSelf.hasValue() || self == 'new'", "optionalOldSelf": True}
    schema = struct(a=ruled(TEXT, rule))
    assert created(schema, {"a": "new"}) == []
    assert len(created(schema, {"a": "old"})) == 1
    assert updated(schema, {"a": "old"}, {"a": "x"}) == []


def test_old_elements_are_found_by_their_keys() -> None:
    rule = {"rule": "self.n >= oldSelf.n", "message": "no less"}
    schema = struct(l=array(ruled(struct(["name"], name=TEXT, n=COUNT), rule), **KEYED))
    old = {"l": [{"name": "a", "n": 5}, {"name": "b", "n": 1}]}
    new = {"l": [{"name": "b", "n": 2}, {"name": "a", "n": 4}, {"name": "c", "n": 0}]}
    assert updated(schema, new, old) == ["spec.l[1]: Invalid value: no less"]


def test_an_unchanged_value_may_break_a_rule_that_came_later() -> None:
    schema = struct(n=ruled(COUNT, "self > 0"), other=TEXT)
    assert updated(schema, {"n": 0, "other": "b"}, {"n": 0, "other": "a"}) == []
    assert len(updated(schema, {"n": 0}, {"n": -1})) == 1


def test_rules_are_not_asked_about_objects_of_a_wrong_shape() -> None:
    schema = ruled(struct(["min"], **RANGE["properties"]), "self.min > 0")
    assert created(schema, {}) == [
        "spec.min: Required value",
        f"<nil>: Invalid value: null: {UNCHECKED}",
    ]


def test_rules_see_maps_lists_and_awkward_names() -> None:
    values = mapping(ruled(COUNT, "self < 3"))
    fields = {"my-name": TEXT, "m": values, "l": array(COUNT), "namespace": TEXT}
    schema = ruled(
        {"type": "object", "properties": fields},
        "self.my__dash__name.startsWith('x')",
        "self.m.all(k, k != 'bad')",
        "self.l.sum() == 3 && self.l.isSorted() && self.l.max() == 2",
        "self.__namespace__ == 'n'",
    )
    good = {"my-name": "xy", "m": {"k": 1}, "l": [1, 2], "namespace": "n"}
    assert created(schema, good) == []
    assert created(schema, {**good, "m": {"k": 5}}) == [
        "spec.m[k]: Invalid value: 5: failed rule: self < 3"
    ]
    assert created(schema, {**good, "my-name": "y"}) == [
        "spec: Invalid value: failed rule: self.my__dash__name.startsWith('x')"
    ]


def test_kubernetes_functions_are_there() -> None:
    schema = struct(
        q=ruled(TEXT, "quantity(self).isLessThan(quantity('2Gi'))"),
        t=ruled(TEXT, "self.find('[0-9]+') == '12'"),
        s=ruled(array(COUNT), "sets.contains(self, [1])"),
    )
    assert created(schema, {"q": "1Gi", "t": "a12", "s": [1, 2]}) == []
    assert len(created(schema, {"q": "3Gi", "t": "a", "s": [2]})) == 3


@pytest.mark.parametrize(
    ("name", "escaped"),
    [
        ("plain", "plain"), ("a-b", "a__dash__b"), ("a.b/c", "a__dot__b__slash__c"),
        ("a__b", "a__underscores__b"), ("in", "__in__"), ("1a", None), ("a b", None), ("", None),
    ],
)  # fmt: skip
def test_names_are_escaped(name: str, escaped: str | None) -> None:
    assert cel_names.escape(name) == escaped


def defined(schema: dict[str, Any]) -> list[str]:
    """What is wrong with a definition whose spec has this schema."""
    version = {"openAPIV3Schema": struct(spec=schema)}
    definition = widgets_definition(schema=version)
    definition["spec"]["names"]["listKind"] = "WidgetList"
    definition["spec"]["conversion"] = {"strategy": "None"}
    definition["status"] = {"storedVersions": ["v1"]}
    return [each.body for each in definition_check.validate_create(definition)]


@pytest.mark.parametrize(
    ("rule", "column", "problem"),
    [
        ("self.foo == 1", 5, "undefined field 'foo'"),
        ("self.l.all(x, x.foo)", 16, "undefined field 'foo'"),
        ("has(self.m.k.no)", 4, "undefined field 'no'"),
        ("self.n.foo == 1", 7, "type 'int' does not support field selection"),
        ("other == 1", 1, "undeclared reference to 'other' (in container '')"),
    ],
)
def test_a_rule_may_only_ask_for_what_is_there(rule: str, column: int, problem: str) -> None:
    item = struct(bar=TEXT)
    (text,) = defined(ruled(struct(l=array(item), m=mapping(item), n=COUNT), rule))
    shown = {"Rule": rule, "Message": "", "MessageExpression": "", "Reason": None}
    value = msgspec.json.encode({**shown, "FieldPath": "", "OptionalOldSelf": None}).decode()
    assert text == (
        f"Invalid value: {value}: compilation failed: ERROR: <input>:1:{column}: {problem}\n"
        f" | {rule}\n | {'.' * (column - 1)}^"
    )


def test_a_rule_answers_yes_or_no() -> None:
    (text,) = defined(ruled(COUNT, "self + 1"))
    assert text.endswith("cel expression must evaluate to a bool")
    (text,) = defined(ruled(COUNT, {"rule": "self > 1", "messageExpression": "self"}))
    assert text.endswith("messageExpression must evaluate to a string")


def test_old_values_need_elements_that_can_be_told_apart() -> None:
    short = {**TEXT, "maxLength": 9}
    (text,) = defined(struct(l=array(ruled(short, "self == oldSelf"), maxItems=9)))
    assert text == (
        'Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of '
        "the schema within spec.validation.openAPIV3Schema.properties[spec].properties[l]"
    )
    (text,) = defined(ruled(TEXT, {"rule": "self == ''", "optionalOldSelf": True}))
    assert text == "Invalid value: true: may not be set if oldSelf is not used in rule"


def test_elements_with_keys_can_be_told_apart() -> None:
    item = ruled(struct(["name"], name=TEXT), "self == oldSelf")
    assert defined(struct(l=array(item, **KEYED))) == []


def test_names_in_texts_are_not_references() -> None:
    program = cel_programs.Program(
        "self == 'oldSelf.x'", nodes.Node(TEXT), is_root=False, optional_old=False
    )
    assert not program.uses_old_self


def test_without_the_library_a_rule_is_refused_and_the_extra_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    environments.library.cache_clear()
    cel_programs._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "cel_expr_python.cel", None)
    try:
        (text,) = defined(ruled(COUNT, "self > 1"))
    finally:
        environments.library.cache_clear()
    assert "cel-expr-python" in text
    assert "pip install 'kubestage[cel]'" in text


def test_defaults_keep_the_rules_too() -> None:
    (text,) = defined(struct(n={**ruled(COUNT, "self > 1"), "default": 1}))
    assert text == "Invalid value: 1: failed rule: self > 1"
