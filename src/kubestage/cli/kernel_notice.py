"""Tells a person why the first large run on a machine begins with a wait."""

from __future__ import annotations

from typing import Any, Final

import typer

from kubestage.scheduler.quick import kernels
from kubestage.traffic.fast import compiling

NOTICE: Final = "Note: compiling the {} kernels, once on this machine; about ten seconds"
SCHEDULER: Final = NOTICE.format("scheduler's")
REQUESTS: Final = NOTICE.format("requests'")


def expect() -> None:
    """Tell of it when it comes to that."""
    kernels.COMPILED.on_load = _tell_scheduler
    compiling.COMPILED.on_load = _tell_requests


def _tell_scheduler(module: Any) -> None:
    from kubestage.scheduler.quick.compiling import is_kept

    if not is_kept(module.place_all):
        typer.echo(SCHEDULER, err=True)


def _tell_requests(module: Any) -> None:
    if not module.is_kept():
        typer.echo(REQUESTS, err=True)
