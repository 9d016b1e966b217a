"""``--help``: options and what they do in two columns that fit a terminal of 80.

A long option has a line of its own, so that no name is cut and every description has room.
Lists (lines that begin with two spaces) stay as they are written. Commands among the examples are
never wrapped: a comment moves above a command that is too long
with it, and a command that is too long alone goes on behind a backslash.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any, Final

import typer
from typer import core, models

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console
    from rich.table import Table

Rows = list[tuple[str, str]]

_TERM: Final = 24
_WIDEST: Final = 120
_INDENT: Final = "    "
_TAG: Final = re.compile(r"\[/?(?:bold|dim)\]")
_COMMAND: Final = re.compile(r"(?:[A-Z_0-9]+=\S+ )?(?:kubestage|kubectl|helm|source|export) ")
_PROSE: Final = re.compile(r"[a-z)] [a-z]+ [a-z]+ [a-z]+ ")
_COMMENT: Final = re.compile(r"\s*\[dim\](# .*)\[/dim\]")
_LIST: Final = re.compile(r"(?:  \S.*\n?)+")
_HEADING: Final = re.compile(r"\[bold\][^\[]*\[/bold\]")
# Where a command may be broken: before an option or a pipe.
_BREAK: Final = re.compile(r" (?=--|-[a-zA-Z] |\| )")


class Command(core.TyperCommand):
    """A command whose help is a page of this kind.

    The text below the options may be a function that is called when the page is printed.
    """

    _epilog: str | Callable[[], str] | None

    @property
    def epilog(self) -> str | None:
        """The text below the options."""
        return self._epilog() if callable(self._epilog) else self._epilog

    @epilog.setter
    def epilog(self, text: str | Callable[[], str] | None) -> None:
        self._epilog = text

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print the page."""
        _print(self, ctx)


class Group(core.TyperGroup):
    """A group of commands whose help is a page of this kind."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Print the page."""
        _print(self, ctx)


class Application(typer.Typer):
    """Commands that all have such a page, those of applications that are added included."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"cls": Group, "rich_markup_mode": "rich", **options})

    def command(self, name: str | None = None, **options: Any) -> Callable[[Any], Any]:
        """Register a command."""
        return super().command(name, **{"cls": Command, **options})

    def add_typer(self, typer_instance: typer.Typer, **options: Any) -> None:
        """Add the commands of another application."""
        _with_pages(typer_instance)
        super().add_typer(typer_instance, **options)


def command(
    name: str,
    function: Callable[..., Any],
    epilog: str | Callable[[], str] | None = None,
    settings: dict[str, Any] | None = None,
) -> Any:
    """A command with such a page; `settings` are those of its context."""
    info = models.CommandInfo(name=name, cls=Command, callback=function, context_settings=settings)
    built: Any = typer.main.get_command_from_info(
        info, pretty_exceptions_short=True, rich_markup_mode="rich"
    )
    built.epilog = epilog
    return built


def group(application: typer.Typer) -> Any:
    """The commands of an application, all with such a page."""
    _with_pages(application)
    return typer.main.get_group(application)


def _with_pages(application: typer.Typer) -> None:
    for each in application.registered_commands:
        each.cls = Command if each.cls in (None, core.TyperCommand) else each.cls
    info = application.info
    is_group = isinstance(info.cls, type) and issubclass(info.cls, Group)
    info.cls = info.cls if is_group else Group


def _print(command: Any, context: Any) -> None:
    from rich import console, text

    screen = console.Console(highlight=False)
    if screen.width > _WIDEST:
        screen.width = _WIDEST
    screen.print(f"\n {_plain(command.get_usage(context))}\n", markup=False)
    if command.help:
        for line in textwrap.wrap(_plain(command.help), screen.width - 2):
            screen.print(f" {line}", markup=False)
        screen.print()
    for title, rows in _panels(command, context):
        _print_panel(screen, title, rows)
    for line, style in _epilog(command.epilog or "", screen.width - 2):
        shown = text.Text(f" {line}".rstrip(), style="" if style == "example" else style)
        if style == "example":
            shown.highlight_regex(r"(^| )# .*", "dim")
        screen.print(shown)
    screen.print()


def _plain(text: str) -> str:
    return " ".join(_TAG.sub("", text).split())


def _panels(command: Any, context: Any) -> Iterator[tuple[str, Rows]]:
    """Arguments, then options, then commands, each under the heading that it was given."""
    found: dict[str, Rows] = {"Arguments": [], "Options": []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None:
            continue
        is_argument = isinstance(parameter, core.TyperArgument)
        default = "Arguments" if is_argument else "Options"
        title = getattr(parameter, "rich_help_panel", None) or default
        term = (parameter.metavar or record[0]) if is_argument else record[0]
        found.setdefault(title, []).append((term, _plain(record[1].replace("\\[", "["))))
    if isinstance(command, core.TyperGroup):
        for name in command.list_commands(context):
            each = command.get_command(context, name)
            if each is not None and not each.hidden:
                title = getattr(each, "rich_help_panel", None) or "Commands"
                summary = _plain((each.short_help or each.help or "").partition("\n\n")[0])
                found.setdefault(title, []).append((name, summary))
    return ((title, rows) for title, rows in found.items() if rows)


def _print_panel(screen: Console, title: str, rows: Rows) -> None:
    from rich import panel, table, text

    width = screen.width - 4
    term = min(_TERM, max(len(each) for each, _ in rows))
    grid: Table = table.Table.grid(padding=0)
    grid.add_column(width=width)
    for name, description in rows:
        lines = textwrap.wrap(description, width - term - 2, break_on_hyphens=False)
        head = name.ljust(term + 2) + (lines.pop(0) if lines and len(name) <= term else "")
        line = text.Text(head.rstrip())
        line.stylize("bold cyan", 0, len(name))
        for each in lines:
            line.append(f"\n{' ' * (term + 2)}{each}")
        grid.add_row(line)
    screen.print(panel.Panel(grid, title=title, title_align="left", border_style="dim"))


def _epilog(epilog: str, width: int) -> Iterator[tuple[str, str]]:
    """Lines, and the style that each is in; prose is filled, examples stay as they are written."""
    was_example = True
    for paragraph in re.split(r"\n(?: *\n)+", epilog.strip("\n")):
        is_heading = _HEADING.fullmatch(paragraph.strip()) is not None
        is_list = _LIST.fullmatch(paragraph) is not None
        is_example = _is_command(paragraph)
        if not ((is_example or is_list) and was_example):
            yield "", ""
        was_example = is_example or is_heading
        if is_heading:
            yield _plain(paragraph), "bold"
        elif is_list:
            yield from ((line, "") for line in paragraph.splitlines())
        elif is_example:
            yield from _example(" ".join(paragraph.replace("\\\n", " ").split("\n")), width)
        else:
            for line in textwrap.wrap(_plain(paragraph), width, break_on_hyphens=False):
                yield line, ""


def _is_command(paragraph: str) -> bool:
    """A sentence may begin with the name of a program as well."""
    is_sentence = paragraph.rstrip().endswith(".") and _PROSE.search(paragraph) is not None
    return _COMMAND.match(paragraph.strip()) is not None and not is_sentence


def _example(line: str, width: int) -> Iterator[tuple[str, str]]:
    written = _TAG.sub("", line).strip()
    if len(written) <= width:
        yield written, "example"
        return
    comment = _COMMENT.search(line)
    if comment is not None:
        written = _TAG.sub("", line[: comment.start()])
        if len(together := f"{written}  {comment[1]}") <= width:
            yield together, "example"
            return
        yield comment[1], "example"
    for each in _broken(" ".join(written.split()), width):
        yield each, "example"


def _broken(command: str, width: int) -> Iterator[str]:
    """A command in lines that a shell reads as one."""
    line = ""
    for part in _BREAK.split(command):
        if line and len(line) + len(part) + 3 > width:
            yield f"{line} \\"
            line = f"{_INDENT}{part}"
        else:
            line = f"{line} {part}" if line else part
    yield line
