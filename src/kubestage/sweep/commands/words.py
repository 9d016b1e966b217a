"""The words of a command, read with the flags of its options class, and written again."""

from __future__ import annotations

import difflib
import typing
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from kubestage.errors import InputError
from kubestage.runs import flags

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.runs.flags import Field, Options

    AnyOptions = TypeVar("AnyOptions", bound=Options)


class Words(NamedTuple):
    """What words say: arguments in order, and the values of flags by field."""

    arguments: list[str]
    values: dict[str, Any]


class _Name(NamedTuple):
    field: str
    type: Any
    is_many: bool
    sets: bool | None
    """What a flag without a value sets."""


def read(
    words: Sequence[str], options: type[Options], more: dict[str, tuple[tuple[str, ...], Any]]
) -> Words:
    """Read words; `more` are flags beside the options, by field: their names and their type."""
    names = dict(_names(options, more))
    found = Words([], {})
    rest = iter(words)
    for word in rest:
        if word == "--":
            found.arguments.extend(rest)
        elif not word.startswith("-") or word == "-":
            found.arguments.append(word)
        else:
            _flag(word, rest, names, found.values)
    return found


def of(options: Options) -> list[str]:
    """The flags that say what differs from the defaults."""
    words: list[str] = []
    for field in flags.fields(type(options)):
        value = getattr(options, field.name)
        if value == field.default or value is None:
            continue
        name = next(each for each in field.names if each.startswith("--"))
        if isinstance(value, bool):
            yes, _, no = name.partition("/")
            words.append(yes if value else no)
        else:
            for each in value if field.is_many else (value,):
                words += [name, str(each)]
    return words


def made(options: type[AnyOptions], values: dict[str, Any]) -> AnyOptions:
    """Options of these values."""
    own = {name: value for name, value in values.items() if name in options.__struct_fields__}
    return options(**own)


def field_of(options: type[Options], flag: str) -> Field | None:
    """The field of a flag that is written without its dashes, as in ``launch-delay``."""
    long_name = f"--{flag}"
    for field in flags.fields(options):
        names = [part for each in field.names for part in each.split("/")]
        if long_name in names:
            return field
    return None


def flag_names(options: type[Options]) -> list[str]:
    """All long flags, without dashes."""
    return [
        part.removeprefix("--")
        for field in flags.fields(options)
        for each in field.names
        for part in each.split("/")
        if part.startswith("--")
    ]


def converted(value: Any, kind: Any, flag: str) -> Any:
    """A text as the type of its field."""
    plain = [each for each in typing.get_args(kind) if each is not type(None)] or [kind]
    try:
        return msgspec.convert(value, plain[0], strict=False)
    except msgspec.ValidationError:
        expected = {int: "a whole number", float: "a number", bool: "true or false"}
        fix = f"write {expected.get(plain[0], 'a text')}"
        raise InputError(f'"{value}" does not fit', path=flag, fix=fix) from None


def _names(
    options: type[Options], more: dict[str, tuple[tuple[str, ...], Any]]
) -> Iterator[tuple[str, _Name]]:
    for field in flags.fields(options):
        item = typing.get_args(field.type)[0] if field.is_many else field.type
        for name in field.names:
            yield from _named(name, field.name, item, is_many=field.is_many)
    for name, (titles, kind) in more.items():
        is_many = typing.get_origin(kind) is tuple
        for title in titles:
            yield from _named(title, name, str if is_many else kind, is_many=is_many)


def _named(name: str, field: str, kind: Any, *, is_many: bool) -> Iterator[tuple[str, _Name]]:
    is_switch = bool in (kind, *typing.get_args(kind))
    yes, _, no = name.partition("/")
    yield yes, _Name(field, kind, is_many, True if is_switch else None)
    if no:
        yield no, _Name(field, kind, is_many, False)


def _flag(word: str, rest: Iterator[str], names: dict[str, _Name], values: dict[str, Any]) -> None:
    title, equals, text = word.partition("=")
    name = names.get(title)
    if name is None:
        near = difflib.get_close_matches(title, names, n=1)
        fix = f"did you mean {near[0]}?" if near else "see the help of the command itself"
        raise InputError("no such option", path=title, fix=fix)
    if name.sets is not None:
        if equals:
            raise InputError("takes no value", path=title, fix=f"write {title}")
        values[name.field] = name.sets
        return
    value = text if equals else next(rest, None)
    if value is None:
        raise InputError("needs a value", path=title, fix=f"write {title} VALUE")
    parsed = converted(value, name.type, title)
    values[name.field] = (*values.get(name.field, ()), parsed) if name.is_many else parsed
