"""Rules of well-known definitions as code, by their text: for them no library is needed.

These are Karpenter's: its kinds are built in, and its definitions may be installed as well. Each
function says what the expression would; a test compares them with what the CEL library answers.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.custom import (
    coded_conditions,
    ec2_conditions,
    kubelet_conditions,
    rule_tree,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.custom.nodes import Node

    Condition = Callable[[Any, Any], bool]

_FIND_DOMAIN: Final = r'\.find\("\^\(\[\^/\]\+\)"\)\.endsWith\("([^"]+)"\)'
_DOMAIN: Final = re.compile(rf"self in \[([^\]]*)\] \|\| !self{_FIND_DOMAIN}")
_DOMAINS: Final = re.compile(rf"self\.all\(x, x in \[([^\]]*)\] \|\| !x{_FIND_DOMAIN}\)")
_NOT_THIS: Final = re.compile(r"self != [\"']([^\"']*)[\"']")
_NONE_OF_THIS: Final = re.compile(r"self\.all\(([a-z]), \1 != ?[\"']([^\"']*)[\"']\)")
_CONDITIONS: Final[dict[str, Condition]] = {
    **coded_conditions.CONDITIONS,
    **ec2_conditions.CONDITIONS,
    **kubelet_conditions.CONDITIONS,
}
_QUOTED: Final = re.compile(r'"([^"]*)"')


@functools.cache
def condition(text: str) -> Condition | None:
    """What a rule says, as a function of the value and the old one; None if it is not known."""
    found = _CONDITIONS.get(text)
    if found is not None:
        return found
    for form, make in _FORMS:
        match = form.fullmatch(text)
        if match is not None:
            return make(match)
    return None


def _allowed_domain(match: re.Match[str]) -> Condition:
    """A label of a restricted domain, unless it is one of those listed."""
    allowed, domain = frozenset(_QUOTED.findall(match[1])), match[2]

    def holds(value: Any, _: Any) -> bool:
        return value in allowed or not str(value).partition("/")[0].endswith(domain)

    return holds


def _allowed_domains(match: re.Match[str]) -> Condition:
    holds = _allowed_domain(match)
    return lambda value, old: coded_conditions.with_all(value, lambda key: holds(key, old))


def _not_this(match: re.Match[str]) -> Condition:
    forbidden = match[1]
    return lambda value, _: value != forbidden


def _none_of_this(match: re.Match[str]) -> Condition:
    forbidden = match[2]
    return lambda value, _: forbidden not in value


_FORMS: Final = (
    (kubelet_conditions.KNOWN_KEYS, kubelet_conditions.known_keys),
    (_DOMAIN, _allowed_domain),
    (_DOMAINS, _allowed_domains),
    (_NOT_THIS, _not_this),
    (_NONE_OF_THIS, _none_of_this),
)


def knows(rule: Json) -> bool:
    """Whether a rule needs no library."""
    return "messageExpression" not in rule and condition(rule["rule"]) is not None


def know_all(node: Node | None) -> bool:
    """Whether no rule of a schema, nor of those in it, needs a library."""
    if node is None:
        return True
    below = (*node.properties.values(), node.items, node.additional)
    return all(map(knows, node.rules)) and all(map(know_all, below))


class CodedRule(rule_tree.Rule):
    """One rule, decided by its function."""

    def __init__(self, rule: Json, node: Node) -> None:
        super().__init__(rule, node)
        found = condition(rule["rule"])
        assert found is not None
        self._condition = found
        self.uses_old = "oldSelf" in rule["rule"]

    def holds(self, data: rule_tree.RuleData) -> bool:
        """Whether the rule holds of a value."""
        return self._condition(data.new, data.old)


class RuleTree(rule_tree.RuleTree):
    """The rules of a schema, all of which are known."""

    def compiled(self, rule: Json) -> CodedRule:
        """A rule with its function."""
        return CodedRule(rule, self.node)
