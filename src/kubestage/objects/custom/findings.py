"""What a validator of values finds, and how a server turns that into broken rules."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.validation.field import FieldError


class FindingCode(enum.Enum):
    """Findings that a server words in its own way; the others keep their message."""

    TYPE = enum.auto()
    REQUIRED = enum.auto()
    ENUM = enum.auto()
    TOO_LONG = enum.auto()
    TOO_MANY = enum.auto()
    VALUE = enum.auto()
    GENERAL = enum.auto()


class SchemaFinding(msgspec.Struct, frozen=True):
    """One thing that is wrong: where (`name`), with what value, and the validator's words."""

    code: FindingCode
    message: str
    name: str = ""
    value: Any = None
    valid: Any = None


class CheckResult:
    """Findings by message, each once, and how many checks were passed on the way.

    The count decides which of several alternatives a value was probably written for.
    """

    __slots__ = ("found", "matches")

    def __init__(self) -> None:
        self.found: dict[str, SchemaFinding] = {}
        self.matches = 0

    def add(self, finding: SchemaFinding) -> None:
        """Note a finding, unless one with its message is there."""
        self.found.setdefault(finding.message, finding)

    def merge(self, other: CheckResult) -> None:
        """Take over all that another validation found and passed."""
        self.matches += other.matches
        if other.found:
            for finding in other.found.values():
                self.add(finding)


def type_mismatch(path: str, expected: str, actual: str) -> SchemaFinding:
    """A value of another type, or of another format, than the schema's."""
    message = f"{path} in body must be of type {expected}: {field.quote(actual)}"
    return SchemaFinding(FindingCode.TYPE, message, path, actual)


def field_errors(findings: Iterable[SchemaFinding], path: str) -> list[FieldError]:
    """Findings in the words of the API; `path` is empty for whole objects."""
    return [field_error(finding, path) for finding in findings]


def field_error(finding: SchemaFinding, path: str = "") -> FieldError:
    """One finding in the words of the API."""
    at = path or "<nil>"
    if finding.code is FindingCode.GENERAL:
        return field.invalid(at, "", finding.message)
    name = finding.name.removeprefix(".")
    if name:
        at = f"{path}.{name}" if path else name
    shown = "" if finding.value is None else finding.value
    if finding.code is FindingCode.REQUIRED:
        return field.required(at)
    if finding.code is FindingCode.ENUM:
        choices = [
            each if isinstance(each, str) else msgspec.json.encode(each).decode()
            for each in finding.valid
        ]
        return field.not_supported(at, finding.value, choices)
    if finding.code is FindingCode.TOO_LONG:
        return field.too_long(at, finding.valid)
    if finding.code is FindingCode.TOO_MANY:
        return field.too_many(at, finding.value, finding.valid)
    if finding.code is FindingCode.TYPE:
        return field.FieldError(field.ErrorType.TYPE_INVALID, at, shown, finding.message)
    return field.invalid(at, shown, finding.message)
