"""What the dry runs of one preemption came to, node by node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.scheduler.status import Code, Status, unresolvable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints

NO_VICTIMS: Final = unresolvable("No preemption victims found for incoming pod")


class DryRun(msgspec.Struct, frozen=True):
    """What preemption on one node would come to; victims come the most important first."""

    status: Status
    victims: tuple[PodView, ...] = ()
    pdb_violations: int = 0


_NOBODY_TO_PREEMPT: Final = DryRun(NO_VICTIMS)


class DryRuns:
    """The dry runs on some rows, in the order in which these were tried.

    A row for which nothing is noted has no victims. What was noted is sorted only when it is
    read: most attempts are not explained.
    """

    __slots__ = ("_listed", "_names", "_noted", "_rows", "_sorted")

    def __init__(self, names: Sequence[str], rows: Ints) -> None:
        self._names = names
        self._rows = rows
        self._noted: list[tuple[Ints, DryRun]] = []
        self._listed: list[tuple[Sequence[int], Sequence[DryRun]]] = []
        self._sorted: tuple[list[DryRun], Codes] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def is_blank(self) -> bool:
        """Whether nothing is noted for any row: no pod there could be preempted."""
        return not self._noted and not self._listed

    def note(self, places: Ints, run: DryRun) -> None:
        """Note the result for some rows, by their places in the order."""
        self._noted.append((places, run))
        self._sorted = None

    def note_each(self, places: Sequence[int], runs: Sequence[DryRun]) -> None:
        """Note the results for several rows."""
        self._listed.append((places, runs))
        self._sorted = None

    def end_at(self, place: int) -> None:
        """The row at this place was the last one that counted."""
        self._rows = self._rows[: place + 1]
        self._sorted = None

    def by_node(self) -> dict[str, DryRun]:
        """Every dry run by the name of its node."""
        runs, numbers = self._numbered()
        names = self._names
        pairs = zip(self._rows.tolist(), numbers.tolist(), strict=True)
        return {names[row]: runs[number] for row, number in pairs}

    def groups(self) -> Iterator[tuple[Ints, Status]]:
        """Rows that came to the same, and the status of that."""
        runs, numbers = self._numbered()
        for number, run in enumerate(runs):
            rows: Ints = self._rows[numbers == number]
            if len(rows):
                yield rows, run.status

    def errors(self) -> list[str]:
        """The messages of dry runs that failed, in the order of the rows."""
        runs, numbers = self._numbered()
        failed = {
            number: run.status.message
            for number, run in enumerate(runs)
            if run.status.code is Code.ERROR
        }
        reported = numbers.tolist() if failed else ()
        return [failed[number] for number in reported if number in failed]

    def _numbered(self) -> tuple[list[DryRun], Codes]:
        """All different dry runs, and for each row the number of its own."""
        if self._sorted is not None:
            return self._sorted
        number_of = {_NOBODY_TO_PREEMPT: 0}
        numbers: Codes = np.zeros(len(self._rows), np.int32)
        for places, run in self._noted:
            number = number_of.setdefault(run, len(number_of))
            numbers[places[places < len(numbers)]] = number
        for each, runs in self._listed:
            for place, run in zip(each, runs, strict=True):
                numbers[place] = number_of.setdefault(run, len(number_of))
        self._sorted = list(number_of), numbers
        return self._sorted
