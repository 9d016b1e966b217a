"""Ctrl-C during a load: once to end it cleanly, twice to leave at once."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.load.call_log import CallLog

_FIRST: Final = "Interrupted: cleaning up. Press Ctrl-C again to leave at once."
_SHOWN: Final = 20


class Interrupts:
    """Whether somebody pressed Ctrl-C; `tell` is called the first time."""

    def __init__(self) -> None:
        self.is_pressed = False
        self._told: Callable[[], None] | None = None

    @contextlib.contextmanager
    def heard(self) -> Iterator[Interrupts]:
        """Listen to Ctrl-C, and to a polite request to end."""
        before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
        for each in before:
            signal.signal(each, self._pressed)
        try:
            yield self
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    @contextlib.contextmanager
    def telling(self, told: Callable[[], None]) -> Iterator[None]:
        """Have somebody told while a run is under way."""
        self._told = told
        try:
            yield
        finally:
            self._told = None

    def _pressed(self, *_: Any) -> None:
        if self.is_pressed or self._told is None:
            raise KeyboardInterrupt
        self.is_pressed = True
        typer.echo(_FIRST, err=True)
        self._told()


def left_behind(calls: CallLog) -> list[str]:
    """What a load made and nobody has deleted yet, as far as the calls that were answered tell.

    Objects in namespaces that the load made go with them, and are not told one by one.
    """
    there: dict[tuple[str, str, str], None] = {}
    rows = zip(calls.verbs, calls.kinds, calls.namespaces, calls.names, calls.codes, strict=True)
    for verb, kind, namespace, name, code in rows:
        if verb == "create" and code < 400:
            there[kind, namespace, name] = None
        elif verb == "delete" and (code < 400 or code == 404):
            there.pop((kind, namespace, name), None)
    own = {name for kind, _, name in there if kind == "Namespace"}
    return [
        f"{kind.lower()}/{name}" + (f" in {namespace}" if namespace else "")
        for kind, namespace, name in there
        if namespace not in own
    ]


def tell_left_behind(calls: CallLog) -> None:
    """Say what is left, on stderr."""
    left = left_behind(calls)
    if not left:
        typer.echo("Nothing is left behind.", err=True)
        return
    typer.echo("Left behind:", err=True)
    for each in left[:_SHOWN]:
        typer.echo(f"  {each}", err=True)
    if len(left) > _SHOWN:
        typer.echo(f"  and {len(left) - _SHOWN:,} more", err=True)
