"""What a template may call: a function with the types of its parameters.

Types matter, as in Go: they decide what a constant becomes and which values are refused.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kubestage.golang.template.values import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    LIST,
    MAP,
    MISSING,
    STRING,
    Number,
    type_name,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class Function:
    """A function, the types of its parameters, and the type of those that may follow.

    It raises ValueError (or ArithmeticError), whose text the template's error then quotes. A
    missing value is passed as None. With `stops_at`, nothing is called: the result is the first
    argument of this truth, and none after it is evaluated. With `takes_source` the first argument
    is passed twice: its source text, and its value.
    """

    call: Callable[..., Any]
    parameters: tuple[str, ...] = ()
    variadic: str | None = None
    stops_at: bool | None = None
    takes_source: bool = False

    def type_of(self, index: int) -> str:
        """The type of a parameter by its place."""
        if index < len(self.parameters):
            return self.parameters[index]
        return self.variadic or ANY


def of_any(call: Callable[..., Any]) -> Function:
    """A function whose parameters take any value; their number is that of its signature."""
    kinds = [each.kind for each in inspect.signature(call).parameters.values()]
    variadic = ANY if inspect.Parameter.VAR_POSITIONAL in kinds else None
    fixed = kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
    fixed += kinds.count(inspect.Parameter.POSITIONAL_ONLY)
    return Function(call, (ANY,) * fixed, variadic)


def table(calls: Mapping[str, Callable[..., Any] | Function]) -> dict[str, Function]:
    """Functions by name; a plain callable takes any values."""
    return {
        name: call if isinstance(call, Function) else of_any(call) for name, call in calls.items()
    }


_PLAIN: Final[dict[str, type]] = {STRING: str, FLOAT: float, BOOL: bool}
_MAY_BE_NIL: Final[dict[str, type]] = {LIST: list, MAP: dict}


def passed(value: Any, kind: str) -> Any:
    """A value as a parameter of a type receives it; ValueError if it cannot."""
    if kind == ANY:
        return None if value is MISSING else value
    if kind in _MAY_BE_NIL:
        if value is MISSING or value is None:
            return None
        if isinstance(value, _MAY_BE_NIL[kind]):
            return value
    elif value is MISSING:
        raise ValueError(f"invalid value; expected {kind}")
    elif kind == INT:
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    elif isinstance(value, _PLAIN[kind]) and not isinstance(value, Number):
        return value
    found = ANY if value is None else type_name(value)
    raise ValueError(f"wrong type for value; expected {kind}; got {found}")
