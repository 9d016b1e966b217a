"""The history of a large run: what happened waits in a temporary file instead of in memory."""

from __future__ import annotations

import tempfile
import weakref
from typing import TYPE_CHECKING, Final

from kubestage.results.history.history_file import HistoryBytes
from kubestage.results.history.history_recorder import HistoryRecorder, Lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.history.history_recorder import HistoryBeginning
    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.sim.clock import Clock
    from kubestage.store.store import Store

_PIECE: Final = 1 << 20


class _Spool:
    """A temporary file, which goes with the last who knows of it.

    Not by `__del__`: in a cycle of garbage the file might go first, and complain of it.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the next line
        weakref.finalize(self, self._file.close)
        self.write = self._file.write

    def pieces(self) -> Iterator[bytes]:
        """What was written, from the beginning."""
        self._file.seek(0)
        while piece := self._file.read(_PIECE):
            yield piece


class SpooledHistory:
    """A history as it is written, piece by piece; where it is pickled, all of it is."""

    def __init__(self, beginning: bytes, changes: _Spool) -> None:
        self._beginning, self._changes = beginning, changes

    def pieces(self) -> Iterator[bytes]:
        """The bytes of the file, in order; they may be read again."""
        yield self._beginning
        yield from self._changes.pieces()

    def __reduce__(self) -> tuple[type[HistoryBytes], tuple[bytes, bytes]]:
        return (HistoryBytes, (self._beginning, b"".join(self._changes.pieces())))


class SpooledRecorder(HistoryRecorder):
    """Records as `HistoryRecorder` does, and holds next to nothing in memory.

    NOTE: a load with 5,000 nodes writes 106 MB, which were copied twice at its end
    (benchmarks/load.py).
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        scheduler: Scheduler | None,
        start_state: HistoryBeginning,
    ) -> None:
        self._spool = _Spool()
        super().__init__(store, clock, scheduler, start_state)

    def _new_lines(self) -> Lines:
        return Lines(self._spool.write)

    def end_spooled(self) -> SpooledHistory:
        """The whole history; nothing is recorded from now on."""
        ended = self.end()
        self._spool.write(ended.changes)
        return SpooledHistory(ended.beginning, self._spool)
