"""Tells a person why the first large run on a machine begins with a wait."""

from __future__ import annotations

import pathlib
from typing import Any, Final

import typer

from kubestage.scheduler.quick import kernels

NOTICE: Final = "Note: compiling the scheduler's kernels, once on this machine; about ten seconds"


def expect() -> None:
    """Tell of it when it comes to that."""
    kernels.COMPILED.on_load = _tell


def are_kept(kernel: Any) -> bool:
    """Whether a kernel is on disk, in whichever version."""
    return any(pathlib.Path(kernel.stats.cache_path).glob("compiled.place_all-*.nbi"))


def _tell(module: Any) -> None:
    if not are_kept(module.place_all):
        typer.echo(NOTICE, err=True)
