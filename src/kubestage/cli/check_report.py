"""A verdict on a terminal, or as data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from kubestage.objects.tables import text as tables
from kubestage.results.verdict import markup

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.results.verdict.verdict import Figure, Finding, Histogram, Verdict
    from kubestage.runs.check import CheckResult

_ROWS: Final = 20
_HISTOGRAM_CELLS: Final = 10


def as_json(result: CheckResult) -> str:
    """All that is known, for programs."""
    return json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n"


def text(verdict: Verdict) -> str:
    """The answer, what is bad, all rules, and figures side by side."""
    return "".join(f"{line.rstrip()}\n" for line in _lines(verdict))


def _lines(verdict: Verdict) -> Iterator[str]:
    yield f"{verdict.answer[:1].upper()}{verdict.answer[1:]}."
    counted = [each for rule in verdict.rules for each in rule.failures]
    others = [each for each in verdict.findings() if each not in counted]
    for each in counted:
        yield ""
        yield from _finding(each, "error")
    for each in [each for each in others if each.is_new][:_ROWS]:
        yield ""
        yield from _finding(each, each.severity)
    known = [each for each in others if not each.is_new]
    yield ""
    yield from tables.align([("RULE", "STATE", "REQUIRES"), *_rules(verdict)])
    yield ""
    yield from _figures(verdict.figures, verdict.sides)
    for histogram in verdict.histograms:
        yield ""
        yield from _histogram(histogram, verdict.sides)
    if known:
        yield ""
        yield f"As bad before ({len(known)}):"
        for each in known[:_ROWS]:
            yield f"  {each.rule}: {each.subject}: {each.text}"
        if len(known) > _ROWS:
            yield f"  and {len(known) - _ROWS} more: -o json has all"


def _finding(finding: Finding, severity: str) -> Iterator[str]:
    place = f"{finding.place}: " if finding.file else ""
    yield f"{place}{severity}: {finding.subject} [{finding.rule}]"
    yield f"  {finding.text}"
    if finding.before and finding.after:
        yield f"  before: {finding.before}; now: {finding.after}"


def _rules(verdict: Verdict) -> Iterator[tuple[str, str, str]]:
    for each in verdict.rules:
        why = f" (not applied: {each.skipped})" if each.skipped else ""
        yield each.name, each.state, f"{each.about}{why}"


def _figures(figures: Sequence[Figure], sides: Sequence[str]) -> Iterator[str]:
    rows = [("FIGURE", *sides, "")]
    for each in figures:
        cells = []
        for at, shown in enumerate(each.shown):
            bar = markup.bar(each.shares[at]) if each.shares else ""
            cells.append(f"{bar} {shown}".strip())
        rows.append((each.name, *cells, "worse" if any(each.worse) else ""))
    yield from tables.align(rows)


def _histogram(histogram: Histogram, sides: Sequence[str]) -> Iterator[str]:
    most = max((count for counts in histogram.counts for count in counts), default=0) or 1
    rows = [(histogram.title.upper(), *sides)]
    for at, name in enumerate(histogram.classes):
        cells = [
            f"{markup.bar(counts[at] / most, _HISTOGRAM_CELLS).rstrip('░')} {counts[at]:,}".strip()
            for counts in histogram.counts
        ]
        rows.append((name, *cells))
    yield from tables.align(rows)
