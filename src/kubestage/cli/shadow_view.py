"""What ``kubestage shadow`` shows: hit rates while it runs, misses, answers, a table at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import msgspec

from kubestage.cli import screen
from kubestage.cli.status_line import FollowingObserver
from kubestage.objects.tables import text as tables

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.runs.shadowing.result import ShadowResult, ShadowStatus

_SHOWN: Final = 5


class ShadowObserver(FollowingObserver):
    """Prints misses and answers, and shows hit rates."""

    FINISHING: ClassVar[str] = "Ctrl-C: the summary follows. Press it again to exit at once."

    def __init__(self, *, shows_all: bool = True) -> None:
        super().__init__()
        self._shows_all = shows_all

    def on_report(self, report: Json) -> None:
        """Print a miss, or the answer to a question."""
        line = _line(report)
        if line and self._shows_all:
            screen.note(line)

    def on_shadow(self, status: ShadowStatus) -> None:
        """Show the hit rates."""
        self.show(status)


def _line(report: Json) -> str:
    kind = report["type"]
    if kind == "answer":
        return f"{report['question']}: {report.get('answer') or report['error']}"
    if report.get("wasHit") is False and report["hit"]:
        return f"no miss after all: {report['pod']} went to {report['node']}"
    if kind not in ("placement", "step", "arrival") or report["hit"] is not False:
        return ""
    if kind == "placement":
        named = _named(report["predicted"], report["predictedCount"]) or "no node"
        return f"miss: {report['pod']} went to {report['node']}, predicted {named}: {report['why']}"
    if kind == "step":
        change = f"from {report['from']} to {report['to']}"
        return (
            f"miss: HPA {report['hpa']} {change}, predicted {report['predicted']}: {report['why']}"
        )
    return f"miss: node {report['node']} of pool {report['pool'] or '?'} came: {report['why']}"


def _named(names: list[str], count: int) -> str:
    shown = ", ".join(names[:_SHOWN])
    return f"{shown} and {count - _SHOWN} more" if count > _SHOWN else shown


def text(result: ShadowResult) -> str:
    """The table of hit rates, and what could not be predicted."""
    table = result.table()
    rows = [[str(cell) for cell in row] for row in table.rows if row[1]]
    lines = [result.headline()]
    if rows:
        head = ["PREDICTED", "COUNT", "HITS", "SHARE"]
        lines += ["", *(line.rstrip() for line in tables.align([head, *rows]))]
    counts = result.status.placements
    if counts.unseen or counts.others:
        lines.append(
            f"not predicted: {counts.unseen} pods that had a node when they were first seen, "
            f"{counts.others} placed by others"
        )
    lines += [f"note: {note}" for note in result.notes]
    return "\n".join([*lines, ""])


def document(result: ShadowResult) -> Json:
    """The same as data."""
    found: Json = msgspec.to_builtins(result)
    return found
