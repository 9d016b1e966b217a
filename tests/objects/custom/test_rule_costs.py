"""What the rules of a definition may cost, as kube-apiserver v1.36.4 has it."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.custom import rule_costs, version_check

pytest.importorskip("cel_expr_python")
TEXT = {"type": "string"}
ADVICE = rule_costs._ADVICE
TOTAL = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
AT = "spec.validation.openAPIV3Schema"


def ruled(schema: dict[str, Any], *rules: str, **more: str) -> dict[str, Any]:
    return {**schema, "x-kubernetes-validations": [{"rule": each, **more} for each in rules]}


def array(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def defined(schema: dict[str, Any], *, is_unchanged: bool = False) -> list[str]:
    root = {"type": "object", "properties": {"spec": schema}}
    errors = version_check.validate_schema(
        {"openAPIV3Schema": root}, "spec.validation", has_status=False, is_unchanged=is_unchanged
    )
    return [str(each) for each in errors]


def test_a_rule_for_data_without_bounds_is_refused() -> None:
    schema = array(array(TEXT))
    schema["items"] = ruled(schema["items"], "self.all(s, s == 'string constant')")
    where = f"{AT}.properties[spec].items.x-kubernetes-validations[0].rule"
    much = f"exceeds budget by factor of more than 100x ({ADVICE})"
    contributed = "estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
    assert defined(schema) == [
        f"{where}: Forbidden: estimated rule cost {much}",
        f"{where}: Forbidden: contributed to {contributed}",
        f"{AT}: Forbidden: {TOTAL} {much}",
    ]
    small = array(ruled(array({**TEXT, "maxLength": 9}, maxItems=9), "self.all(s, s == 'a')"))
    assert defined({**small, "maxItems": 9}) == []


@pytest.mark.parametrize(
    ("times", "factor"),
    [(1250, None), (1500, "1.199700x"), (15_000, "12.0x")],
)
def test_the_factor_is_exact_where_it_is_small(times: int, factor: str | None) -> None:
    # A turn costs 4 and the loop 2; there are 1999 turns.
    items = ruled(array({"type": "integer"}, maxItems=1999), "self.all(x, x == 1)")
    problems = [
        each for each in defined(array(items, maxItems=times)) if "rule cost exceeds" in each
    ]
    assert [each.split("factor of ")[1].split(" ")[0] for each in problems] == (
        [] if factor is None else [factor]
    )


def test_values_in_maps_and_lists_without_bounds_are_counted_by_their_size() -> None:
    inner = ruled({"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, "self.a == ''")
    assert defined({"type": "object", "additionalProperties": inner}) == []
    (problem, *_) = defined({"type": "object", "additionalProperties": ruled(TEXT, "self != self")})
    assert "estimated rule cost exceeds budget by factor of more than 100x" in problem


def test_a_message_expression_has_a_limit_of_its_own() -> None:
    schema = ruled(array(array(TEXT)), "size(self) < 3")
    schema["x-kubernetes-validations"][0]["messageExpression"] = (
        "self.all(a, a.all(s, s == 'x')) ? 'yes' : 'no'"
    )
    (problem, *_) = defined(schema)
    assert problem.startswith(
        f"{AT}.properties[spec].x-kubernetes-validations[0].messageExpression: Forbidden: "
        "estimated messageExpression cost exceeds budget by factor of more than 100x"
    )


def test_many_rules_cost_too_much_together() -> None:
    # Each costs less than one may; the most expensive are named, and only four of them.
    schema = ruled(array({"type": "integer"}), *["self.all(x, x == 1)"] * 18)
    problems = defined(schema)
    assert len(problems) == 5
    assert [each.split(": ", 1)[1] for each in problems[:4]] == [
        (
            "Forbidden: contributed to estimated rule cost total exceeding cost limit for entire "
            "OpenAPIv3 schema"
        )
    ] * 4
    assert problems[4].startswith(f"{AT}: Forbidden: {TOTAL} exceeds budget by factor of 1.1")
    assert defined(ruled(array({"type": "integer"}), *["self.all(x, x == 1)"] * 9)) == []


def test_rules_of_a_schema_that_stays_may_cost_what_they_did() -> None:
    items = ruled(array({"type": "integer"}, maxItems=1999), "self.all(x, x == 1)")
    schema = array(items, maxItems=1500)
    assert len(defined(schema)) == 1
    assert defined(schema, is_unchanged=True) == []
