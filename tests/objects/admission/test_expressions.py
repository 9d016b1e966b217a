"""Expressions of policies: literals, variables, types, and the API server's words."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.admission import object_literals, programs, type_check, variables
from kubestage.objects.admission.evaluation import Evaluation, match
from kubestage.objects.admission.programs import ExpressionError
from kubestage.objects.cel import authorizer_functions
from kubestage.objects.cel.budget import Budget
from kubestage.objects.kinds import KindTable

REQUEST = {
    "name": "web",
    "namespace": "shop",
    "operation": "CREATE",
    "dryRun": True,
    "kind": {"group": "apps", "version": "v1", "kind": "Deployment"},
    "userInfo": {"username": "ann", "groups": ["devs"]},
}


def evaluation(obj: Any, **more: Any) -> Evaluation:
    user = REQUEST["userInfo"]
    data = {
        "object": obj,
        "oldObject": None,
        "namespaceObject": {"metadata": {"name": "shop"}},
        **variables.bound(REQUEST),
        "authorizer": authorizer_functions.authorizer(user),  # type: ignore[arg-type]
    }
    return Evaluation(data, Budget(is_exact=False), **more)


def test_literals_become_plain_objects_in_a_fixed_order() -> None:
    text = """Object{ // a comment {
      spec: Object.spec{containers: object.names.map(n, Object.spec.containers{
        name: n, ?image: optional.none(), text: "Object{a: 1}"})},
      metadata: Object.metadata{annotations: {"b": "1", "a": "2"}}, `kind`: "X",
      empty: Object.empty{}
    }"""
    found = evaluation({"names": ["a"]}).value(text, programs.OBJECT)
    object_literals.check_types(found, "Object")
    plain = object_literals.plain(found)
    assert plain == {
        "empty": {},
        "kind": "X",
        "metadata": {"annotations": {"a": "2", "b": "1"}},
        "spec": {"containers": [{"name": "a", "text": "Object{a: 1}"}]},
    }
    assert list(plain["metadata"]["annotations"]) == ["a", "b"]


def test_a_literal_of_another_type_than_its_place_is_refused() -> None:
    found = evaluation({}).value("Object{spec: Object.other{a: 1}}", programs.OBJECT)
    with pytest.raises(object_literals.LiteralError, match=r'unexpected type name "Object\.other"'):
        object_literals.check_types(found, "Object")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("request.dryRun", True),
        ("has(request.namespace) && request.namespace == 'shop'", True),
        ("has(request.subResource) ? false : request.dryRun", True),
        ("'devs' in request.userInfo.groups && namespaceObject.metadata.name == 'shop'", True),
        ("object.spec.replicas > 1 && oldObject == null", True),
        ("authorizer.group('apps').resource('deployments').check('create').allowed()", True),
        ("cidr('10.0.0.0/8').containsIP(ip('10.1.1.1')) && !isIP('x')", True),
        ("url('https://a.b:80/c?d=e').getPort() == '80'", True),
        ("quantity('1Gi').isGreaterThan(quantity('1Mi'))", True),
        ("[1, 2].sum() == 3 && [1, 2].isSorted()", True),
    ],
)
def test_what_expressions_can_ask(text: str, value: bool) -> None:
    assert evaluation({"spec": {"replicas": 2}}).value(text, programs.BOOL) is value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1", "compilation error: must evaluate to bool but got int"),
        ("object.flag", "compilation error: must evaluate to bool but got dyn"),
        ("request.nope == 1", "undefined field 'nope'"),
        ("request.name > 1", "found no matching overload for '_>_' applied to '(string, int)'"),
        ("other.x == 1", "undeclared reference to 'other' (in container '')"),
        ("object.x == 1", "expression 'object.x == 1' resulted in error: no such key: x"),
        ("variables.bad == 1", 'composited variable "bad" fails to evaluate: no such key: y'),
    ],
)
def test_what_is_wrong_is_said_in_the_servers_words(text: str, problem: str) -> None:
    bad = [{"name": "bad", "expression": "object.y"}]
    with pytest.raises(ExpressionError) as refused:
        evaluation({}, variables=bad).value(text, programs.BOOL)
    assert problem in str(refused.value)


def test_variables_build_on_each_other_and_are_evaluated_when_they_are_used() -> None:
    listed = [
        {"name": "replicas", "expression": "object.spec.replicas"},
        {"name": "isOdd", "expression": "variables.replicas % 2 == 1"},
        {"name": "bad", "expression": "object.nope"},
    ]
    found = evaluation({"spec": {"replicas": 3}}, variables=listed)
    assert found.value("variables.isOdd", programs.BOOL) is True
    assert found.value("variables.replicas > 1 || variables.bad == 1", programs.BOOL) is True


def test_one_condition_that_does_not_hold_decides() -> None:
    def made(left: Budget) -> Evaluation:
        found = evaluation({})
        found.begin(left)
        return found

    conditions = [{"expression": "object.nope == 1"}, {"expression": "1 == 2"}]
    assert match(made, conditions, fails=True) == (False, "")
    failing = match(made, conditions[:1], fails=True)
    assert failing.error.endswith("no such key: nope")
    assert match(made, conditions[:1], fails=False) == (False, "")


def test_types_are_checked_against_the_kinds_that_a_policy_names() -> None:
    rule = {"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments", "x/status"]}
    validations = [
        {"expression": "object.spec.replicas > '1'", "messageExpression": "'is ' + variables.n"},
        {"expression": "has(object.spec.replicas) && 'x' in object.metadata.labels"},
        {"expression": "object.spec.nope == 1"},
    ]
    spec = {
        "matchConstraints": {"resourceRules": [rule]},
        "variables": [{"name": "n", "expression": "object.spec.replicas"}],
        "validations": validations,
    }
    found = type_check.check({"spec": spec}, KindTable())
    assert [each["fieldRef"] for each in found] == [
        "spec.validations[0].expression",
        "spec.validations[0].messageExpression",
        "spec.validations[2].expression",
    ]
    assert found[0]["warning"] == (
        "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_>_' "
        "applied to '(int, string)'\n | object.spec.replicas > '1'\n | .....................^\n"
    )
    assert "undefined field 'nope'" in found[2]["warning"]


PAIRS = "object.l.all(x, object.l.all(y, x == y))"


def test_an_expression_that_costs_too_much_has_no_value() -> None:
    many = evaluation({"l": [1] * 700})
    with pytest.raises(ExpressionError) as failed:
        many.value(PAIRS, programs.BOOL)
    assert str(failed.value) == (
        f"expression '{PAIRS}' resulted in error: operation cancelled: actual cost limit exceeded"
    )
    assert evaluation({"l": [1] * 70}).value(PAIRS, programs.BOOL) is True


def test_turns_of_loops_are_not_limited_themselves() -> None:
    many = evaluation({"l": [1] * 20_000})
    assert many.value("object.l.all(x, x == 1)", programs.BOOL) is True


def test_conditions_share_a_budget_in_which_each_pays_for_variables_once() -> None:
    """The costs are those of kube-apiserver v1.36.4: 70 times 70 pairs are 30,663 here."""
    left = Budget(100_000)
    listed = [{"name": "same", "expression": PAIRS}]
    found = evaluation({"l": [1] * 70}, variables=listed)
    found.begin(left)
    assert found.value("variables.same", programs.BOOL) is True
    first = 100_000 - left.left
    assert found.value("variables.same", programs.BOOL) is True
    assert 100_000 - left.left == first + 2
    found.begin(left)
    found.value("variables.same", programs.BOOL)
    assert 100_000 - left.left == 2 * first + 2

    def made(budget: Budget) -> Evaluation:
        many = evaluation({"l": [1] * 250})
        many.begin(budget)
        return many

    text = "validation failed due to running out of cost budget, no further validation rules will"
    conditions = [{"expression": f"{PAIRS} || {index} == 0"} for index in range(8)]
    assert match(made, conditions[:1], fails=True) == (True, "")
    assert match(made, conditions, fails=True) == (False, f"{text} be run")
    assert match(made, conditions, fails=False) == (False, "")
