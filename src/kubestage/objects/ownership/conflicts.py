"""Fields that an applier would change, and that other managers own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage import errors
from kubestage.errors import KubestageError
from kubestage.objects.ownership import field_set, path_element
from kubestage.objects.ownership.managers import UPDATE
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.objects.ownership.field_set import FieldSet, Path
    from kubestage.objects.ownership.managers import ManagerIdentity


class FieldConflict(NamedTuple):
    """One field, and whose it is."""

    who: ManagerIdentity
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


class InConflict(KubestageError):
    """An apply that is not forced would take fields from others."""

    def __init__(self, conflicts: list[FieldConflict]) -> None:
        super().__init__(f"{len(conflicts)} conflicts")
        self.conflicts = conflicts


def conflicts_in(taken: dict[ManagerIdentity, FieldSet]) -> list[FieldConflict]:
    """One conflict for each field, those of one manager together."""
    return [
        FieldConflict(who, path)
        for who in sorted(taken, key=lambda who: who.order)
        for path in field_set.paths(taken[who])
    ]


def refusal(conflicts: list[FieldConflict]) -> errors.Conflict:
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


def _message(conflicts: list[FieldConflict]) -> str:
    if len(conflicts) == 1:
        (only,) = conflicts
        return f"Apply failed with 1 conflict: conflict with {only.whom}: {only.where}"
    lines: list[str] = []
    before: ManagerIdentity | None = None
    for conflict in conflicts:
        if conflict.who != before:
            lines.append(f"conflicts with {conflict.whom}:")
            before = conflict.who
        lines.append(f"- {conflict.where}")
    return f"Apply failed with {len(conflicts)} conflicts: " + "\n".join(lines)
