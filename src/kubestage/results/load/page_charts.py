"""The charts of a load as they stand in its page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.results.load import observed
from kubestage.results.report import drawings
from kubestage.results.report.drawings import Drawing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from altair.typing import ChartType

    from kubestage.load.result import LoadResult
    from kubestage.results.charts.load import Threshold

Json = dict[str, Any]

MOST: Final = 14
"""So many charts of a test are drawn; the tables have all."""

_HALF_PIXELS: Final = 450
_HALF_HEIGHT: Final = 240
_WHOLE_PIXELS: Final = 740
_UNFIT: Final = re.compile(r"[^a-z0-9]+")
_IN_SECONDS: Final = "s"


def drawn(result: LoadResult, test: int) -> list[Drawing] | None:
    """Every chart that there is something to show in; None if what draws is not installed."""
    if not drawings.can_draw():
        return None
    # Large, and part of an extra.
    import vl_convert  # noqa: PLC0415

    found: list[Drawing] = []
    for name, chart, is_wide in _charts(result):
        if chart is None or len(found) == MOST:
            continue
        spec = chart.to_dict()
        title = spec.pop("title")
        _fit(spec, is_wide=is_wide)
        identity = f"{test}-{len(found) + 1}-{_UNFIT.sub('-', name.lower()).strip('-')}"
        svg = drawings.inline(vl_convert.vegalite_to_svg(spec), f"{identity}-")
        subtitle = title.get("subtitle") or ""
        found.append(Drawing(identity, title["text"], subtitle, svg, is_wide))
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
        title = f"How long it took: {group.title}"
        yield "latencies", load.latencies(group.took_ns(), title, _threshold(group)), False
    for (whose, what, unit), named in observed.series(result).items():
        title = what.replace("_", " ")
        title = f"{title[0].upper()}{title[1:]} ({whose})"
        yield "series", load.series(named, title, unit, seconds), False


def _threshold(group: observed.Group) -> Threshold | None:
    """The strictest that a 99th percentile was held to."""
    from kubestage.results.charts import load  # noqa: PLC0415

    found = [
        each.threshold
        for each in group.verdicts
        if each.unit == _IN_SECONDS and each.threshold and each.name.split(" ")[0] in group.metrics
    ]
    return load.Threshold(min(found)) if found else None


def _fit(spec: Json, *, is_wide: bool) -> None:
    spec["config"] = {**spec.get("config", {}), "background": None, "padding": 4}
    if is_wide:
        spec["width"] = _WHOLE_PIXELS
        return
    spec["width"], height = _HALF_PIXELS, spec["height"]
    spec["height"] = min(height, _HALF_HEIGHT)
    for layer in spec.get("layer", ()):
        place = layer.get("encoding", {}).get("y", {})
        if "value" in place:
            place["value"] -= height - spec["height"]
