"""``kubestage examples``: what to begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kubestage.cli import help_page, screen
from kubestage.errors import InputError
from kubestage.wording import plural

if TYPE_CHECKING:
    from kubestage.runs.example_files import Example

EPILOG: Final = """
[bold]Examples[/bold]

kubestage examples                           [dim]# all, with what they show[/dim]

kubestage examples show 19                   [dim]# what it is about[/dim]

kubestage examples 19 --out demo             [dim]# a copy of it in demo[/dim]

kubestage examples --out examples            [dim]# copies of all of them[/dim]

kubestage examples copy 19                   [dim]# into a directory of that name[/dim]

An example is named by its number, its name, or a part of it that no other has.
"""


def _names() -> list[str]:
    from kubestage.runs import example_files

    return [each.name for each in example_files.all_examples()]


Named = Annotated[
    str,
    typer.Argument(
        metavar="EXAMPLE",
        help="A number or a name, as in 19 or 19-hpa-step-load.",
        autocompletion=_names,
        show_default=False,
    ),
]


class _Group(help_page.Group):
    """An example may be named without a verb: it is shown, or copied to the directory of --out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put in the verb that is meant."""
        words = list(args)
        verb = next((each for each in words if not each.startswith("-")), None)
        is_option = words and words[0].startswith(("-h", "--h"))
        if words and not is_option and verb not in self.commands:
            words.insert(0, "copy" if _has_out(words) else "show")
        return super().parse_args(ctx, words)


def _has_out(words: list[str]) -> bool:
    return any(each.partition("=")[0] in ("--out", "-o") for each in words)


application = typer.Typer(
    name="examples",
    cls=_Group,
    help="List the examples, show one, or copy one to work with.",
    epilog=EPILOG,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)


@application.callback()
def examples(context: typer.Context) -> int:
    """List the examples, show one, or copy one to work with: [NAME] [--out DIR]."""
    if context.invoked_subcommand is None:
        return list_all()
    return 0


@application.command("list")
def list_all() -> int:
    """List the examples."""
    from kubestage.objects.tables import text
    from kubestage.runs import example_files

    found = example_files.all_examples()
    rows = [("NAME", "WHAT IT SHOWS"), *((each.name, each.title) for each in found)]
    lines = [line.rstrip() for line in text.align(rows)]
    lines += ["", "kubestage examples NAME --out DIR gets you one to work with."]
    screen.write("".join(f"{line}\n" for line in lines))
    return 0


@application.command()
def show(name: Named) -> int:
    """Show what an example is about, and how it is run."""
    from kubestage.runs import example_files

    example = example_files.find(name)
    lines = [example.readme.rstrip(), "", f"Files: {', '.join(example.files)}"]
    screen.write("\n".join([*lines, *_next(example, None)]) + "\n")
    return 0


@application.command()
def copy(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[EXAMPLE]",
            help="A number or a name; with --out, all of them if none is named.",
            autocompletion=_names,
            show_default=False,
        ),
    ] = None,
    directory: Annotated[
        str | None,
        typer.Argument(
            metavar="[DIR]",
            help="Where to; a directory of its name if none is given.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="DIR", help="Where to.", show_default=False)
    ] = None,
) -> int:
    """Copy an example into a directory of yours, or all of them."""
    from kubestage.runs import example_files

    if directory is not None and out is not None:
        raise InputError("two directories are named", path="--out", fix="leave out one of them")
    target_name = out if directory is None else directory
    if name is None:
        if target_name is None:
            fix = "name one, or copy all: kubestage examples --out DIR"
            raise InputError("no example is named", fix=fix)
        copied = example_files.copy_all(target_name)
        screen.write(f"Copied {plural(len(copied), 'example')} to {target_name}.\n")
        return 0
    example = example_files.find(name)
    target = example_files.copy(example, target_name)
    lines = [f"Copied {example.name} to {target}.", *_next(example, str(target))]
    screen.write("\n".join(lines) + "\n")
    return 0


def _next(example: Example, target: str | None) -> list[str]:
    """What to type now."""
    if not example.is_portable:
        return ["It needs the repository around it: run it in a checkout."]
    first = [f"kubestage examples copy {example.name}"] if target is None else []
    commands = [*first, f"cd {target or example.name}", *example.commands]
    return ["Try it:", *(f"  {each}" for each in commands)]
