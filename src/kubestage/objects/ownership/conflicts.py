"""Fields that an applier wants otherwise, and that are others' own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage import errors
from kubestage.objects.ownership import field_set, path_element
from kubestage.objects.ownership.managers import UPDATE
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.objects.ownership.field_set import FieldSet, Path
    from kubestage.objects.ownership.managers import Identity


class Conflict(NamedTuple):
    """One field, and whose it is."""

    who: Identity
    path: Path

    @property
    def where(self) -> str:
        """The field as messages show it."""
        return "".join(map(path_element.text, self.path))

    @property
    def whom(self) -> str:
        """The manager as messages show it."""
        shown = field.quote(self.who.manager)
        if self.who.subresource:
            shown += f" with subresource {field.quote(self.who.subresource)}"
        if self.who.operation == UPDATE:
            shown += f" using {self.who.api_version}"
        return shown


class InConflict(Exception):
    """An apply that is not forced would take fields from others."""

    def __init__(self, conflicts: list[Conflict]) -> None:
        super().__init__(f"{len(conflicts)} conflicts")
        self.conflicts = conflicts


def of(taken: dict[Identity, FieldSet]) -> list[Conflict]:
    """One conflict for each field, those of one manager together."""
    return [
        Conflict(who, path)
        for who in sorted(taken, key=lambda who: who.order)
        for path in field_set.paths(taken[who])
    ]


def refusal(conflicts: list[Conflict]) -> errors.Conflict:
    """The answer to an apply that is in conflict."""
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {conflict.whom}",
            "field": conflict.where,
        }
        for conflict in conflicts
    ]
    return errors.Conflict(_message(conflicts), {"causes": causes})


def _message(conflicts: list[Conflict]) -> str:
    if len(conflicts) == 1:
        (only,) = conflicts
        return f"Apply failed with 1 conflict: conflict with {only.whom}: {only.where}"
    lines: list[str] = []
    before: Identity | None = None
    for conflict in conflicts:
        if conflict.who != before:
            lines.append(f"conflicts with {conflict.whom}:")
            before = conflict.who
        lines.append(f"- {conflict.where}")
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
