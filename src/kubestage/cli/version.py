"""``kubestage version``."""

from __future__ import annotations

import json
import platform
from typing import Annotated, Final

import typer

import kubestage
from kubestage.cli import completion, screen

KUBERNETES_VERSION: Final = "v1.36"


def version(
    output: Annotated[str, completion.output_option("text", "json")] = "text",
) -> None:
    """Print the versions of kubestage, of the Kubernetes it is exact to, and of Python."""
    completion.check_choice(output, ("text", "json"))
    if output == "json":
        screen.write(json.dumps(_versions(), indent=4) + "\n")
    else:
        screen.write(_text())


def options(
    is_requested: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and exit; `kubestage version` can print JSON.",
            is_eager=True,
            callback=lambda is_requested: _print_and_exit() if is_requested else None,
        ),
    ] = False,
) -> None:
    """The options of `kubestage` itself, before any command."""


def _print_and_exit() -> None:
    screen.write(_text())
    raise typer.Exit


def _versions() -> dict[str, str]:
    return {
        "kubestage": kubestage.__version__,
        "kubernetes": KUBERNETES_VERSION,
        "python": platform.python_version(),
    }


def _text() -> str:
    versions = _versions()
    return (
        f"kubestage {versions['kubestage']}\n"
        f"Kubernetes {versions['kubernetes']} (the version whose rules it follows)\n"
        f"Python {versions['python']}\n"
    )
