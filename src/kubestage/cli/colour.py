"""Results in colour where a person reads them on a terminal; plain text everywhere else.

NO_COLOR and TERM=dumb are honoured, and so is FORCE_COLOR.
"""

from __future__ import annotations

import os
import sys
from typing import Final

from kubestage.cli import screen

# Words that state a result, wherever they stand in a table or a sentence.
_STYLES: Final = {
    r"\b(Pending|Failed|Unschedulable|CrashLoopBackOff|NotReady)\b": "red",
    r"(?m)\b[1-9][\d,]* (pending|failed)\b": "red",
    r"(?m)^(Attention|Without a node).*$": "bold red",
    r"\b(Gated|Preempted|Paused|Terminating)\b": "yellow",
    r"\b[1-9][\d,]* (gated|preempted)\b": "yellow",
    r"\b(Scheduled|Succeeded|Running|Complete|Ready)\b": "green",
    r"(?m)^(?=[A-Z]{3})[A-Z][A-Z()%/.-]*( {1,}[A-Z()%/.-]+)*$": "bold",
}


def write(text: str) -> None:
    """Write a result to stdout."""
    screen.write_styled(painted(text))


def painted(text: str) -> str:
    """The text, made safe, with colours if stdout is a terminal that shows them."""
    text = screen.safe(text)
    if not _is_enabled():
        return text
    from rich import console
    from rich import text as texts

    drawing = console.Console(force_terminal=True, highlight=False)
    if drawing.no_color or drawing.color_system is None:
        return text
    coloured = texts.Text(text)
    for pattern, style in _STYLES.items():
        coloured.highlight_regex(pattern, style)
    with drawing.capture() as captured:
        drawing.print(coloured, end="", soft_wrap=True)
    return captured.get()


def _is_enabled() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()
