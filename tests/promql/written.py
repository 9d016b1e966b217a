"""Series written out for tests: values at even steps, and what a query makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.promql import parser, queries
from kubestage.promql.evaluation import VERSION_3
from kubestage.promql.series import STALE, SeriesStore
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.promql.evaluation import Settings
    from kubestage.promql.matchers import Matcher


def matchers(selector: str) -> tuple[Matcher, ...]:
    """What a selector asks for."""
    node = parser.parse(selector)
    return node.matchers  # type: ignore[union-attr]


def labels(selector: str) -> dict[str, str]:
    """The labels that a selector writes out."""
    return {each.name: each.value for each in matchers(selector)}


def store(series: dict[str, Sequence[float | str | None]], *, step_s: float = 60) -> SeriesStore:
    """Series with a sample per step from time zero on; None is no sample, ``stale`` an end."""
    made = SeriesStore()
    for selector, values in series.items():
        for index, value in enumerate(values):
            if value is not None:
                number = STALE if isinstance(value, str) else value
                made.append(labels(selector), round(index * step_s * 1000), number)
    return made


def ask(
    made: SeriesStore, query: str, at_s: float = 0, settings: Settings = VERSION_3
) -> dict[str, float]:
    """What a query answers, by the labels' text; a scalar has the text ``scalar``."""
    answer = queries.evaluate(made, query, round(at_s * SECOND_NS), settings=settings)
    if isinstance(answer, tuple):
        return {
            ",".join(f"{name}={value}" for name, value in point.labels): point.value
            for point in answer
        }
    assert isinstance(answer, float)
    return {"scalar": answer}


def number(query: str, at_s: float = 0) -> float:
    """What a query answers that needs no series, or gives one without labels."""
    (value,) = ask(SeriesStore(), query, at_s).values()
    return value
