"""Marks on the line of time of a cluster: failures, rescales, preemptions, and what clients did."""

from __future__ import annotations

import bisect
import operator
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.results.history.mark_rules import MarkRules, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.history.cluster_history import ClusterHistory, HistoryNote
    from kubestage.results.history.mark_rules import Found

_RANKS: Final = ("info", "warning", "bad")
_PIECE: Final = 32
_at: Final = operator.attrgetter("unix_ns")
_number: Final = operator.attrgetter("number")


class HistoryMark(msgspec.Struct):
    """All that happened of one kind at one moment."""

    unix_ns: int
    kind: str
    subject: str
    text: str
    severity: Severity
    count: int = 1
    things: dict[str, int] = {}
    """How many of what: of several, that is their text."""


class MarkPart(NamedTuple):
    """Marks, and notes that become marks; another thread may merge them."""

    marks: list[HistoryMark]
    notes: list[HistoryNote]

    def merged(self) -> list[HistoryMark]:
        """All of them as marks, in order."""
        found = {(each.unix_ns, each.kind): each for each in self.marks}
        for note in self.notes:
            key = note.unix_ns, note.kind
            found[key] = _with_note(found.get(key), note)
        return sorted(found.values(), key=_at)


class HistoryMarks:
    """The marks of a history; `catch_up` reads what has happened since it was last called.

    A mark may grow as long as its moment lasts: the same mark, by time and kind, then comes again
    with a larger count.
    """

    def __init__(self, history: ClusterHistory) -> None:
        self._history = history
        self.end = -1
        self._clear()

    def _clear(self) -> None:
        self._rules = MarkRules()
        self._marks: list[HistoryMark] = []
        # Those of the newest moment, by kind.
        self._open: dict[str, HistoryMark] = {}

    def catch_up(self) -> Iterator[None]:
        """Read all changes up to now, a few at a time; changes may go on meanwhile."""
        history = self._history
        while self.end != history.end:
            if not history.forgotten <= self.end <= history.end:
                self._clear()
                self.end = history.forgotten
            for unix_ns, change in history.since(self.end):
                for found in self._rules.of(change):
                    self._add(unix_ns, found)
                self.end += 1
                if self.end % _PIECE == 0:
                    yield
        del self._marks[: bisect.bisect_left(self._marks, history.begin_ns, key=_at)]

    def since(self, after: int | None = None) -> MarkPart:
        """The marks that are known by now: all, or from the moment of a number on."""
        begin_ns = self._history.begin_ns if after is None else self._moment_of(after)
        marks, notes = self._marks, self._history.notes
        return MarkPart(
            marks[bisect.bisect_left(marks, begin_ns, key=_at) :],
            notes[bisect.bisect_left(notes, begin_ns, key=_at) :],
        )

    def _moment_of(self, number: int) -> int:
        """When the first change or note of a number, or of a later one, happened."""
        history = self._history
        at = number - history.forgotten
        change_ns = history.times[at] if at < len(history.times) else history.end_ns
        note = bisect.bisect_left(history.notes, number, key=_number)
        note_ns = history.notes[note].unix_ns if note < len(history.notes) else change_ns
        return min(change_ns, note_ns)

    def _add(self, unix_ns: int, found: Found) -> None:
        mark = self._open.get(found.kind)
        if mark is None or mark.unix_ns != unix_ns:
            mark = HistoryMark(
                unix_ns, found.kind, found.subject, found.text, found.severity,
                things={found.things: 1},
            )  # fmt: skip
            self._open[found.kind] = mark
            self._marks.append(mark)
            return
        mark.count += 1
        mark.things[found.things] = mark.things.get(found.things, 0) + 1
        mark.text = ", ".join(f"{count} {name}" for name, count in mark.things.items())
        mark.severity = max(mark.severity, found.severity, key=_RANKS.index)


def _with_note(mark: HistoryMark | None, note: HistoryNote) -> HistoryMark:
    more = note.count - len(note.texts)
    text = "; ".join(note.texts) + (f"; {more} more" if more else "")
    if mark is None:
        return HistoryMark(note.unix_ns, note.kind, note.subject, text, "info", note.count)
    count = mark.count + note.count
    return msgspec.structs.replace(mark, text=f"{mark.text}; {text}", count=count)
