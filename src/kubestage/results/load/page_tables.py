"""The tables of the page of a load: what was judged, how long things took, each step."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final, TypeVar

from kubestage.clusterloader.result import Outcome
from kubestage.measure.percentiles import nearest_rank
from kubestage.results.load import observed, wording
from kubestage.results.report.markup import Html, element, join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from kubestage.clusterloader.result import LoadResult, Substep
    from kubestage.measure.results import Verdict

Row = tuple[str, ...]
T = TypeVar("T")

_MOST: Final = 1000
_SLOWEST: Final = 20
_WORDS: Final = frozenset(
    (
        "Configuration",
        "Identifier",
        "Measurement",
        "Method",
        "Object",
        "Metric",
        "Result",
        "Step",
        "Test",
        "Verdict",
        "What",
        "Why",
    )
)


def tests(results: Sequence[LoadResult]) -> Html:
    """Each test in a line; nothing where there is only one."""
    if len(results) == 1:
        return Html("")
    head = ("Test", "Result", "Took", "Steps", "API calls", "Errors", "Configuration")
    rows = [
        (
            result.test_name,
            _outcome(result),
            wording.duration(result.took_ns),
            f"{len(result.steps):,}",
            f"{len(result.calls):,}",
            f"{len(result.errors):,}",
            result.path,
        )
        for result in results
    ]
    return table(head, rows)


def _outcome(result: LoadResult) -> Html:
    if result.outcome is Outcome.NOTHING_MEASURED:
        return element("span", "Nothing measured", class_="dot Pending")
    return _passed(is_passed=result.passed)


def verdicts(results: Sequence[LoadResult]) -> Html:
    """What was judged: value, threshold, on how many samples."""
    head = ("Verdict", "What", "Value", "Threshold", "Samples", "Measurement")
    return _of_each(results, head, _verdicts)


def _verdicts(result: LoadResult) -> Iterator[Row]:
    for measured, each in result.verdicts():
        yield (
            _judged(each),
            each.name,
            wording.amount(each.value, each.unit),
            _bound(each),
            "–" if each.samples is None else f"{each.samples:,}",
            _source(measured.method, measured.identifier),
        )


def _judged(verdict: Verdict) -> Html:
    if verdict.is_empty:
        return element("span", "No samples", class_="dot Pending")
    if verdict.passed:
        return _passed(is_passed=True)
    if not verdict.is_enforced:
        return element("span", "Missed, not enforced", class_="dot Pending")
    return _passed(is_passed=False)


def _bound(verdict: Verdict) -> str:
    if verdict.threshold is None:
        return "–"
    return f"{'≤' if verdict.is_upper else '≥'} {wording.amount(verdict.threshold, verdict.unit)}"


def _source(method: str, identifier: str) -> str:
    return method if identifier in ("", method) else f"{method} – {identifier}"


def _passed(*, is_passed: bool) -> Html:
    word, css = ("Passed", "Succeeded") if is_passed else ("Failed", "Failed")
    return element("span", word, class_=f"dot {css}")


def latencies(results: Sequence[LoadResult]) -> Html:
    """The percentiles of every metric."""
    head = ("Metric", "Samples", "Least", "p50", "p90", "p99", "Most", "Measurement")
    return _of_each(results, head, _latencies)


def _latencies(result: LoadResult) -> Iterator[Row]:
    for measured, each in result.latencies():
        ordered = sorted(each.took_ns)
        if ordered:
            ranks = [nearest_rank(ordered, percent) for percent in (50, 90, 99)]
            times = (wording.duration(value) for value in (ordered[0], *ranks, ordered[-1]))
            source = _source(measured.method, measured.identifier)
            yield each.metric, f"{len(ordered):,}", *times, f"{source} (step {measured.step})"


def slowest(results: Sequence[LoadResult]) -> Html:
    """The objects that took longest, with the parts that their time is made of."""
    parts = []
    for result in results:
        for group in observed.groups(result):
            slow_calls = _slowest_of(group)
            name = group.title if len(results) == 1 else f"{result.test_name}: {group.title}"
            parts += [element("h3", name), slow_calls] if slow_calls else []
    return join(parts, "\n")


def _slowest_of(group: observed.LatencyGroup) -> Html:
    found = {name: times for name, times in group.longest_ns().items() if times}
    if not found:
        return Html("")
    if len(group.identifiers) > 1:
        return _slowest_of_all(found)
    main = group.main
    if main not in found:
        main = max(found, key=lambda name: (max(found[name].values()), name))
    others = [name for name in found if name != main]
    rows = [
        (name, *(wording.duration(found[each].get(name)) for each in (main, *others)))
        for name, _ in _longest(found[main].items())
    ]
    return table(("Object", main, *others), rows)


def _slowest_of_all(found: Mapping[str, Mapping[str, int]]) -> Html:
    """Metrics that have nothing to do with one another: each object with its own."""
    every = (
        ((name, metric), took) for metric, times in found.items() for name, took in times.items()
    )
    rows = [(name, metric, wording.duration(took)) for (name, metric), took in _longest(every)]
    return table(("Object", "Metric", "Took"), rows)


def _longest(times: Iterable[tuple[T, int]]) -> list[tuple[T, int]]:
    return heapq.nsmallest(_SLOWEST, times, key=lambda item: (-item[1], item[0]))


def skipped(results: Sequence[LoadResult]) -> Html:
    """Who measured nothing, and why."""
    rows = [
        (measured.method, measured.identifier, why)
        for result in results
        for measured, why in result.skipped()
    ]
    return table(("Method", "Identifier", "Why"), dict.fromkeys(rows))


def steps(results: Sequence[LoadResult]) -> Html:
    """What each step consisted of, and how long it took."""
    return _of_each(results, ("Step", "Result", "Began", "Took"), _steps)


def _steps(result: LoadResult) -> Iterator[Row]:
    for step in result.steps:
        for substep in step.substeps:
            yield (
                substep.name,
                _substep(substep),
                wording.duration(step.began_ns - result.began_ns),
                wording.duration(substep.took_ns),
            )


def _substep(substep: Substep) -> Html:
    if substep.skipped and not substep.errors:
        return element("span", "Skipped", class_="dot Pending")
    return _passed(is_passed=not substep.errors)


def _of_each(
    results: Sequence[LoadResult], head: Row, rows: Callable[[LoadResult], Iterable[Row]]
) -> Html:
    """One table of all tests; with several of them, each row names its test."""
    if len(results) == 1:
        return table(head, rows(results[0]))
    named = [(*row, result.test_name) for result in results for row in rows(result)]
    return table((*head, "Test"), named)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Html:
    """A table as it is; columns that are not of words have their figures at the right."""
    lines = list(rows)
    if not lines:
        return Html("")
    css = [None if name in _WORDS else "figure-cell" for name in head]
    titles = [
        element("th", element("span", name), class_=style, scope="col")
        for name, style in zip(head, css, strict=True)
    ]
    body = [
        element(
            "tr",
            *(element("td", cell, class_=style) for cell, style in zip(line, css, strict=True)),
        )
        for line in lines[:_MOST]
    ]
    body_table = element("table", element("thead", element("tr", *titles)), element("tbody", *body))
    box = element("div", body_table, class_="rows card", tabindex=0)
    if len(lines) <= _MOST:
        return box
    more = f"and {len(lines) - _MOST:,} more, in load.sqlite"
    return Html(box + element("p", more, class_="soft small"))
