"""What the rules of NodePools, NodeClaims and NodeOverlays say, each as a function.

A function takes a value and the old one. A field that a rule takes for granted and that is absent
makes it fail, unless the rule is broken anyway: so do expressions in CEL.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.custom.rule_tree import RuleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json

    Condition = Callable[[Any, Any], bool]

_COMPARING: Final = frozenset({"Gt", "Lt", "Gte", "Lte"})
_STANDARD: Final = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})
_INT64: Final = 1 << 63


def with_all(items: Iterable[Any], holds: Callable[[Any], bool]) -> bool:
    """Whether it holds of all; that it fails on one counts only if no other breaks it."""
    failed = None
    for each in items:
        try:
            if not holds(each):
                return False
        except RuleError as error:
            failed = failed or error
    if failed is not None:
        raise failed
    return True


def _field(obj: Json, name: str) -> Any:
    if name not in obj:
        raise RuleError(f"no such key: {name}")
    return obj[name]


def _number(text: str) -> int:
    if re.fullmatch(r"[+-]?[0-9]+", text) is None or abs(int(text)) >= _INT64:
        raise RuleError("cannot convert string to int")
    return int(text)


def _has_values(operator: str) -> Condition:
    def holds(each: Json) -> bool:
        return each["operator"] != operator or len(_field(each, "values")) != 0

    return lambda value, _: with_all(value, holds)


def _compares_with_a_number(value: Any, _: Any) -> bool:
    def holds(each: Json) -> bool:
        if each["operator"] not in _COMPARING:
            return True
        values = _field(each, "values")
        return bool(len(values) == 1 and _number(values[0]) >= 0)

    return with_all(value, holds)


def _has_least_values(value: Any, _: Any) -> bool:
    def holds(each: Json) -> bool:
        if each["operator"] != "In" or "minValues" not in each:
            return True
        return bool(len(_field(each, "values")) >= each["minValues"])

    return with_all(value, holds)


def _keeps_mode(value: Any, old: Any) -> bool:
    return ("replicas" in value) == ("replicas" in old)


def _limits_nodes_alone(value: Any, _: Any) -> bool:
    limits = value.get("limits") or {}
    return "replicas" not in value or not limits or list(limits) == ["nodes"]


def _same(name: str) -> Condition:
    return lambda value, old: bool(value[name] == old[name])


_COMPARED: Final = (
    "self.all(x, (x.operator == 'Gt' || x.operator == 'Lt' || x.operator == 'Gte' || x.operator == "
    "'Lte') ? (x.values.size() == 1 && int(x.values[0]) >= 0) : true)"
)
_COUNTED: Final = (
    "self.all(x, (x.operator == 'In' && has(x.minValues)) ? x.values.size() >= x.minValues : true)"
)
_LIMITED: Final = (
    "!has(self.replicas) || (!has(self.limits) || size(self.limits) == 0 || "
    "(size(self.limits) == 1 && 'nodes' in self.limits))"
)

CONDITIONS: Final[dict[str, Condition]] = {
    "self.all(x, x.operator == 'In' ? x.values.size() != 0 : true)": _has_values("In"),
    "self.all(x, x.operator == 'NotIn' ? x.values.size() != 0 : true)": _has_values("NotIn"),
    _COMPARED: _compares_with_a_number,
    _COUNTED: _has_least_values,
    "has(self.replicas) == has(oldSelf.replicas)": _keeps_mode,
    _LIMITED: _limits_nodes_alone,
    "!has(self.replicas) || !has(self.weight)": (
        lambda value, _: "replicas" not in value or "weight" not in value
    ),
    "self.all(x, has(x.schedule) == has(x.duration))": (
        lambda value, _: all(("schedule" in each) == ("duration" in each) for each in value)
    ),
    "self.group == oldSelf.group": _same("group"),
    "self.kind == oldSelf.kind": _same("kind"),
    "self == oldSelf": lambda value, old: bool(value == old),
    "self.all(x, !(x in ['cpu', 'memory', 'ephemeral-storage', 'pods']))": (
        lambda value, _: _STANDARD.isdisjoint(value)
    ),
    "!has(self.price) || !has(self.priceAdjustment)": (
        lambda value, _: not ("price" in value and "priceAdjustment" in value)
    ),
}
"""The functions, by the text of the rule."""
