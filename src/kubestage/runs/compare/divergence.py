"""The first decision in which two runs differ, with the details of both attempts."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.results import comparison

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.comparison import Divergence
    from kubestage.runs.compare.contenders import Contender


@dataclasses.dataclass(frozen=True, slots=True)
class ExplainedDivergence:
    """Where two runs part, with what is known of both attempts.

    `unknown` is why that is not known; there is no divergence then, nor where they never part.
    """

    divergence: Divergence | None
    explanations: tuple[Json | None, Json | None] = (None, None)
    notes: tuple[str, ...] = ()
    unknown: str | None = None


def explain(contenders: tuple[Contender, Contender]) -> ExplainedDivergence:
    """Find where two runs part, and explain both attempts."""
    rows = [each.attempts() for each in contenders]
    silent = [each.name for each, found in zip(contenders, rows, strict=True) if not found]
    if len(silent) == 1:
        return ExplainedDivergence(None, unknown=f"{silent[0]} has no attempts recorded")
    found = comparison.diverge(*rows)
    if found is None:
        return ExplainedDivergence(None)
    explanations: list[Json | None] = []
    notes: list[str] = []
    for contender, row in zip(contenders, (found.first, found.second), strict=True):
        if row is None:
            explanations.append(None)
            continue
        details = contender.details([row.number])
        explanations.append(details.explanations.get(row.number))
        notes += [f"{contender.name}: {each}" for each in details.notes]
        notes += [f"{contender.name}: {details.differs}"] if details.differs else []
    return ExplainedDivergence(found, (explanations[0], explanations[1]), tuple(notes))
