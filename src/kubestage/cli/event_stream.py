"""Events as they happen, each with the virtual time since the beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import life_report, screen
from kubestage.store.log import DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.stage import Stage
    from kubestage.store.log import Change

_WIDTHS: Final = (15, 8, 24, 40)
_HEADINGS: Final = ("TIME", "TYPE", "REASON", "OBJECT", "MESSAGE")


class EventStream:
    """Prints each Event each time it happens, or collects them as data."""

    def __init__(self, *, prints: bool) -> None:
        self._prints = prints
        self.events: list[dict[str, Any]] = []
        if prints:
            _write(_HEADINGS)

    def __call__(self, stage: Stage, change: Change) -> None:
        """Take a change of an Event."""
        if change.type == DELETED:
            return
        event = change.new
        about = event["involvedObject"]
        place = f"{about['namespace']}/" if about.get("namespace") else ""
        row = {
            "seconds": _rounded(stage.clock.now_ns) / SECOND_NS,
            "type": event["type"],
            "reason": event["reason"],
            "object": f"{about['kind'].lower()}/{place}{about['name']}",
            "message": event["message"],
        }
        if self._prints:
            offset = life_report.in_days(_rounded(stage.clock.now_ns))
            _write((offset, *(str(part) for part in list(row.values())[1:])))
        else:
            self.events.append(row)


def _rounded(now_ns: int) -> int:
    """To milliseconds: what is finer says nothing to a person."""
    return now_ns // 1_000_000 * 1_000_000


def _write(cells: tuple[str, ...]) -> None:
    shown = [cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=False)]
    screen.write(f"{' '.join([*shown, cells[-1]])}\n")
