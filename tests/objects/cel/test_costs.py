"""Which expressions in CEL are refused before they are evaluated."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.kwok import cel_programs
from kubestage.errors import LimitExceeded
from kubestage.objects.cel import costs


def _doubled(times: int) -> str:
    expression = "'x'"
    for number in range(times):
        expression = f"cel.bind(v{number}, {expression}, v{number} + v{number})"
    return expression


_OBJECT = {
    "list": [{"name": f"n{number}", "ports": [1, 2, 3]} for number in range(90)],
    "text": "a" * 5000,
    "names": ["a,b", "c"],
}


@pytest.mark.parametrize(
    "expression",
    [
        "self.list.all(x, x.name.startsWith('n'))",
        "self.list.all(x, self.list.exists(y, y.name == x.name))",
        "self.list.map(x, x.name).join(', ').size() < 100000",
        "self.list.all(x, x.ports.all(p, p > 0))",
        "self.names.map(x, x.replace(',', ';')) != []",
        "'%s has %d'.format([self.text, self.list.size()]) != ''",
        "lists.range(10).map(x, x * 2).size() == 10",
        "self.text.contains('b') || self.text.matches('a+')",
        "self.names.all(x, x in ['a,b', 'c'])",
    ],
)
def test_usual_expressions_are_evaluated(expression: str) -> None:
    assert isinstance(cel_programs.ask(expression, _OBJECT, False), bool)


def _kwok_bombs() -> list[str]:
    return [
        "lists.range(1000000000).size()",
        "lists.range(self.list.size() * 1000000).size()",
        "'a'" + ".replace('a', 'aaaaaaaaaa')" * 12,
        "self.names.join(self.text)" + ".replace('a', self.text)" * 2,
        "self.text" + ".replace('', self.text)" * 2,
        "self.list.map(x, self.list.map(y, self.text + self.text)).size()",
    ]


@pytest.mark.parametrize("expression", _kwok_bombs())
def test_what_could_become_too_large_is_refused(expression: str) -> None:
    large = {**_OBJECT, "text": "a" * 20_000}
    with pytest.raises(LimitExceeded, match="estimated cost"):
        cel_programs.ask(expression, large, False)


def test_a_value_that_doubles_is_refused_by_its_size() -> None:
    from kubestage.objects.cel import environments

    environment = environments.environment({}, [])
    assert costs.is_affordable(environment.compile(_doubled(10)).serialize(), 8)
    assert not costs.is_affordable(environment.compile(_doubled(28)).serialize(), 8)


def test_the_work_of_a_loop_grows_with_the_data() -> None:
    expression = "self.list.all(x, self.text.matches('(a|b)*c') || self.text.contains('b'))"
    assert cel_programs.ask(expression, _OBJECT, False) is False
    large = {"list": list(range(9000)), "text": "a" * 1_000_000}
    with pytest.raises(LimitExceeded):
        cel_programs.ask(expression, large, False)


def test_a_long_expression_is_not_compiled() -> None:
    with pytest.raises(LimitExceeded, match="32,768 characters"):
        cel_programs.check("[" + "1," * 20_000 + "1]", "cel.expression")


@pytest.mark.parametrize(
    ("value", "size"), [(1, 8), ("abc", 11), ([1, "a"], 25), ({"ab": [None]}, 26)]
)
def test_sizes_of_data(value: Any, size: int) -> None:
    assert costs.size_of(value) == size
