"""What the rules about the kubelets of EC2NodeClasses say, each as a function."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.custom.rule_tree import RuleError

if TYPE_CHECKING:
    from collections.abc import Callable

    Condition = Callable[[Any, Any], bool]

_RESERVABLE: Final = frozenset({"cpu", "memory", "ephemeral-storage", "pid"})
_QUOTED: Final = re.compile(r"'([^']*)'")
_RESERVES_KNOWN: Final = (
    "self.all(x, x=='cpu' || x=='memory' || x=='ephemeral-storage' || x=='pid')"
)
_HIGH: Final = "imageGCHighThresholdPercent"
_LOW: Final = "imageGCLowThresholdPercent"
_ABOVE: Final = f"has(self.{_HIGH}) && has(self.{_LOW}) ?  self.{_HIGH} > self.{_LOW}  : true"
_SOFT: Final = "evictionSoft"
_SOFT_PERIOD: Final = "evictionSoftGracePeriod"


def _high_is_above_low(value: Any, _: Any) -> bool:
    return _HIGH not in value or _LOW not in value or value[_HIGH] > value[_LOW]


def _matched(name: str, other: str) -> Condition:
    """Each key of one map is a key of the other."""

    def holds(value: Any, _: Any) -> bool:
        if not value.get(name):
            return True
        if other not in value:
            raise RuleError(f"no such key: {other}")
        return all(key in value[other] for key in value[name])

    return holds


def _matched_rule(name: str, other: str) -> str:
    return f"has(self.{name}) ? self.{name}.all(e, (e in self.{other})):true"


def known_keys(match: re.Match[str]) -> Condition:
    """That a map has no keys but those that are listed."""
    known = frozenset(_QUOTED.findall(match[1]))
    return lambda value, _: known.issuperset(value)


KNOWN_KEYS: Final = re.compile(r"self\.all\(x, x in \[((?:'[^']*',?)+)\]\)")
"""The form of the rules for which `known_keys` makes functions."""

CONDITIONS: Final[dict[str, Condition]] = {
    _RESERVES_KNOWN: lambda value, _: _RESERVABLE.issuperset(value),
    "self.all(x, !self[x].startsWith('-'))": (
        lambda value, _: not any(each.startswith("-") for each in value.values())
    ),
    _ABOVE: _high_is_above_low,
    _matched_rule(_SOFT, _SOFT_PERIOD): _matched(_SOFT, _SOFT_PERIOD),
    _matched_rule(_SOFT_PERIOD, _SOFT): _matched(_SOFT_PERIOD, _SOFT),
}
"""The functions, by the text of the rule."""
