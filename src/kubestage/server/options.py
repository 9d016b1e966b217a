"""Query parameters, read as the API server's own conversion reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.errors import BadRequest
from kubestage.golang import integers
from kubestage.objects.validation import field
from kubestage.store import write_options as write_options_rules

if TYPE_CHECKING:
    from kubestage.objects.decode import FieldValidation
    from kubestage.server.request import Request

_FALSE: Final = ("false", "0")
_MOST_INT: Final = 2**63
_MANAGER_LENGTH: Final = 128


class WriteOptions(NamedTuple):
    """The options of create, update and patch."""

    dry_run: bool
    manager: str
    field_validation: FieldValidation
    force: bool | None


def boolean(request: Request, name: str) -> bool | None:
    """A parameter that is true unless its value is false, None if it is not there."""
    values = request.query.get(name)
    return None if values is None else values[0].lower() not in _FALSE


def integer(request: Request, name: str) -> int | None:
    """A whole number, None if it is not there; BadRequest in the words of Go's parser."""
    values = request.query.get(name)
    if values is None:
        return None
    text = values[0]
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isascii() or not digits.isdigit():
        raise BadRequest(f"strconv.ParseInt: parsing {field.quote(text)}: invalid syntax")
    number = integers.parse(text)
    if not -_MOST_INT <= number < _MOST_INT:
        raise BadRequest(f"strconv.ParseInt: parsing {field.quote(text)}: value out of range")
    return number


def write_options(request: Request, kind: str, *, is_apply: bool = False) -> WriteOptions:
    """Options of a write; `kind` is CreateOptions, UpdateOptions or PatchOptions."""
    if not request.query and not is_apply:
        return WriteOptions(False, manager_of(request, ""), "Warn", None)
    dry_run = request.query.get("dryRun") or []
    manager = request.parameter("fieldManager")
    validation: Any = request.parameter("fieldValidation")
    force = boolean(request, "force") if kind == "PatchOptions" else None
    write_options_rules.check(
        kind,
        dry_run=dry_run,
        manager=manager,
        field_validation=validation or "",
        force=force,
        is_apply=is_apply,
    )
    return WriteOptions(bool(dry_run), manager_of(request, manager), validation or "Warn", force)


def manager_of(request: Request, manager: str) -> str:
    """The field manager: the one that is named, else the client's name up to its version."""
    if manager:
        return manager
    agent = request.headers.get(b"user-agent", b"").decode("latin-1").partition("/")[0]
    parameters = "".join(char for char in agent if char.isprintable())
    return parameters[:_MANAGER_LENGTH] or "unknown"
