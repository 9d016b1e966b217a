"""What a parameter changes: a field of objects, of the configuration, an option, or a setting.

A change is found from the parameter's path alone, so a worker finds the same as the driver.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from kubestage.errors import InputError
from kubestage.objects import kinds
from kubestage.runs.inputs import edits, field_paths
from kubestage.runs.inputs.edits import ObjectTarget
from kubestage.runs.load.vary import Vary  # noqa: TC001 - msgspec reads it
from kubestage.sweep.commands import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.kinds import KindTable
    from kubestage.runs.flags import Options
    from kubestage.sweep.commands.command import Command
    from kubestage.sweep.rows import Scalar

_SETTING: Final = "setting."
_CONFIG: Final = "config:"
_SEED: Final = "seed"
# The option by which a command names the scheduler's configuration.
_CONFIG_FIELDS: Final = ("config", "scheduler_config")
_DISTRIBUTION: Final = "DISTRIBUTION"


class Changed(msgspec.Struct):
    """One run while its parameters are applied."""

    options: Options
    objects: list[edits.ObjectEdit] = msgspec.field(default_factory=list)
    config: list[edits.ConfigEdit] = msgspec.field(default_factory=list)
    numbers: list[tuple[Vary, float]] = msgspec.field(default_factory=list)


class Change(Protocol):
    """What a parameter changes."""

    @property
    def are_texts(self) -> bool:
        """Whether values are texts as they are written."""

    def typed(self, value: Scalar) -> Scalar:
        """A value as it is used; InputError if it cannot be."""

    def apply(self, run: Changed, value: Scalar) -> None:
        """Change a run."""


class ObjectChange(msgspec.Struct, frozen=True):
    """A field of objects."""

    target: ObjectTarget
    parts: tuple[str | int, ...]
    are_texts: bool = False

    def typed(self, value: Scalar) -> Scalar:
        """As it is: which values fit depends on the objects."""
        return value

    def apply(self, run: Changed, value: Scalar) -> None:
        """Set the field."""
        run.objects.append(edits.ObjectEdit(self.target, self.parts, value))


class ConfigChange(msgspec.Struct, frozen=True):
    """A field of the scheduler's configuration."""

    parts: tuple[str | int, ...]
    are_texts: bool = False

    def typed(self, value: Scalar) -> Scalar:
        """As it is: the configuration is checked as a whole."""
        return value

    def apply(self, run: Changed, value: Scalar) -> None:
        """Set the field."""
        run.config.append(edits.ConfigEdit(self.parts, value))


class OptionChange(msgspec.Struct, frozen=True):
    """An option of the command."""

    flag: str
    field: str
    type: Any
    is_many: bool
    are_texts: bool

    def typed(self, value: Scalar) -> Scalar:
        """As the type of the option."""
        if value is None or self.is_many:
            return None if value is None else str(value)
        found: Scalar = words.converted(
            value if isinstance(value, bool) else str(value), self.type, f"--{self.flag}"
        )
        return found

    def apply(self, run: Changed, value: Scalar) -> None:
        """Set the option; of one that may be repeated, to this alone."""
        new = ((value,) if value is not None else ()) if self.is_many else value
        run.options = msgspec.structs.replace(run.options, **{self.field: new})


class SettingChange(msgspec.Struct, frozen=True):
    """A setting of a controller or autoscaler."""

    name: str
    are_texts: bool = False

    def typed(self, value: Scalar) -> Scalar:
        """As a text: it is read with the others."""
        return str(value).lower() if isinstance(value, bool) else str(value)

    def apply(self, run: Changed, value: Scalar) -> None:
        """Set it behind those that are set already: the last one counts."""
        options: Any = run.options
        settings = (*options.settings, f"{self.name}={value}")
        run.options = msgspec.structs.replace(options, settings=settings)


class NumberChange(msgspec.Struct, frozen=True):
    """A parameter of templates, or a number of a load's configuration."""

    vary: Vary
    are_texts: bool = False

    def typed(self, value: Scalar) -> Scalar:
        """A number, unless it is a parameter of templates."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is None or not (is_number or self.vary.is_parameter):
            problem = f"{self.vary.path}: {value} is no number"
            raise InputError(problem, path="--vary", fix="write numbers")
        return value

    def apply(self, run: Changed, value: Scalar) -> None:
        """Set it."""
        options: Any = run.options
        if self.vary.is_parameter:
            assert value is not None
            run.options = self.vary.chosen(options, value)
        else:
            assert isinstance(value, int | float)
            run.numbers.append((self.vary, value))


def find(path: str, command: Command, tables: Sequence[KindTable]) -> Change:
    """What a path is about; InputError with the likely one if it is about nothing.

    `tables` have the kinds of the inputs.
    """
    if path.startswith(_CONFIG):
        if not any(hasattr(command.options, each) for each in _CONFIG_FIELDS):
            raise InputError(f"`{command.NAME}` has no scheduler", path=path)
        return ConfigChange(field_paths.parse(path.removeprefix(_CONFIG)))
    if path.startswith(_SETTING):
        if not hasattr(command.options, "settings"):
            raise InputError(f"`{command.NAME}` has no --setting", path=path)
        return SettingChange(path.removeprefix(_SETTING))
    kind, slash, rest = path.partition("/")
    if slash and ":" in rest:
        return _object(path, kind, rest, tables)
    option = _option(path, command)
    if option is not None:
        return option
    number = command.vary(path) if "." in path else None
    if number is not None:
        return NumberChange(number)
    raise _unknown(path, command)


def _object(path: str, kind: str, rest: str, tables: Sequence[KindTable]) -> ObjectChange:
    name, _, field = rest.partition(":")
    namespace = None
    if ":" in field.partition("[")[0]:
        namespace, _, field = field.partition(":")
    names = _kinds(kind, tables)
    if len(names) != 1:
        raise InputError(f'"{kind}" is not one kind', path=path, fix="write deploy/web:spec.x")
    return ObjectChange(ObjectTarget(names.pop(), name, namespace), field_paths.parse(field))


def _kinds(name: str, tables: Sequence[KindTable]) -> set[str]:
    problem = None
    for table in tables or [kinds.KindTable()]:
        try:
            return {each.kind for each in table.find(name)}
        except InputError as error:
            problem = error
    assert problem is not None
    raise problem


def _option(path: str, command: Command) -> OptionChange | None:
    options = type(command.options)
    flag = "scheduler-config" if path == "config" and not hasattr(options, "config") else path
    field = words.field_of(options, flag)
    if field is None:
        return None
    if field.name == _SEED:
        raise InputError("seeds are no parameter", path=path, fix="write --seeds 1..50")
    if field.name in command.OUTPUTS:
        raise InputError("is about a single run", path=path, fix="leave it out")
    texts = field.flag.metavar == _DISTRIBUTION or field.is_many
    item = str if field.is_many else field.type
    return OptionChange(flag, field.name, item, field.is_many, texts)


def _unknown(path: str, command: Command) -> InputError:
    known = [each for each in words.flag_names(type(command.options)) if each != _SEED]
    near = difflib.get_close_matches(path, known, n=1)
    shapes = "KIND/NAME:FIELD, config:FIELD, setting.NAME, or an option of the command"
    fix = f"did you mean {near[0]}?" if near else f"write {shapes}"
    return InputError(f'there is no parameter "{path}"', path="--vary", fix=fix)
