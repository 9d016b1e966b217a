"""Shell completion: the scripts, and the words that fit a place."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kubestage.runs import choices

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from typer.models import OptionInfo

SHELLS: Final = ("bash", "zsh", "fish", "powershell")
_VARIABLE: Final = "_KUBESTAGE_COMPLETE"
EPILOG: Final = """
[bold]Examples[/bold]

source <(kubestage completion bash)   [dim]# or put this line into ~/.bashrc[/dim]

kubestage completion zsh > "${fpath[1]}/_kubestage"

kubestage completion fish > ~/.config/fish/completions/kubestage.fish
"""


def one_of(*words: str) -> Callable[[str], list[str]]:
    """A completer for an option that takes one of a few words."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def output_option(*formats: str) -> OptionInfo:
    """The ``-o`` of a command that prints in a few formats."""
    option: OptionInfo = typer.Option(
        "-o",
        "--output",
        metavar="FORMAT",
        help=f"{', '.join(formats[:-1])} or {formats[-1]}.",
        autocompletion=one_of(*formats),
    )
    return option


check_choice = choices.check_choice


def kind_words(incomplete: str) -> list[tuple[str, str]]:
    """Kinds for a place that takes ``pods`` or ``po,svc``: plural and short names."""
    from kubestage.objects import kinds

    before, comma, _ = incomplete.rpartition(",")
    start = before + comma
    words = [(f"{start}all", "everything that runs: pods, services, workloads")]
    for row in kinds.KindTable():
        if row.stored_as is not None:
            continue
        words += [(f"{start}{name}", row.kind) for name in (row.plural, *row.short_names)]
    return [word for word in words if word[0].startswith(incomplete)]


def setting_words(incomplete: str) -> list[tuple[str, str]]:
    """Names for --setting with their defaults; behind the equals sign, the values there may be."""
    from kubestage.controllers.settings import Settings
    from kubestage.runs.inputs import setting_option

    offered = []
    for name, default in setting_option.written(Settings()):
        about = f"default: {default}" if default else "no default"
        if not incomplete.startswith(f"{name}="):
            offered.append((f"{name}=", about))
        elif default in ("true", "false"):
            offered += [(f"{name}={value}", about) for value in ("true", "false")]
        else:
            offered.append((f"{name}={default}", about))
    return [word for word in offered if word[0].startswith(incomplete)]


def format_words(incomplete: str) -> list[str]:
    """The formats of ``kubestage get``."""
    from kubestage.cli import get_format

    templated = (f"{each}=" for each in get_format.TEMPLATED)
    return one_of(*get_format.PLAIN, *templated)(incomplete)


def profile_words(incomplete: str) -> list[str]:
    """The profiles of control planes."""
    from kubestage.runs import shared_flags

    return one_of(*shared_flags.PROFILES)(incomplete)


def load_profile_words(incomplete: str) -> list[str]:
    """The profiles of control planes that a load takes."""
    return [*one_of("auto")(incomplete), *profile_words(incomplete)]


def price_words(incomplete: str) -> list[str]:
    """The price catalogs that come with kubestage."""
    from kubestage.runs.inputs import price_files

    return one_of(*price_files.built_in())(incomplete)


COMPLETERS: Final[Mapping[str, Callable[[str], Sequence[Any]]]] = {
    "get formats": format_words,
    "kinds": kind_words,
    "load profiles": load_profile_words,
    "prices": price_words,
    "profiles": profile_words,
    "settings": setting_words,
}
"""What completes the value of a flag that names one of these, as its `completion`."""


def completion(
    shell: Annotated[
        str,
        typer.Argument(
            metavar="SHELL",
            help="bash, zsh, fish or powershell.",
            autocompletion=one_of(*SHELLS),
        ),
    ],
) -> None:
    """Print the script that teaches a shell to complete commands, kinds and options."""
    from kubestage.cli import app

    check_choice(shell, SHELLS, "shell")
    # Typer answers this variable before it looks at the arguments, and leaves.
    os.environ[_VARIABLE] = f"source_{shell}"
    try:
        app.run([])
    except SystemExit:
        sys.stdout.flush()
    finally:
        del os.environ[_VARIABLE]
