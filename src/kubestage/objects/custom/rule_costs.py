"""What the rules of a definition may cost together, and what that may be at most.

A rule costs as much as its expression for the largest value that the schema allows, as often as an
object can have such values.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.cel import sizes
from kubestage.objects.cel.declared import LARGEST_REQUEST
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.custom.cel_programs import Program
    from kubestage.objects.validation.field import FieldError

LIMIT: Final = 10_000_000
"""What one rule may cost."""
TOTAL_LIMIT: Final = 100_000_000
"""What all rules of a version may cost."""
_SHOWN: Final = 4
_ADVICE: Final = (
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, "
    "maps, and strings are declared"
)
_CONTRIBUTED: Final = (
    "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
)
_WHOLE: Final = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"


@dataclasses.dataclass(slots=True)
class RuleCosts:
    """The costs of the rules of one version; single ones do not count if `ignores_single`."""

    ignores_single: bool = False
    total: int = 0
    expensive: list[tuple[int, str]] = dataclasses.field(default_factory=list)

    def rule(self, program: Program, times: int | None, path: str) -> Iterator[FieldError]:
        """Count a rule for values of which there can be so many; None is as many as fit."""
        fewest_bytes = program.fewest_bytes + 1
        count = LARGEST_REQUEST // fewest_bytes if times is None else times
        cost = min(program.most_cost * count, sizes.MOST)
        yield from self._counted("estimated rule cost", cost, path)

    def wording(self, program: Program, path: str) -> Iterator[FieldError]:
        """Count the expression of a message."""
        yield from self._counted("estimated messageExpression cost", program.most_cost, path)

    def _counted(self, name: str, cost: int, path: str) -> Iterator[FieldError]:
        if cost > LIMIT and not self.ignores_single:
            yield field.forbidden(path, _too_much(name, cost, LIMIT))
        self.total = min(self.total + cost, sizes.MOST)
        if cost >= TOTAL_LIMIT // 100:
            self.expensive.append((cost, path))

    def errors(self, path: str) -> list[FieldError]:
        """What is wrong with all rules together: the schema, and which rules are to blame."""
        if self.total <= TOTAL_LIMIT:
            return []
        first = sorted(self.expensive, key=lambda each: -each[0])[:_SHOWN]
        found = [field.forbidden(where, _CONTRIBUTED) for _, where in first]
        return [*found, field.forbidden(path, _too_much(_WHOLE, self.total, TOTAL_LIMIT))]


def _too_much(name: str, cost: int, limit: int) -> str:
    times = cost / limit
    shown = "more than 100x"
    if times <= 100:
        # Little too much is shown exactly: nothing exceeds a budget by a factor of 1.0.
        shown = f"{times:f}x" if times < 1.5 else f"{times:.1f}x"
    return f"{name} exceeds budget by factor of {shown} ({_ADVICE})"


def times_below(schema: Json, times: int | None) -> int | None:
    """How often values below a schema can occur, by how often those of the schema can."""
    named = schema.get("type")
    limit: Any
    if named == "array":
        limit = schema.get("maxItems")
    elif named == "object" and schema.get("additionalProperties") is not None:
        limit = schema.get("maxProperties")
    else:
        return times
    if limit is None or times is None:
        return None
    return min(times * max(int(limit), 0), sizes.MOST)
