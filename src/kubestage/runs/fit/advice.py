"""What is found out about a pod that waits: numbers, and the changes that would make it fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.notebook import TableResult
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterator

_COLUMNS: Final = columns(change=Kind.INT, kind=Kind.TEXT, text=Kind.TEXT, provedOn=Kind.TEXT)
ADD_NODE: Final = "add-node"
HEADING: Final = "What would make it fit, each proved by scheduling on a copy of the cluster:"
NOTHING: Final = "Nothing that was tried on these nodes makes it fit."


class FitChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A change after which the scheduler has placed the pod.

    `patch` has the change as JSON: ``pod`` is a merge patch of the pod, ``add`` are objects to
    create, ``change`` are merge patches of other objects, ``remove`` names objects to delete.
    """

    kind: str
    text: str
    patch: Json
    proved_on: str
    """The node on which the scheduler has placed the pod."""


class FitAdvice(TableResult, msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Whether a pod fits now, and what would make it fit."""

    key: str
    """``namespace/name`` of the pod."""

    fits: bool
    """Whether the scheduler would place it now, at the expense of the victims if there are any."""

    node: str = ""
    """The node that it would get."""

    victims: list[str] = []
    """The pods that would be preempted for it."""

    message: str = ""
    """Why it does not fit, in the words of the scheduler or of the API."""

    numbers: list[str] = []
    """What it needs, and what the nodes have."""

    changes: list[FitChange] = []
    """Those that touch the least come first."""

    def headline(self) -> str:
        """Whether it fits, and where."""
        if not self.fits:
            return f"{self.key} does not fit"
        if self.victims:
            return f"{self.key} fits on {self.node} if {few(self.victims)} is preempted"
        return f"{self.key} fits on {self.node}"

    def lines(self) -> list[str]:
        """The advice as text: the same in a terminal, in a report and over the API."""
        return list(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.fits:
            if self.victims:
                yield f"It fits on {self.node} if these are preempted: {few(self.victims, 10)}."
            else:
                yield f"It fits on {self.node} now."
            return
        yield from (f"It {each}." for each in self.numbers)
        if all(each.kind == ADD_NODE for each in self.changes):
            yield NOTHING
        if self.changes:
            yield HEADING
        for place, each in enumerate(self.changes, 1):
            yield f"  {place}. {each.text} (then it is on {each.proved_on})"

    def table(self) -> Table:
        """A row for each change."""
        rows = [
            (place, each.kind, each.text, each.proved_on)
            for place, each in enumerate(self.changes, 1)
        ]
        return Table(_COLUMNS, rows)

    def to_dict(self) -> Json:
        """As JSON, with the text that people read."""
        found: Json = msgspec.to_builtins(self)
        return {**found, "lines": self.lines()}
