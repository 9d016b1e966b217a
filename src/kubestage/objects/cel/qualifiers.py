"""Paths into data, as expressions go along them: fields, keys and indices, each at its cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel import call_costs
from kubestage.objects.cel.functions import NO_OVERLOAD
from kubestage.objects.cel.values import NOTHING, Failure, Optional

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.cel.run import Run

    Scope = dict[str, Any]
    Step = Callable[[Run, Scope], Any]

_ABSENT: Final = object()


class Qualifier:
    """One step along a path: by a key that is known, or by one that is evaluated."""

    __slots__ = ("is_optional", "is_test", "key", "step")

    def __init__(
        self,
        key: Any,
        step: Step | None = None,
        *,
        is_optional: bool = False,
        is_test: bool = False,
    ) -> None:
        self.key = key
        self.step = step
        self.is_optional = is_optional
        self.is_test = is_test

    def qualify(self, run: Run, scope: Scope, value: Any, *, is_optional: bool) -> Any:
        """What is in a value; `_ABSENT` if nothing is there and something need not be."""
        key = self.key if self.step is None else self.step(run, scope)
        if type(key) is Failure:
            run.spend(1)
            return key
        found = _inside(value, key)
        if self.is_test:
            run.spend(1)
            return found is not _ABSENT if type(value) is dict else Failure(NO_OVERLOAD)
        if found is _ABSENT:
            if is_optional:
                return _ABSENT
            found = _missing(value, key)
        run.spend(1)
        return found


def _inside(value: Any, key: Any) -> Any:
    if type(value) is dict and not call_costs.tag(value):
        return value.get(key, _ABSENT) if type(key) is not float else _by_number(value, key)
    if type(value) is list and type(key) in (int, float):
        return value[int(key)] if int(key) == key and 0 <= key < len(value) else _ABSENT
    return Failure(NO_OVERLOAD)


def _by_number(value: dict[Any, Any], key: float) -> Any:
    return value.get(int(key), _ABSENT) if key.is_integer() else _ABSENT


def _missing(value: Any, key: Any) -> Failure:
    if type(value) is list:
        return Failure(f"index out of bounds: {key}")
    return Failure(f"no such key: {key}")


class Chain:
    """A path: where it begins, and its steps."""

    __slots__ = ("qualifiers", "start")

    def __init__(self, start: Step) -> None:
        self.start = start
        self.qualifiers: list[Qualifier] = []

    def resolve(self, run: Run, scope: Scope) -> Any:
        """What is at the end of the path."""
        value = self.start(run, scope)
        if not self.qualifiers or type(value) is Failure:
            return value
        is_optional = isinstance(value, Optional)
        if is_optional:
            if not value.has_value:
                return value
            value = value.value
        for each in self.qualifiers:
            is_optional = is_optional or each.is_optional
            value = each.qualify(run, scope, value, is_optional=is_optional)
            if type(value) is Failure:
                return value
            if value is _ABSENT:
                return NOTHING
        return Optional(value) if is_optional else value
