"""What expressions cost on a server, estimated and counted: facts recorded from Kubernetes v1.36.4.

They are those of the tests of its CEL libraries and of its costs, and what the same code says of
expressions of ours.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from kubestage.objects.admission.variables import Declarations, environment
from kubestage.objects.cel import authorizer_functions, static_cost, syntax, types
from kubestage.objects.cel.checker import Checked
from kubestage.objects.cel.counting import Counted
from kubestage.objects.custom import cel_names, cel_programs, nodes
from kubestage.objects.custom.declared_types import SchemaTypes
from tests.golden import vectors

pytest.importorskip("cel_expr_python")
AUTHORIZER: Final = {"authorizer": types.Type("struct", authorizer_functions.AUTHORIZER)}
# Values of these formats are plain texts here, so that what is compared is of another size.
OTHER_VALUES: Final = ("timestamp(", "duration(", "withUnknown", "string(self.val13)")
# The server's test gives texts of no place in a schema twelve letters.
OF_TWELVE_LETTERS: Final = ("isSorted()", ".max()", ".min()", "join(")
MISSING: Final = ("format.named(",)


def read(text: str) -> syntax.Expr:
    """The tree of an expression in which nothing is known of `self`."""
    return syntax.read(cel_programs._environment("dyn", False).compile(text).serialize())


def test_estimates_of_rules() -> None:
    facts = vectors.load("cel-costs", "estimate")
    assert len(facts) > 400
    for fact in facts:
        known = SchemaTypes(nodes.Node(fact["schema"]), is_root=False, optional_old=False)
        checked = Checked(read(fact["rule"]), known.variables, known.field)
        found = static_cost.estimate(checked, known.size)
        assert found.most == fact["most"], fact


def counted(fact: dict[str, Any]) -> int:
    node, is_root = nodes.Node(fact["schema"]), fact["is_root"]
    known = SchemaTypes(node, is_root=is_root, optional_old=False)
    checked = Checked(read(fact["rule"]), known.variables, known.field)
    data = {"self": cel_names.value(fact["object"], node, is_root=is_root)}
    return Counted(checked).run(data, 1_000_000).cost


def test_costs_of_rules() -> None:
    facts = vectors.load("cel-costs", "count")
    assert len(facts) > 400
    others = 0
    for fact in facts:
        cost = counted(fact)
        if cost != fact["cost"] and any(each in fact["rule"] for each in OTHER_VALUES):
            others += 1
            continue
        assert cost == fact["cost"], fact
    assert others < 10


def test_costs_of_functions() -> None:
    facts = vectors.load("cel-costs", "expression")
    compiled = environment(Declarations())
    checks = 0
    for fact in facts:
        text = fact["text"]
        if any(each in text for each in MISSING) or (text[0] == "[" and "ndexOf" in text):
            continue
        checked = Checked(syntax.read(compiled.compile(text).serialize()), AUTHORIZER)
        found = static_cost.estimate(checked, lambda path: None)
        if text[0] != "[" or not any(each in text for each in OF_TWELVE_LETTERS):
            assert tuple(found) == (fact["least"], fact["most"]), text
        user = authorizer_functions.authorizer({"username": "ann"})
        if "cost" in fact:
            assert Counted(checked).run({"authorizer": user}, 10_000_000).cost == fact["cost"], text
            checks += 1
    assert checks > 150


def test_an_evaluation_is_stopped_where_it_costs_too_much() -> None:
    checked = Checked(read("self.all(x, self.all(y, x == y))"), {"self": types.list_of(types.INT)})
    result = Counted(checked).run({"self": [1] * 50}, 1000)
    assert result.is_too_much
    assert result.cost == 1001


def test_types_are_found_without_the_library_s_help() -> None:
    checked = Checked(read("self.map(x, x + 1)"), {"self": types.list_of(types.INT)})
    assert checked.type_of(checked.root) == types.list_of(types.INT)
