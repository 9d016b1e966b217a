"""The charts of a load as they stand in its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.charts import specification
from kubestage.results.load import observed, pictures
from kubestage.results.report import drawings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from altair.typing import ChartType

    from kubestage.clusterloader.result import LoadResult
    from kubestage.results.report.drawings import Drawing

MOST: Final = 14
"""So many charts of a test are drawn; the tables have all."""

_IN_SECONDS: Final = "s"


def drawn(result: LoadResult, test: int) -> list[Drawing] | None:
    """Every chart that there is something to show in; None if what draws is not installed."""
    if not drawings.can_draw():
        return None
    found: list[Drawing] = []
    with specification.unchecked():
        for name, chart, is_wide in _charts(result):
            if chart is not None and len(found) < MOST:
                identity = f"{test}-{len(found) + 1}-{name}"
                found.append(pictures.picture(chart, identity, is_wide=is_wide))
    return found


def _charts(result: LoadResult) -> Iterator[tuple[str, ChartType | None, bool]]:
    """Name and chart, and whether it takes the whole width."""
    # Large, and part of an extra.
    from kubestage.results.charts import load  # noqa: PLC0415

    seconds = observed.end_seconds(result)
    rows = [
        {
            "name": step.name,
            "began_ns": step.began_ns,
            "took_ns": step.took_ns,
            "passed": not step.errors,
        }
        for step in result.steps
    ]
    yield "steps", load.steps(rows), True
    yield "calls", load.calls(observed.calls_per_second(result), seconds=seconds), False
    times = load.latencies(observed.call_times(result), "How long API calls took")
    yield "call-times", times, False
    moments = observed.pod_moments(result)
    yield "pods", load.pods(moments, seconds), False
    yield "pod-rates", load.pod_rates(moments, seconds), False
    for group in observed.groups(result):
        yield "latencies", _latencies(group), False
    for (whose, what, unit), named in observed.series(result).items():
        title = what.replace("_", " ")
        title = f"{title[0].upper()}{title[1:]} ({whose})"
        yield "series", load.series(named, title, unit, seconds), False


def _latencies(group: observed.LatencyGroup) -> ChartType | None:
    """With the strictest threshold that a percentile was held to."""
    # Large, and part of an extra.
    from kubestage.results.charts import load  # noqa: PLC0415

    found = [
        each.threshold
        for each in group.verdicts
        if each.unit == _IN_SECONDS and each.threshold and each.name.startswith(f"{group.main} ")
    ]
    threshold = load.Threshold(min(found)) if found and group.main else None
    title = f"How long it took: {group.title}"
    return load.latencies(group.took_ns(), title, threshold, group.main)
