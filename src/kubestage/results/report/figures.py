"""The key figures: how many, how full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.report import units
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.analysis import ResourceSummary, Summary

_WARM: Final = 0.8
_HOT: Final = 0.95


def figures(summary: Summary) -> Html:
    """A card for each main figure, and a bar for each resource."""
    cards = [
        element(
            "div",
            element("div", what, class_="what"),
            element("div", number, class_=_style(what, number)),
            element("div", of, class_="of"),
            class_="figure card",
        )
        for what, number, of in _cards(summary)
    ]
    numbers = element("div", *cards, class_="figures")
    gauges = [_gauge(name, found) for name, found in summary.resources.items()]
    return Html(numbers + (element("div", *gauges, class_="gauges card") if gauges else ""))


def _style(what: str, number: str) -> str:
    """Numbers that may be a problem stand out, unless they are zero."""
    worrying = what in ("Pending", "Preempted") and number != "0"
    return f"number {what.lower()}" if worrying else "number"


def _cards(summary: Summary) -> Iterator[tuple[str, str, str]]:
    alive = summary.scheduled + summary.finished + summary.pending + summary.gated
    scheduled = ("Scheduled", f"{summary.scheduled:,}", f"of {alive:,} pods")
    gated = f"and {summary.gated:,} gated" if summary.gated else ""
    pending = ("Pending", f"{summary.pending:,}", gated)
    # What may need action comes first.
    yield from (pending, scheduled) if summary.pending else (scheduled, pending)
    yield "Preempted", f"{summary.preempted:,}", "had to go" if summary.preempted else ""
    if summary.finished:
        yield "Finished", f"{summary.finished:,}", "came to their end"
    if summary.deleted:
        yield "Deleted", f"{summary.deleted:,}", "are gone"
    yield "Nodes used", f"{summary.nodes_used:,}", f"of {summary.nodes:,}"
    if summary.attempts is not None:
        yield "Attempts", f"{summary.attempts:,}", _results(summary)
    yield "Steps", f"{summary.steps:,}", _waits(summary)


def _results(summary: Summary) -> str:
    failed = (summary.attempts or 0) - (summary.attempts_by_result or {}).get("scheduled", 0)
    return f"{failed:,} failed" if failed else "none failed"


def _waits(summary: Summary) -> str:
    longest = summary.pending_steps_max
    if not longest:
        return ""
    return f"longest wait: {longest:,}"


def _gauge(name: str, found: ResourceSummary) -> Html:
    return element(
        "div",
        element("div", units.title(name)),
        bar(found.rate),
        element("div", units.percent(found.rate), class_="rate"),
        element("div", units.share(found.requested, found.allocatable, name), class_="amount"),
        class_="gauge",
    )


def bar(rate: float | None) -> Html:
    """How full something is."""
    filled = min(max(rate or 0, 0), 1)
    heat = "hot" if filled >= _HOT else "warm" if filled >= _WARM else None
    fill = element("i", style=f"width:{filled * 100:.1f}%", class_=heat)
    return element("span", fill, class_="bar")
