"""The one way to the terminal: no control character of a file or a cluster gets there.

A terminal obeys what it reads. A name that holds ``ESC [ 2 J`` would clear it, others rename its
window or write what looks like our own words; so such characters are shown by their numbers.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

# Control characters but tab and line feed, changes of direction, and halves of characters.
_UNSAFE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_HALVES: Final = re.compile(r"[\ud800-\udfff]")


def safe(text: str) -> str:
    """The text with each unsafe character as JSON writes it, as in ``\\u001b``."""
    return _UNSAFE.sub(_escaped, text)


def write(text: str) -> None:
    """Write a text to stdout."""
    sys.stdout.write(safe(text))


def write_data(text: str) -> None:
    """Write what a program requested to stdout: as it is, unless a person reads it."""
    sys.stdout.write(safe(text) if _is_seen() else _HALVES.sub(_escaped, text))


def write_styled(text: str) -> None:
    """Write a text to stdout that has our own colours in it; its parts were made safe before."""
    sys.stdout.write(text)


def note(text: str) -> None:
    """Write a line to stderr."""
    sys.stderr.write(f"{safe(text)}\n")
    sys.stderr.flush()


def console() -> Console:
    """What draws on stderr; texts are made safe on their way, and have no markup."""
    from rich import console as consoles
    from rich import segment as segments

    class _Console(consoles.Console):
        def render(self, renderable: Any, options: Any = None) -> Iterable[Any]:
            for each in super().render(renderable, options):
                is_text = each.control is None and _UNSAFE.search(each.text) is not None
                yield segments.Segment(safe(each.text), each.style) if is_text else each

    return _Console(stderr=True)


def _is_seen() -> bool:
    return sys.stdout.isatty()


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
