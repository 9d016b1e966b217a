"""Whether an object meets a requirement on the answer to a jq query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.kwok import queries
from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.controllers.kwok.stage_types import SelectorJq


def check(requirement: SelectorJq, path: str) -> None:
    """Raise `InputError` if it cannot be a requirement."""
    queries.check(requirement.key, f"{path}.key")
    match requirement.operator:
        case "In" | "NotIn":
            if not requirement.values:
                problem = "for 'in', 'notin' operators, values set can't be empty"
                raise InputError(problem, path=f"{path}.values")
        case "Exists" | "DoesNotExist":
            if requirement.values:
                problem = "values set must be empty for exists and does not exist"
                raise InputError(problem, path=f"{path}.values")
        case operator:
            problem = f'operator "{operator}" is not supported'
            fix = "use In, NotIn, Exists or DoesNotExist"
            raise InputError(problem, path=f"{path}.operator", fix=fix)


def meets(requirement: SelectorJq, obj: Any) -> bool:
    """Whether the object meets the requirement."""
    answer = queries.ask(requirement.key, obj)
    match requirement.operator:
        case "In":
            return answer is not None and _has_any(answer, requirement.values or [])
        case "NotIn":
            return answer is None or not _has_any(answer, requirement.values or [])
        case "Exists":
            return bool(answer)
        case _:
            return not answer


def _has_any(answer: queries.QueryResult, desired: list[str]) -> bool:
    return any(_text(value, answer.computed) in desired for value in answer)


def _text(value: Any, computed: bool) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    # KWOK compares numbers that jq computed; those of the object are floats to it, never equal.
    return str(value) if computed and isinstance(value, int) else None
