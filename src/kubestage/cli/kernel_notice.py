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


def _tell(module: Any) -> None:
    kept = pathlib.Path(module.place_all.stats.cache_path)
    if not any(kept.glob("compiled.place_all-*.nbi")):
        typer.echo(NOTICE, err=True)
