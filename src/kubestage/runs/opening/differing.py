"""Where runs that are opened together part, with both decisions explained."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.comparison import decisions
from kubestage.results.history import attempt_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.comparison.decisions import DifferingDecision
    from kubestage.results.history.attempt_rows import AttemptRow
    from kubestage.runs.observer import Observer
    from kubestage.runs.opening.opened_run import OpenedRun

# So many decisions are explained if they were not already: people look at the first ones.
_EXPLAINED: Final = 20


def first_difference(first: OpenedRun, second: OpenedRun) -> DifferingDecision | None:
    """The first decision in which two runs differ; None if they make the same ones."""
    found = decisions.compare(first.attempts.rows, second.attempts.rows).differing
    return found[0] if found else None


def explain_first(runs: Sequence[OpenedRun], observer: Observer) -> None:
    """Have the first decisions explained in which runs differ from the first of them.

    Those that the budget for explanations did not reach take another repetition of the run.
    """
    missing: dict[int, list[AttemptRow]] = {}
    for at in range(1, len(runs)):
        compared = decisions.compare(runs[0].attempts.rows, runs[at].attempts.rows)
        for each in compared.differing[:_EXPLAINED]:
            for place, row in ((0, each.first), (at, each.second)):
                if row is not None and row.packed is None:
                    missing.setdefault(place, []).append(row)
    repeated = [(runs[at], rows) for at, rows in missing.items() if runs[at].explain is not None]
    with observer.progress("explaining where runs differ", len(repeated), noticeable=1) as advance:
        for done, (run, rows) in enumerate(repeated):
            advance(done)
            assert run.explain is not None
            explanations = run.explain({row.decision.number for row in rows})
            for row in rows:
                explained = explanations.get(row.decision.number)
                if explained is not None:
                    row.packed = attempt_rows.pack(explained)
