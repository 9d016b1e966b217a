"""The Events of a run: one row for each, with how often it was recorded."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.results.life import windows
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.tables import LifeRows
    from kubestage.results.life.workloads import Workloads
    from kubestage.store.log import Change

MOST: Final = 5000
"""So many Events of each type are kept; the others are counted."""


@dataclasses.dataclass(slots=True)
class _Row:
    first_ns: int
    last_ns: int
    type: str
    reason: str
    object: str
    message: str
    workload: str
    count: int = 1


class EventLog:
    """Every Event of a run; it receives every change of one."""

    def __init__(self, workloads: Workloads) -> None:
        self.count = 0
        self.warnings = 0
        self.left_out = 0
        self._workloads = workloads
        self._kept: dict[str, list[_Row]] = {}
        self._open: dict[str, _Row] = {}

    def on_event(self, change: Change, now_ns: int) -> None:
        """Take in an Event that was recorded, or recorded again."""
        if change.type == DELETED:
            self._open.pop(change.key, None)
            return
        event = change.new
        kind = str(event.get("type") or "Normal")
        self.count += 1
        self.warnings += kind == "Warning"
        row = self._open.get(change.key)
        if row is not None:
            row.count += 1
            row.last_ns, row.message = now_ns, str(event.get("message") or "")
            return
        kept = self._kept.setdefault(kind, [])
        if len(kept) >= MOST:
            self.left_out += 1
            return
        self._open[change.key] = row = self._row(event, kind, now_ns)
        kept.append(row)

    def _row(self, event: Json, kind: str, now_ns: int) -> _Row:
        about = event.get("involvedObject") or {}
        name = str(about.get("name") or "")
        key = f"{about['namespace']}/{name}" if about.get("namespace") else name
        about_kind = str(about.get("kind") or "").lower()
        workload = self._workloads.of_pod(key) if about_kind == "pod" else None
        return _Row(
            now_ns,
            now_ns,
            kind,
            str(event.get("reason") or ""),
            f"{about_kind}/{key}",
            str(event.get("message") or ""),
            "" if workload is None else str(workload.place),
        )

    def forget(self) -> None:
        """Forget all rows, for a record without an end, in which they are not shown."""
        self._kept.clear()
        self._open.clear()

    def write(self, rows: LifeRows, begin_ns: int) -> None:
        """Add the rows, by the time at which each Event was recorded first."""
        every = [each for kept in self._kept.values() for each in kept]
        for each in sorted(every, key=lambda one: one.first_ns):
            at, last = (windows.since(begin_ns, one) for one in (each.first_ns, each.last_ns))
            rows.add(
                "events", at, each.type, each.reason, each.object, each.message, each.count, last,
                each.workload,
            )  # fmt: skip

    def in_short(self) -> Json:
        """How many there were, and how many rows are missing in the table."""
        return {"events": self.count, "warnings": self.warnings, "leftOut": self.left_out}
