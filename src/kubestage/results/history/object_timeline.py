"""What happened to one node or one workload, in order, and its numbers over time."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.results.history.mark_rules import MarkRules
from kubestage.results.life import disruptions
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.results.history.mark_rules import Severity
    from kubestage.store.log import Change

POD: Final = "pod"
CREATED: Final = "created"
DELETED_ENTRY: Final = "deleted"
EVENT: Final = "event"
_OVER: Final = ("Succeeded", "Failed")
_PIECE: Final = 256


class TimelineEntry(NamedTuple):
    """Something that happened; `kind` is one of a mark, or of a timeline alone."""

    unix_ns: int
    kind: str
    subject: str
    text: str
    severity: Severity


class Series(NamedTuple):
    """A number over time: it keeps each value until the next point."""

    name: str
    points: list[tuple[int, float]]

    def add(self, unix_ns: int, value: float) -> None:
        """Note a value; of several at one moment the last one counts."""
        if self.points and self.points[-1][1] == value:
            return
        if self.points and self.points[-1][0] == unix_ns:
            self.points.pop()
        self.points.append((unix_ns, value))


class ObjectTimeline(abc.ABC):
    """Reads a history for one object; `read` does so a few changes at a time."""

    def __init__(self, history: ClusterHistory) -> None:
        self.entries: list[TimelineEntry] = []
        self.series: list[Series] = []
        self.rules = MarkRules()
        self._history = history

    def read(self) -> Iterator[None]:
        """Read all that the history has."""
        history = self._history
        self.begin(history)
        for at, (unix_ns, change) in enumerate(history.since(history.forgotten)):
            self.take(unix_ns, change)
            if at % _PIECE == 0:
                yield

    @abc.abstractmethod
    def begin(self, history: ClusterHistory) -> None:
        """Take in the first state."""

    @abc.abstractmethod
    def take(self, unix_ns: int, change: Change) -> None:
        """Take in a change."""

    def add(
        self, unix_ns: int, kind: str, subject: str, text: str, severity: Severity = "info"
    ) -> None:
        """Note something that happened."""
        self.entries.append(TimelineEntry(unix_ns, kind, subject, text, severity))

    def add_marks(self, unix_ns: int, change: Change) -> None:
        """Note what a change means by the rules of marks."""
        for found in self.rules.of(change):
            self.add(unix_ns, found.kind, found.subject, found.text, found.severity)

    def add_event(self, unix_ns: int, change: Change, kind: str = EVENT) -> None:
        """Note an Event, each time that its count rises."""
        new, old = change.new, change.old
        if change.type == DELETED or (old is not None and _count(old) == _count(new)):
            return
        about = new.get("involvedObject") or {}
        text = f"{new.get('reason')}: {new.get('message') or ''}"
        severity: Severity = "warning" if new.get("type") == "Warning" else "info"
        self.add(unix_ns, kind, subject_of(about), text, severity)


def subject_of(about: Json) -> str:
    """The name of an object in a timeline, as in ``deployment/shop/web``."""
    parts = (str(about.get("kind") or "").lower(), about.get("namespace"), about.get("name"))
    return "/".join(str(part) for part in parts if part)


def place(pod: Json) -> str:
    """The node that a pod takes room on; empty if it has none, or has ended."""
    if (pod.get("status") or {}).get("phase") in _OVER:
        return ""
    return str(pod["spec"].get("nodeName") or "")


def moved(change: Change) -> tuple[str, str]:
    """The nodes on which a pod took room before and after a change."""
    before = "" if change.old is None else place(change.old)
    return before, "" if change.type == DELETED else place(change.new)


def departure(change: Change) -> str:
    """How a pod left its node."""
    if change.type != DELETED:
        return str((change.new.get("status") or {}).get("phase"))
    reason = disruptions.reason_of(change.new)
    return reason or "deleted"


def _count(event: Json) -> int:
    return int(event.get("count") or (event.get("series") or {}).get("count") or 1)
