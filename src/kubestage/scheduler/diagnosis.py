"""Why no node fits: which plugins rejected which nodes, and the message for people."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.status import Code, Status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns

_UNRESOLVABLE: Final = Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE)


@dataclasses.dataclass(slots=True)
class Diagnosis:
    """The verdicts of one attempt.

    Rejected nodes come in groups of rows with one status each, since nodes by the thousand share a
    few reasons; `named` holds the verdicts of extenders. A node without a verdict has the
    `absent` status.
    """

    columns: Columns
    groups: list[tuple[Ints, Status]] = dataclasses.field(default_factory=list)
    named: dict[str, Status] = dataclasses.field(default_factory=dict)
    absent: Status = _UNRESOLVABLE
    unschedulable_plugins: set[str] = dataclasses.field(default_factory=set)
    pending_plugins: set[str] = dataclasses.field(default_factory=set)
    pre_filter_message: str = ""
    post_filter_message: str = ""
    _described: tuple[tuple[int, int, Status, str], str] | None = dataclasses.field(
        default=None, init=False, repr=False, compare=False
    )

    def add(self, rows: Ints, status: Status) -> None:
        """Note that a plugin rejected these rows."""
        self.groups.append((rows, status))
        self.note_plugin(status)

    def note_plugin(self, status: Status) -> None:
        """Note the plugin that rejected, which decides which events bring the pod back."""
        if not status.plugin:
            return
        if status.code is Code.PENDING:
            self.pending_plugins.add(status.plugin)
        else:
            self.unschedulable_plugins.add(status.plugin)

    @property
    def explicit_count(self) -> int:
        """How many nodes have a verdict of their own."""
        return sum([count for _, count in self._counts()]) if self.groups or self.named else 0

    def verdicts(self) -> Iterator[tuple[str, Status]]:
        """Each node with a verdict of its own."""
        names = self.columns.names
        for rows, status in self.groups:
            for row in rows.tolist():
                name = names[row]
                if name not in self.named:
                    yield name, status
        yield from self.named.items()

    def status_of(self, name: str) -> Status:
        """The verdict on a node."""
        if name in self.named:
            return self.named[name]
        row = self.columns.row_of.get(name)
        for rows, status in self.groups:
            if row in rows:
                return status
        return self.absent

    def message(self) -> str:
        """The failure message, as events and conditions show it."""
        text = self._rejections()
        return f"{text} {self.post_filter_message}" if self.post_filter_message else text

    def _rejections(self) -> str:
        """The message without what came of it.

        It is built before preemption, and once more after that.
        """
        counts = len(self.groups), len(self.named), self.absent, self.pre_filter_message
        if self._described is not None and self._described[0] == counts:
            return self._described[1]
        text = f"0/{len(self.columns)} nodes are available:"
        if self.pre_filter_message:
            text += f" {self.pre_filter_message}."
        else:
            reasons = sorted(f"{count} {reason}" for reason, count in self._histogram().items())
            if reasons:
                text += f" {', '.join(reasons)}."
        self._described = counts, text
        return text

    def _histogram(self) -> dict[str, int]:
        counts: collections.Counter[str] = collections.Counter()
        silent = len(self.columns)
        for status, count in self._counts():
            silent -= count
            for reason in status.reasons if count else ():
                counts[reason] += count
        if silent > 0:
            for reason in self.absent.reasons:
                counts[reason] += silent
        return counts

    def _counts(self) -> Iterator[tuple[Status, int]]:
        """How many nodes have which verdict of their own; one may come more than once."""
        if not self.named:
            for rows, status in self.groups:
                yield status, len(rows)
            return
        row_of = self.columns.row_of
        overruled = np.zeros(len(self.columns), np.bool_)
        overruled[[row_of[name] for name in self.named if name in row_of]] = True
        for rows, status in self.groups:
            yield status, len(rows) - int(overruled[rows].sum())
        for status in self.named.values():
            yield status, 1
