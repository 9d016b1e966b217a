"""The attempts of a run that is compared while it runs, with their explanations.

Explanations are kept only until the attempt is known to be the same in the other runs: memory does
not grow with the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.results.comparison import attempts
from kubestage.scheduler.preemption import report

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.comparison import Tried
    from kubestage.scheduler.attempt import AnyAttempt
    from kubestage.scheduler.record import Decision


class AttemptLog:
    """Follows the record of a scheduler.

    `rows` are the attempts that are not compared yet, by number; `kept` are explanations that will
    be shown.
    """

    def __init__(self) -> None:
        self.rows: dict[int, Tried] = {}
        self.kept: dict[int, Json] = {}
        self._explanations: dict[int, Json] = {}

    def attempted(self, decision: Decision, attempt: AnyAttempt, explained: Json | None) -> None:
        """An attempt has ended."""
        row = attempts.of_decision(decision, 0)
        account: report.Report | None = attempt.state.get(report.KEY)
        victims: tuple[str, ...] = ()
        if account is not None and account.chosen is not None:
            victims = tuple(victim.key for victim in account.chosen.victims)
            row = msgspec.structs.replace(row, nominated_node=account.chosen.node_name)
        self.rows[decision.number] = msgspec.structs.replace(row, victims=victims)
        if explained is not None:
            self._explanations[decision.number] = explained

    def keep(self, number: int) -> None:
        """Keep the explanation of an attempt."""
        if number in self._explanations:
            self.kept[number] = self._explanations[number]

    def forget(self, number: int) -> None:
        """Drop the attempts before this one: they are the same in all runs."""
        for each in [each for each in self.rows if each < number]:
            del self.rows[each]
            self._explanations.pop(each, None)
