"""A verdict as Markdown for a pull request: bad news first, details folded, bars of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.verdict import markup
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.results.verdict.verdict import Figure, Finding, Histogram, Verdict

MOST_ROWS: Final = 30
"""A comment on GitHub has a limit, and so has a reader."""
_FAILED: Final = "❌"
_PASSED: Final = "✅"
_WARNING: Final = "⚠️"
_SIGNS: Final = {"failed": _FAILED, "warning": _WARNING, "passed": _PASSED, "skipped": "–"}
_HISTOGRAM_CELLS: Final = 20


def render(verdict: Verdict) -> str:
    """The whole verdict."""
    return "\n\n".join(_parts(verdict)) + "\n"


def _parts(verdict: Verdict) -> Iterator[str]:
    sign = _FAILED if verdict.has_failed else _PASSED
    yield f"## {sign} {markup.escaped(verdict.title)}: {markup.escaped(verdict.answer)}"
    found = verdict.findings()
    counted = [each for rule in verdict.rules for each in rule.failures]
    others = [each for each in found if each.is_new and each not in counted]
    known = [each for each in found if not each.is_new and each not in counted]
    if counted:
        yield _findings(counted)
    if others:
        yield f"**{plural(len(others), 'warning')}**\n\n{_findings(others)}"
    worse = [each for each in verdict.figures if any(each.worse)]
    if worse:
        yield f"**Figures that got worse**\n\n{_figures(worse, verdict.sides)}"
    if verdict.figures:
        body = "\n\n".join(
            [
                _figures(verdict.figures, verdict.sides),
                *(_histogram(each, verdict.sides) for each in verdict.histograms),
            ]
        )
        yield markup.details(f"All figures ({len(verdict.figures)})", body)
    if verdict.rules:
        yield markup.details(_rules_title(verdict), _rules(verdict))
    if known:
        yield markup.details(f"As bad before ({len(known)})", _findings(known))
    if verdict.notes:
        notes = "\n".join(f"- {markup.escaped(each)}" for each in verdict.notes)
        yield markup.details(f"Notes ({len(verdict.notes)})", notes)


def _findings(found: Sequence[Finding]) -> str:
    has_places = any(each.file for each in found)
    head = ["", "Object", "Finding", "Before", "After", "Rule", *(["Where"] if has_places else [])]
    rows = [
        [
            _FAILED if each.severity == "error" else _WARNING,
            f"`{_code(each.subject)}`",
            markup.escaped(each.text),
            markup.escaped(each.before or ""),
            markup.escaped(each.after or ""),
            f"`{_code(each.rule)}`",
            *([f"`{_code(each.place)}`" if each.file else ""] if has_places else []),
        ]
        for each in found[:MOST_ROWS]
    ]
    text = markup.table(head, rows)
    more = len(found) - MOST_ROWS
    return f"{text}\n\nand {more:,} more" if more > 0 else text


def _code(text: str) -> str:
    """Text between backquotes, in a cell of a table."""
    return " ".join(text.replace("`", "'").replace("|", "\\|").split())


def _figures(found: Sequence[Figure], sides: Sequence[str]) -> str:
    rows = []
    for each in found:
        cells = []
        for at, shown in enumerate(each.shown):
            bar = markup.bar(each.shares[at]) if each.shares else ""
            sign = f" {_FAILED}" if each.worse and each.worse[at] else ""
            cells.append(f"{bar} {markup.escaped(shown)}{sign}".strip())
        better = f"{each.better} is better" if each.better else ""
        rows.append([markup.escaped(each.name), *cells, better])
    return markup.table(["Figure", *map(markup.escaped, sides), ""], rows)


def _histogram(histogram: Histogram, sides: Sequence[str]) -> str:
    most = max((count for counts in histogram.counts for count in counts), default=0) or 1
    rows = [
        [
            markup.escaped(name),
            *(_counted(counts[at], most) for counts in histogram.counts),
        ]
        for at, name in enumerate(histogram.classes)
    ]
    return markup.table([markup.escaped(histogram.title), *map(markup.escaped, sides)], rows)


def _counted(count: int, most: int) -> str:
    bar = markup.bar(count / most, _HISTOGRAM_CELLS).rstrip("░")
    return f"{bar} {count:,}".strip()


def _rules_title(verdict: Verdict) -> str:
    passed = sum(each.state in ("passed", "warning") for each in verdict.rules)
    return f"Rules: {passed} of {len(verdict.rules)} hold"


def _rules(verdict: Verdict) -> str:
    rows = []
    for each in verdict.rules:
        sign = _SIGNS[each.state]
        why = f" (not applied: {each.skipped})" if each.skipped else ""
        rows.append([sign, f"`{_code(each.name)}`", markup.escaped(each.about + why)])
    return markup.table(["", "Rule", "Requires"], rows)
