"""The past of a cluster that is served: its history, and what is read from that."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from kubestage.errors import BadRequest, Expired, NotFound
from kubestage.golang import times
from kubestage.objects import timestamps
from kubestage.results.history.map_rows import MapRows
from kubestage.results.history.marks import HistoryMarks
from kubestage.results.history.slices import Slices
from kubestage.server import slices

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.history.cluster_history import ClusterHistory
    from kubestage.results.history.map_rows import MapPart
    from kubestage.results.history.marks import MarkPart

UNRECORDED: Final = "the past is not recorded here: start kubestage serve without --past-changes 0"
_FORM: Final = "write it as 2026-01-01T00:05:00.25Z"


class Timeline:
    """What requests read of the past; rows and marks are computed when they are first requested."""

    def __init__(self, history: ClusterHistory) -> None:
        self.history = history
        self._rows = MapRows(history)
        self._marks = HistoryMarks(history)
        self._slices = Slices(history)
        # One request reads news at a time; the others find it done.
        self._reading = asyncio.Lock()

    async def map_part(self, after: int | None) -> tuple[MapPart, int]:
        """Rows of nodes and pods, and the number from which the next ones can be had."""
        self._check(after)
        async with self._reading:
            await slices.in_slices(self._rows.catch_up())
            self._check(after)
            if after is not None and after < self._rows.floor:
                raise self._expired(after)
            return self._rows.part(after), self._rows.end

    async def marks(self, after: int | None) -> tuple[MarkPart, int]:
        """Marks, likewise."""
        self._check(after)
        async with self._reading:
            await slices.in_slices(self._marks.catch_up())
            self._check(after)
            return self._marks.since(after), self._marks.end

    async def slices(self, after: int | None = None) -> Json:
        """Lives of pods, likewise; these may reach back further than the history."""
        found = self._slices
        async with self._reading:
            await slices.in_slices(found.catch_up())
            if after is not None and not found.floor <= after <= found.end:
                raise self._expired(after)
            return found.answer(after)

    def moment(self, text: str) -> int:
        """A moment that can be looked at, in Unix nanoseconds."""
        history = self.history
        try:
            unix_ns = timestamps.parse_time(text)
        except ValueError as error:
            raise BadRequest(f"{error}: {_FORM}") from None
        if not history.begin_ns <= unix_ns <= history.end_ns:
            bounds = (
                f"{times.rfc3339_nano(history.begin_ns)} to {times.rfc3339_nano(history.end_ns)}"
            )
            when = "in the future" if unix_ns > history.end_ns else "before what is remembered"
            raise NotFound(f"{text} lies {when}: the history reaches from {bounds}")
        return unix_ns

    def _check(self, after: int | None) -> None:
        """Refuse a number that is forgotten, or of another life of the server."""
        if after is not None and not self.history.forgotten <= after <= self.history.end:
            raise self._expired(after)

    def _expired(self, after: int) -> Expired:
        known = f"{self.history.forgotten} to {self.history.end}"
        return Expired(f"after: {after} is not remembered, only {known}: begin without after")
