"""What the dry runs of one preemption came to, node by node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.scheduler.status import Code, Status, unresolvable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Codes, Ints

NO_VICTIMS: Final = unresolvable("No preemption victims found for incoming pod")


class DryRun(msgspec.Struct, frozen=True):
    """What preemption on one node would come to; victims come the most important first."""

    status: Status
    victims: tuple[PodView, ...] = ()
    pdb_violations: int = 0


_NOBODY_TO_PREEMPT: Final = DryRun(NO_VICTIMS)


class DryRuns:
    """The outcomes on some rows, in the order in which these were tried.

    Nodes by the thousand come to the same, so a row has but the number of its outcome. As long
    as nothing else is noted, there is nobody to preempt.
    """

    __slots__ = ("_names", "_number_of", "_numbers", "_rows")

    def __init__(self, names: Sequence[str], rows: Ints) -> None:
        self._names = names
        self._rows = rows
        self._numbers: Codes = np.zeros(len(rows), np.int32)
        self._number_of = {_NOBODY_TO_PREEMPT: 0}

    def __len__(self) -> int:
        return len(self._rows)

    def note(self, places: Ints | int, outcome: DryRun) -> None:
        """Note what came of a row, or of several, by their places in the order."""
        number = self._number_of.setdefault(outcome, len(self._number_of))
        self._numbers[places] = number

    def end_at(self, place: int) -> None:
        """The row at this place was the last one that counted."""
        self._rows = self._rows[: place + 1]
        self._numbers = self._numbers[: place + 1]

    def by_node(self) -> dict[str, DryRun]:
        """Every outcome by the name of its node, made for those who want to read them all."""
        outcomes, names = list(self._number_of), self._names
        pairs = zip(self._rows.tolist(), self._numbers.tolist(), strict=True)
        return {names[row]: outcomes[number] for row, number in pairs}

    def groups(self) -> Iterator[tuple[Ints, Status]]:
        """Rows that came to the same, and the status of that."""
        for outcome, number in self._number_of.items():
            rows: Ints = self._rows[self._numbers == number]
            if len(rows):
                yield rows, outcome.status

    def errors(self) -> list[str]:
        """What was said where nobody could tell, in the order of the rows."""
        failed = {
            number: outcome.status.message
            for outcome, number in self._number_of.items()
            if outcome.status.code is Code.ERROR
        }
        numbers = self._numbers.tolist() if failed else ()
        return [failed[number] for number in numbers if number in failed]
