"""All rules by name, and those that a configuration sets."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.runs.check import configuration
from kubestage.runs.check.rules.budgets import BudgetsRule
from kubestage.runs.check.rules.cost import CostRule
from kubestage.runs.check.rules.decisions import DecisionsRule
from kubestage.runs.check.rules.functions import FunctionRule, FunctionSettings
from kubestage.runs.check.rules.nodes import NodesRule
from kubestage.runs.check.rules.pending import PendingRule
from kubestage.runs.check.rules.requests import RequestsRule
from kubestage.runs.check.rules.spread import SpreadRule
from kubestage.runs.check.rules.survival import SurvivalRule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.runs.check.rules.rule import Rule

RULES: Final[dict[str, type[Rule[Any]]]] = {
    each.name: each
    for each in (
        PendingRule, SurvivalRule, BudgetsRule, SpreadRule, RequestsRule, CostRule, NodesRule,
        DecisionsRule,
    )
}  # fmt: skip
"""In the order in which they are reported."""
FUNCTION: Final = "function"
_OFF: Final = "off"


def read(found: Mapping[str, Any], folder: str = "") -> list[Rule[Any]]:
    """The rules that the table ``[rules]`` sets, with those that apply anyway.

    `folder` is what the files of functions are relative to.
    """
    rules: list[Rule[Any]] = []
    for name in found:
        if name not in (*RULES, FUNCTION):
            raise configuration.unknown_key(name, [*RULES, FUNCTION], "rules")
    for name, kind in RULES.items():
        value = found.get(name, kind.is_default)
        if value is False or value == _OFF:
            continue
        settings = _settings(name, kind, value)
        rules.append(kind(settings))
    functions = found.get(FUNCTION, [])
    for at, value in enumerate(functions if isinstance(functions, list) else [functions]):
        path = f"rules.{FUNCTION}[{at}]"
        table = {"function": value} if isinstance(value, str) else value
        settings = configuration.convert(table, FunctionSettings, path)
        rules.append(FunctionRule(settings, folder))
    return rules


def _settings(name: str, kind: type[Rule[Any]], value: Any) -> Any:
    path = f"rules.{name}"
    if not isinstance(value, dict | bool):
        fix = f"write {name} = true, {name} = false, or a table: [rules.{name}]"
        raise InputError(f"{value!r} is neither true, false nor a table", path=path, fix=fix)
    settings = configuration.convert(value if isinstance(value, dict) else {}, kind.Settings, path)
    problem = settings.problem()
    if problem is not None:
        key, text = problem
        raise InputError(text, path=f"{path}.{key}", fix="see docs/check.md")
    return settings


def changed(found: Mapping[str, Any], words: Sequence[str]) -> dict[str, Any]:
    """A table of rules as options change it: ``cost.increase=5%``, ``spread=off``, ``f.py:no``."""
    rules: dict[str, Any] = dict(found)
    for word in words:
        name, equals, text = word.partition("=")
        if not equals and ".py:" in word:
            functions = rules.get(FUNCTION, [])
            listed = functions if isinstance(functions, list) else [functions]
            rules[FUNCTION] = [*listed, word]
            continue
        rule, dot, key = name.partition(".")
        if rule not in RULES:
            raise _in_option(configuration.unknown_key(rule, list(RULES), ""), word)
        if dot:
            before = rules.get(rule)
            table = before if isinstance(before, dict) else {}
            rules[rule] = {**table, key: _value(text)}
        elif not equals or text in ("on", "true", _OFF, "false"):
            before = rules.get(rule)
            is_on = text not in (_OFF, "false")
            rules[rule] = before if is_on and isinstance(before, dict) else is_on
        else:
            fix = f"write {rule}=on, {rule}=off, or one of its keys: {rule}.severity=warning"
            raise InputError(f'"{word}" cannot be read', path="--rule", fix=fix)
    return rules


def _in_option(error: InputError, word: str) -> InputError:
    return InputError(
        f'"{word}": {error.problem.replace("key", "rule")}', path="--rule", fix=error.fix
    )


def _value(text: str) -> Any:
    """A value as TOML would have it; a text needs no quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
