"""Options of a run, each written once: a field of an `Options` class with its `Flag`.

::

    class RunOptions(Options, frozen=True, kw_only=True):
        seed: Annotated[int, Flag("Another seed is another run.")] = 0
        tie_break: Annotated[
            Literal["heap", "first", "random"], Flag("Which of the best nodes is taken.")
        ] = "heap"

A notebook makes such a value; the command line makes the same value from flags
(`kubestage.cli.option_objects`). A flag that several commands have is an alias
(``Seed = Annotated[int, Flag(...)]``), or a field of a class that their options inherit from.
"""

from __future__ import annotations

import inspect
import types
import typing
from typing import Any, Final, Literal

import msgspec

from kubestage.errors import InputError
from kubestage.runs.choices import check_choice

# Value of `Flag.after` for a flag that comes before all others.
START: Final = ""


class Flag:
    """How an option is called, described and limited.

    `names` are the names on the command line. Without a long one it is made from the field:
    ``tie_break`` is ``--tie-break``. A pair is written ``--controllers/--no-controllers``.
    """

    __slots__ = (
        "after", "choices", "completion", "default", "env", "help", "hidden", "maximum",
        "metavar", "minimum", "names", "noun", "panel", "show_default",
    )  # fmt: skip

    def __init__(
        self,
        help: str,  # noqa: A002
        *names: str,
        metavar: str | None = None,
        panel: str | None = None,
        choices: tuple[str, ...] = (),
        noun: str = "",
        env: str | None = None,
        minimum: int | None = None,
        maximum: int | None = None,
        hidden: bool = False,
        completion: str | None = None,
        default: str | None = None,
        show_default: bool = True,
        after: str | None = None,
    ) -> None:
        self.help = help
        self.names = names
        self.metavar = metavar
        """What stands for the value on a help page; by default the choices, if there are any."""
        self.panel = panel
        """The heading on the help page; "Options" by default."""
        self.choices = choices
        """The words that are accepted; a field of type `Literal` needs none."""
        self.noun = noun
        """What one of the choices is called in an error; by default the field's name in words."""
        self.env = env
        """A variable that is read where the flag is missing; by the command line only."""
        self.minimum = minimum
        self.maximum = maximum
        self.hidden = hidden
        self.completion = completion
        """The name of what completes a value, a key of `kubestage.cli.completion.COMPLETERS`."""
        self.default = default
        """A description of a default that depends on other things."""
        self.show_default = show_default
        """Whether the help page shows the default value, if it is not None."""
        self.after = after
        """The field behind which the help page lists this flag, and those of the class that follow
        it; `START` is before all. By default the flags of a class follow those it inherits."""


class Field:
    """One field of an options class: its flag, its type, and its default if it has one."""

    __slots__ = ("choices", "default", "flag", "is_many", "name", "required", "type")

    def __init__(self, name: str, hint: Any, flag: Flag, default: Any) -> None:
        self.name = name
        self.flag = flag
        self.required = default is msgspec.NODEFAULT
        self.default = default
        self.type, words = _plain_type(hint)
        self.choices = flag.choices or words
        self.is_many = typing.get_origin(self.type) is tuple

    @property
    def names(self) -> tuple[str, ...]:
        """All names on the command line, the long one included."""
        if any(name.startswith("--") for name in self.flag.names):
            return self.flag.names
        return (*self.flag.names, f"--{self.name.replace('_', '-')}")

    @property
    def noun(self) -> str:
        """What a value is called in an error."""
        return self.flag.noun or self.name.replace("_", " ")

    def check(self, value: Any) -> None:
        """Refuse a value that is none of the choices, or beyond the limits."""
        if value is None:
            return
        if self.choices and value not in self.choices:
            check_choice(value, self.choices, self.noun)
        low, high = self.flag.minimum, self.flag.maximum
        if (low is not None and value < low) or (high is not None and value > high):
            expected = " and ".join(
                text
                for text in (
                    None if low is None else f"at least {low}",
                    None if high is None else f"at most {high}",
                )
                if text
            )
            fix = f"use {expected}"
            raise InputError(f"{value} is out of range", path=self.names[-1], fix=fix)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """The parent of all options classes: checks choices and limits when a value is made."""

    def __post_init__(self) -> None:
        for field in fields(type(self)):
            field.check(getattr(self, field.name))


_fields: Final[dict[type[Options], tuple[Field, ...]]] = {}


def fields(options: type[Options]) -> tuple[Field, ...]:
    """The fields of an options class that have a flag, in the order of the help page."""
    if options not in _fields:
        hints = typing.get_type_hints(options, include_extras=True)
        defaults = {
            name: _default(field)
            for name, field in zip(
                options.__struct_fields__, msgspec.structs.fields(options), strict=True
            )
        }
        found: dict[str, Field] = {}
        for name in options.__struct_fields__:
            flag = flag_of(hints[name])
            if flag is not None:
                found[name] = Field(name, hints[name], flag, defaults[name])
        _fields[options] = tuple(in_order(options, found))
    return _fields[options]


def in_order(options: type, found: dict[str, Field]) -> list[Field]:
    """Fields as the classes list them, those with `after` moved to their place."""
    ordered: list[Field] = []
    listed: set[str] = set()
    for each in reversed(options.__mro__):
        place = len(ordered)
        for name in inspect.get_annotations(each):
            if name not in found or name in listed:
                continue
            listed.add(name)
            field = found[name]
            place = place_after(ordered, field, place)
            ordered.insert(place, field)
            place += 1
    return ordered


def place_after(ordered: list[Field], field: Field, place: int) -> int:
    """Where a field goes in a list of fields: behind that which it names, else at `place`."""
    after = field.flag.after
    if after is None:
        return place
    if after == START:
        return 0
    return next(index for index, each in enumerate(ordered) if each.name == after) + 1


def flag_of(hint: Any) -> Flag | None:
    """The flag that a type is annotated with."""
    if typing.get_origin(hint) is not typing.Annotated:
        return None
    return next((each for each in hint.__metadata__ if isinstance(each, Flag)), None)


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default


def _plain_type(hint: Any) -> tuple[Any, tuple[str, ...]]:
    """The type without annotations, with `str` for words, and the words."""
    while typing.get_origin(hint) is typing.Annotated:
        hint = hint.__origin__
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return str, args
    if origin in (typing.Union, types.UnionType):
        plain = [_plain_type(each) for each in args]
        words = next((found for _, found in plain if found), ())
        return typing.Union[tuple(each for each, _ in plain)], words  # noqa: UP007
    return hint, ()
