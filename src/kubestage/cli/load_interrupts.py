"""Ctrl-C during a load: once to end it cleanly, twice to leave at once."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING, Any, Final

import msgspec
import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.load.call_log import CallLog

_FIRST: Final = "Interrupted: cleaning up. Press Ctrl-C again to leave at once."
_SHOWN: Final = 20


_HEARD: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Whether somebody pressed Ctrl-C; `tell` is called the first time."""

    def __init__(self) -> None:
        self.is_pressed = False
        self._told: Callable[[], None] | None = None

    @contextlib.contextmanager
    def heard(self) -> Iterator[Interrupts]:
        """Listen to Ctrl-C, to a polite request to end, and to a terminal that is gone.

        What is ignored already, as by nohup, stays so.
        """
        before = {each: signal.getsignal(each) for each in _HEARD}
        before = {each: known for each, known in before.items() if known is not signal.SIG_IGN}
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
        with contextlib.suppress(OSError):
            typer.echo(_FIRST, err=True)
        self._told()


class Left(msgspec.Struct, frozen=True):
    """What a load leaves: `behind` for somebody to delete, `going` for the cluster to."""

    behind: list[str]
    going: list[str]


def left(calls: CallLog) -> Left:
    """What a load made and did not see gone, as far as the calls that were answered tell.

    Objects in namespaces that the load made go with them, and are not told one by one.
    """
    there: dict[tuple[str, str, str], None] = {}
    going: dict[str, None] = {}
    own: set[str] = set()
    rows = zip(calls.verbs, calls.kinds, calls.namespaces, calls.names, calls.codes, strict=True)
    for verb, kind, namespace, name, code in rows:
        if verb == "create" and code < 400:
            there[kind, namespace, name] = None
            if kind == "Namespace":
                own.add(name)
        elif verb == "delete" and (code < 400 or code == 404):
            there.pop((kind, namespace, name), None)
            if kind == "Namespace" and code != 404:
                going[f"namespace/{name}"] = None
    behind = [
        f"{kind.lower()}/{name}" + (f" in {namespace}" if namespace else "")
        for kind, namespace, name in there
        if namespace not in own
    ]
    return Left(behind, list(going))


def tell_left(calls: CallLog) -> None:
    """Say what is left, on stderr."""
    found = left(calls)
    _tell("Left behind:", found.behind)
    _tell("Being deleted by the cluster:", found.going)
    if not found.behind and not found.going:
        typer.echo("Nothing is known to be left behind.", err=True)


def _tell(head: str, names: list[str]) -> None:
    for line in [head, *(f"  {each}" for each in names[:_SHOWN])] if names else ():
        typer.echo(line, err=True)
    if len(names) > _SHOWN:
        typer.echo(f"  and {len(names) - _SHOWN:,} more", err=True)
