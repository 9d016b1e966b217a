"""Values of JSON and YAML that several formats read, with errors that name the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.objects import manifest, timestamps
from kubestage.sources.imported import Reference

if TYPE_CHECKING:
    from kubestage.aliases import Json

_TIMES: Final = "times are as in 2026-01-01T12:00:00.5Z"


def part(value: Any, *path: str) -> Json:
    """The object at a path of keys; empty if there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def text(value: Any, key: str) -> str:
    """The text at a key; empty if there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def reference(obj: Any) -> Reference:
    """The names of something that may be no object; empty where there are none."""
    metadata = part(obj, "metadata")
    return Reference(
        text(obj, "apiVersion"), text(obj, "kind"), text(metadata, "namespace"),
        text(metadata, "name"),
    )  # fmt: skip


def documents(data: bytes, name: str) -> list[Json]:
    """All objects of a text in YAML or JSON, Lists flattened."""
    return [each.object for each in manifest.load_text(data, name)]


def json_value(data: bytes, name: str, what: str, line: int | None = None) -> Any:
    """The value of a JSON text."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise broken(error, name, what, line) from None
    except RecursionError:
        raise InputError("nested too deeply", file=name, line=line) from None


def broken(error: Exception, name: str, what: str, line: int | None = None) -> InputError:
    """A text that is not what its beginning promised."""
    is_cut = "truncated" in str(error)
    problem = f"{what} is cut off" if is_cut else f"{what} cannot be read: {error}"
    return InputError(problem, file=name, line=line, fix="copy it again" if is_cut else None)


def time_ns(value: Any, name: str, path: str, line: int | None = None) -> int:
    """A moment that a file states."""
    try:
        if isinstance(value, str):
            return timestamps.parse_time(value)
        problem = "is missing" if value is None else "is no time"
    except ValueError as error:
        problem = str(error)
    raise InputError(problem, file=name, line=line, path=path, fix=_TIMES)


def time_or_none(value: Any) -> int | None:
    """A moment, if it is one."""
    try:
        return timestamps.parse_time(value) if isinstance(value, str) else None
    except ValueError:
        return None
