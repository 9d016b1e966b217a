"""Label selectors: read them, match labels against them, write them back.

Two spellings lead to the same ``Selector``: the query text of ``kubectl -l`` and the
``LabelSelector`` object of the API.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import label_parser, label_requirement
from kubestage.objects.label_requirement import (
    DOES_NOT_EXIST,
    DOUBLE_EQUALS,
    EQUALS,
    EXISTS,
    GREATER_THAN,
    IN,
    LESS_THAN,
    NOT_EQUALS,
    NOT_IN,
    Requirement,
    SelectorError,
)
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = [
    "EVERYTHING",
    "NOTHING",
    "Requirement",
    "Selector",
    "SelectorError",
    "format_label_selector",
    "format_labels",
    "from_label_selector",
    "parse",
    "parse_to_label_selector",
    "selector_from_set",
    "validated_selector_from_set",
]

# How a requirement is tested, with the operand prepared for it.
_EQUAL, _AMONG, _NOT_AMONG, _PRESENT, _ABSENT, _ABOVE, _BELOW, _NEVER = range(8)

_FROM_OBJECT: Final = {
    "In": IN, "NotIn": NOT_IN, "Exists": EXISTS, "DoesNotExist": DOES_NOT_EXIST,
}  # fmt: skip
_TO_OBJECT: Final = {word: name for name, word in _FROM_OBJECT.items()}


@dataclasses.dataclass(frozen=True, slots=True)
class Selector:
    """All of these requirements; or, when not selectable, nothing at all."""

    requirements: tuple[Requirement, ...] = ()
    selectable: bool = True
    _tests: tuple[tuple[int, str, Any], ...] = dataclasses.field(
        default=(), init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        tests = tuple(map(_compile, self.requirements))
        object.__setattr__(self, "_tests", tests if self.selectable else ((_NEVER, "", None),))

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether labels fulfil every requirement."""
        for test, key, operand in self._tests:
            if test == _EQUAL:
                if labels.get(key) != operand:
                    return False
            elif test == _AMONG:
                if labels.get(key) not in operand:
                    return False
            elif test == _NOT_AMONG:
                if labels.get(key) in operand:
                    return False
            elif test == _PRESENT:
                if key not in labels:
                    return False
            elif test == _ABSENT:
                if key in labels:
                    return False
            elif not _compare(test, labels.get(key), operand):
                return False
        return True

    @property
    def empty(self) -> bool:
        """Whether everything is selected."""
        return self.selectable and not self.requirements

    def add(self, *requirements: Requirement) -> Selector:
        """A selector with more requirements, in the order of their keys."""
        return _sorted((*self.requirements, *requirements)) if self.selectable else self

    def requires_exact_match(self, label: str) -> str | None:
        """The one value that a label must have, if there is such a value."""
        for requirement in self.requirements:
            if requirement.key == label:
                exact = requirement.operator in (EQUALS, DOUBLE_EQUALS, IN)
                return requirement.values[0] if exact and len(requirement.values) == 1 else None
        return None

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


def _compile(requirement: Requirement) -> tuple[int, str, Any]:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    if operator in (EQUALS, DOUBLE_EQUALS, IN):
        if len(values) == 1:
            return _EQUAL, key, values[0]
        return _AMONG, key, frozenset(values)
    if operator in (NOT_EQUALS, NOT_IN):
        return _NOT_AMONG, key, frozenset(values)
    if operator == EXISTS:
        return _PRESENT, key, None
    if operator == DOES_NOT_EXIST:
        return _ABSENT, key, None
    bound = label_requirement.to_int64(values[0]) if len(values) == 1 else None
    return _ABOVE if operator == GREATER_THAN else _BELOW, key, bound


def _compare(test: int, text: str | None, bound: int | None) -> bool:
    if test == _NEVER or text is None or bound is None:
        return False
    number = label_requirement.to_int64(text)
    if number is None:
        return False
    return number > bound if test == _ABOVE else number < bound


EVERYTHING: Final = Selector()
NOTHING: Final = Selector(selectable=False)


def _sorted(requirements: Iterable[Requirement]) -> Selector:
    return Selector(tuple(sorted(requirements, key=lambda requirement: requirement.key)))


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Selector:
    """Read a query such as ``app=web,tier notin (db)``, or raise ``SelectorError``."""
    return _sorted(label_parser.parse(text))


def selector_from_set(labels: Mapping[str, str]) -> Selector:
    """The selector of exactly these labels, which are taken as valid."""
    return _sorted(Requirement(key, EQUALS, (value,)) for key, value in labels.items())


def validated_selector_from_set(labels: Mapping[str, str]) -> Selector:
    """The selector of exactly these labels, or ``SelectorError`` for the first invalid one."""
    return _sorted(label_requirement.new(key, EQUALS, [value]) for key, value in labels.items())


def from_label_selector(label_selector: Mapping[str, Any] | None) -> Selector:
    """The selector of an API object: an absent one selects nothing, an empty one everything."""
    if label_selector is None:
        return NOTHING
    match_labels: dict[str, str] = label_selector.get("matchLabels") or {}
    requirements = [
        label_requirement.new(key, EQUALS, [value]) for key, value in match_labels.items()
    ]
    for expression in label_selector.get("matchExpressions") or ():
        operator = expression.get("operator", "")
        word = _FROM_OBJECT.get(operator)
        if word is None:
            raise SelectorError(f"{field.quote(operator)} is not a valid label selector operator")
        values = expression.get("values") or None
        requirements.append(label_requirement.new(expression.get("key", ""), word, values))
    return _sorted(requirements) if requirements else EVERYTHING


def format_label_selector(label_selector: Mapping[str, Any] | None) -> str:
    """A LabelSelector as tables show it."""
    try:
        return str(from_label_selector(label_selector)) or "<none>"
    except SelectorError:
        return "<error>"


def parse_to_label_selector(text: str) -> dict[str, Any]:
    """The LabelSelector object of a query."""
    try:
        selector = parse(text)
    except SelectorError as error:
        raise SelectorError(f'couldn\'t parse the selector string "{text}": {error}') from None
    match_labels: dict[str, str] = {}
    expressions: list[dict[str, Any]] = []
    for requirement in selector.requirements:
        operator = requirement.operator
        if operator in (EQUALS, DOUBLE_EQUALS):
            match_labels[requirement.key] = requirement.values[0]
            continue
        if operator in (GREATER_THAN, LESS_THAN):
            raise SelectorError(f"{field.quote(operator)} isn't supported in label selectors")
        if operator not in _TO_OBJECT:
            raise SelectorError(f"{field.quote(operator)} is not a valid label selector operator")
        expression: dict[str, Any] = {"key": requirement.key, "operator": _TO_OBJECT[operator]}
        if requirement.values:
            expression["values"] = sorted(requirement.values)
        expressions.append(expression)
    parts = {"matchLabels": match_labels, "matchExpressions": expressions}
    return {name: part for name, part in parts.items() if part}


def format_labels(labels: Mapping[str, str] | None) -> str:
    """Labels as tables show them."""
    pairs = sorted(f"{key}={value}" for key, value in (labels or {}).items())
    return ",".join(pairs) or "<none>"
