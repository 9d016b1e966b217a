"""What rules may cost for one object: errors and costs as kube-apiserver v1.36.4 has them."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.cel import budget
from kubestage.objects.cel.budget import Budget
from kubestage.objects.custom import cel_rules, nodes

pytest.importorskip("cel_expr_python")
NUMBERS = {"type": "array", "items": {"type": "integer"}}
PAIRS = "self.l.all(x, self.l.all(y, x == y))"
NO_BUDGET = (
    "validation failed due to running out of cost budget, no further validation rules will be run"
)


def lists(*rules: dict[str, str]) -> dict[str, Any]:
    properties = {"l": NUMBERS}
    return {"type": "object", "properties": properties, "x-kubernetes-validations": list(rules)}


def checked(
    schema: dict[str, Any], value: Any, limit: int = budget.LIMIT
) -> tuple[list[str], Budget]:
    tree = cel_rules.RuleTree(nodes.Node(schema), is_root=False)
    used: list[Budget] = []

    def validate(left: Budget) -> list[str]:
        used[:] = [left]
        return [str(each) for each in tree.validate(value, None, "root", None, None, left)]

    return budget.within(limit, validate), used[0]


def test_a_rule_that_costs_too_much_ends_the_validation() -> None:
    schema = lists({"rule": PAIRS}, {"rule": "false"})
    errors, left = checked(schema, {"l": [20] * 725})
    assert errors == [
        (
            "root: Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': "
            "no further validation rules will be run due to call cost exceeds limit for rule: "
            f"{PAIRS}"
        )
    ]
    assert left.is_over
    errors, _ = checked(schema, {"l": [20] * 20})
    assert errors == ["root: Invalid value: failed rule: false"]


def test_a_server_does_not_count_turns_of_loops() -> None:
    schema = lists({"rule": "self.l.all(x, x == 1)"})
    errors, left = checked(schema, {"l": [1] * 20_000})
    assert errors == []
    assert budget.LIMIT - left.left == 100_003


def test_all_rules_for_an_object_share_a_budget() -> None:
    schema = {
        "type": "object",
        "properties": {"i": {"type": "array", "items": lists({"rule": PAIRS})}},
    }
    errors, left = checked(schema, {"i": [{"l": [1] * 250}] * 2})
    assert errors == []
    assert budget.LIMIT - left.left == 753_006
    errors, _ = checked(schema, {"i": [{"l": [1] * 250}] * 5}, 1_000_000)
    assert errors == [f'root.i[2]: Invalid value: "object": {NO_BUDGET}']


def test_many_small_rules_are_counted_where_they_could_cost_too_much() -> None:
    # What could be spent is more than the budget; what is spent is not.
    rule = {"rule": "self.l.all(x, self.l.all(y, y >= 0))"}
    schema = {"type": "object", "properties": {"i": {"type": "array", "items": lists(rule)}}}
    errors, left = checked(schema, {"i": [{"l": [1, 2]}] * 5_000})
    assert errors == []
    assert left.is_exact
    assert budget.LIMIT - left.left == 5_000 * 35


def test_a_message_that_costs_too_much_is_the_error() -> None:
    expression = f"{PAIRS} ? 'a' : 'b'"
    schema = lists(
        {"rule": "size(self.l) == 0", "messageExpression": expression}, {"rule": "false"}
    )
    errors, _ = checked(schema, {"l": [1] * 500})
    assert errors == [
        (
            'root: Invalid value: "object": no further validation rules will be run due to call '
            f'cost exceeds limit for messageExpression: "{expression}"'
        )
    ]
    errors, _ = checked(schema, {"l": [1] * 50})
    assert errors == ["root: Invalid value: a", "root: Invalid value: failed rule: false"]
    items = {"type": "array", "items": schema}
    schema["x-kubernetes-validations"].pop()
    whole = {"type": "object", "properties": {"i": items}}
    errors, _ = checked(whole, {"i": [{"l": [1] * 250}] * 5}, 1_000_000)
    assert len(errors) == 3
    assert errors[-1] == (
        'root.i[2]: Invalid value: "object": messageExpression evaluation failed due to running '
        "out of cost budget, no further validation rules will be run"
    )


@pytest.mark.parametrize(
    ("rule", "value", "error"),
    [
        ("self.l[9] == 1", {"l": [1]}, "index out of bounds: 9 evaluating rule: self.l[9] == 1"),
        ("self.l[0] / 0 == 1", {"l": [1]}, "division by zero evaluating rule: self.l[0] / 0 == 1"),
        (
            "self.l[0] + 9223372036854775807 > 0",
            {"l": [1]},
            "integer overflow evaluating rule: self.l[0] + 9223372036854775807 > 0",
        ),
    ],
)
def test_counting_does_not_change_what_is_said(rule: str, value: Any, error: str) -> None:
    tree = cel_rules.RuleTree(nodes.Node(lists({"rule": rule})), is_root=False)
    for left in (Budget(), Budget(is_exact=False)):
        (found,) = tree.validate(value, None, "root", None, None, left)
        assert str(found) == f'root: Invalid value: "object": {error}'
