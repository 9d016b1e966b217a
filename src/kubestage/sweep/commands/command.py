"""What a sweep expects of a command, and the one that words name."""

from __future__ import annotations

import difflib
import importlib
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

import msgspec

from kubestage.errors import InputError
from kubestage.runs.flags import Options  # noqa: TC001 - msgspec reads it
from kubestage.sweep.rows import MeasureInfo, Number  # noqa: TC001 - msgspec reads them

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.load.vary import Vary

_COMMANDS: Final = {
    "run": ("running", "RunCommand"),
    "load": ("loading", "LoadCommand"),
    "rehearse": ("rehearsing", "RehearseCommand"),
    "backtest": ("backtesting", "BacktestCommand"),
    "replay": ("replaying", "ReplayCommand"),
}
NAMES: Final = tuple(_COMMANDS)


class Draft(msgspec.Struct, frozen=True):
    """The options of one run, and the numbers of a load's configuration that it changes."""

    options: Options
    changes: tuple[tuple[Vary, float], ...] = ()


class Measured(msgspec.Struct, frozen=True):
    """The figures of a run; or why it failed."""

    values: dict[str, Number | None]
    infos: tuple[MeasureInfo, ...] = ()
    error: str | None = None


class Command(Protocol):
    """A command with its arguments; it pickles."""

    NAME: ClassVar[str]
    OUTPUTS: ClassVar[frozenset[str]]
    """Options that write files or reports of a single run: a sweep refuses them."""

    @property
    def options(self) -> Any:
        """The options of each run that no parameter changes."""

    def words(self) -> list[str]:
        """The command as it is typed."""

    def vary(self, path: str) -> Vary | None:
        """A number of its own configuration by its path; None if it is not such a path."""

    def check(self, draft: Draft) -> None:
        """Read and check all inputs; InputError if one is bad."""

    def measure(self, draft: Draft) -> Measured:
        """Run it."""


def read(words: Sequence[str]) -> Command:
    """The command that these words are; InputError if they are none."""
    if not words:
        raise InputError("no command is named", fix=f"name one of {', '.join(NAMES)}")
    name, *rest = words
    if name not in _COMMANDS:
        near = difflib.get_close_matches(name, NAMES, n=1)
        fix = f"did you mean {near[0]}?" if near else f"use one of {', '.join(NAMES)}"
        raise InputError(f'"{name}" cannot be swept', fix=fix)
    module, title = _COMMANDS[name]
    found = getattr(importlib.import_module(f"kubestage.sweep.commands.{module}"), title)
    command: Command = found.parse(rest)
    refused = next((each for each in sorted(command.OUTPUTS) if _is_set(command.options, each)), "")
    if refused:
        flag = f"--{refused.replace('_', '-')}"
        fix = "leave it out; a sweep keeps its rows with --out"
        raise InputError("is about a single run", path=flag, fix=fix)
    return command


def _is_set(options: Options, name: str) -> bool:
    default = next(each.default for each in msgspec.structs.fields(options) if each.name == name)
    return bool(getattr(options, name) != default)
