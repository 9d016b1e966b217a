"""Measurements whose whole answer is the 50th, 90th and 99th percentile of something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure.outcome import Outcome
from kubestage.measure.percentiles import LatencyMetric

if TYPE_CHECKING:
    from kubestage.measure.facilities import Answered
    from kubestage.measure.prometheus.asking import Question

QUANTILES: Final = (0.5, 0.9, 0.99)


def read(questions: list[Question], answers: list[Answered]) -> LatencyMetric | Outcome:
    """One row per quantile as a latency; all that is wrong with them as an outcome."""
    problems = []
    found: dict[float, float] = {}
    for q, question, answered in zip(QUANTILES, questions, answers, strict=True):
        if answered.error:
            problems.append(
                f'failed to execute query "{quoted(question)}", err - query error: {answered.error}'
            )
        elif len(answered.samples) != 1:
            problems.append(
                f"got unexpected number of samples: {len(answered.samples)} "
                f'for query "{quoted(question)}"'
            )
        else:
            found[q] = answered.samples[0].value
    if problems:
        listed = "\n".join(problems)
        return Outcome(errors=(f"failed to compute latencies, errors - [{listed}]",))
    return LatencyMetric.of_seconds(found)


def quoted(question: Question) -> str:
    """A query as Go quotes it."""
    return question.expression.replace("\\", r"\\").replace('"', r"\"")


def document(latency: LatencyMetric) -> dict[str, int]:
    """A latency as Go writes the struct itself: in nanoseconds."""
    words = ("Perc50", "Perc90", "Perc99")
    return dict(zip(words, latency.values_ns, strict=True))
