"""What came of loads, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cli import analyze_report, printing
from kubestage.clusterloader.result import Outcome
from kubestage.golang import durations
from kubestage.objects.tables import text
from kubestage.results.load import page_cost
from kubestage.runs.load import user_measures
from kubestage.runs.load.results import verdict_word
from kubestage.units import MILLISECOND_NS, SECOND_NS
from kubestage.wording import plural, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.clusterloader.result import LoadResult, Measured, StepResult
    from kubestage.measure.results import Verdict
    from kubestage.results.load.cost import LoadCost
    from kubestage.runs.load.results import LoadResults


_SECOND_MS: Final = 1000
_LINES: Final = 10
_LENGTH: Final = 800
_STATUSES: Final = {
    Outcome.PASSED: "passed",
    Outcome.FAILED: "FAILED",
    Outcome.INTERRUPTED: "interrupted",
    Outcome.NOTHING_MEASURED: "NOTHING MEASURED",
}


def formatted(results: LoadResults, output: str, report_dir: str | None) -> str:
    """All tests in one of the formats."""
    if output == "json":
        return printing.as_json({**results.as_data(), "reportDir": report_dir})
    lines = [line for result in results.results for line in (*_test_lines(result), "")]
    if results.cost is not None:
        lines += [*_cost_lines(results.cost), ""]
    if report_dir is not None:
        lines.append(f"Report: {report_dir}")
    elif lines:
        lines.pop()
    return "".join(f"{line}\n" for line in lines)


def _cost_lines(cost: LoadCost) -> Iterator[str]:
    """What nodes cost, and of several pools each."""
    yield cost.sentence
    if len(cost.pools) > 1:
        yield from text.align([page_cost.HEAD, *page_cost.rows(cost)])


def _test_lines(result: LoadResult) -> Iterator[str]:
    yield _headline(result)
    steps = [each for each in result.steps if each.is_named]
    if steps:
        yield ""
        yield from text.align([("STEP", "TOOK", "ERRORS"), *map(_step, steps)])
    evaluated = result.verdicts()
    if evaluated:
        head = ("MEASURED", "VALUE", "THRESHOLD", "SAMPLES", "VERDICT")
        yield ""
        yield from text.align([head, *(_row(*each) for each in evaluated)])
    measures = user_measures.of_result(result)
    if measures:
        yield ""
        yield from text.align(analyze_report.measure_rows(measures))
    skipped = [f"{_source(each)}: {why}" for each, why in result.skipped()]
    for title, lines in (
        ("Errors", result.errors),
        ("Warnings", list(dict.fromkeys(result.warnings))),
        ("Skipped", skipped),
        ("Chaos", result.chaos_events()),
    ):
        yield from _list(title, lines)


def _headline(result: LoadResult) -> str:
    status = _STATUSES[result.outcome]
    name = result.test_name or result.path
    took = _rounded(result.took_ns)
    steps = plural(len(result.steps), "step")
    calls = plural(len(result.calls), "call")
    early = ", ended early by a fatal error" if result.is_fatal else ""
    number = len(result.skipped())
    skipped = f", {plural(number, 'measurement')} skipped" if number else ""
    return f"{name}: {status} after {took}, {steps}, {calls}{skipped}{early}"


def _step(step: StepResult) -> tuple[str, str, str]:
    return step.name, _rounded(step.took_ns), str(len(step.errors) or "-")


def _row(measured: Measured, verdict: Verdict) -> tuple[str, ...]:
    sign = "<=" if verdict.is_upper else ">="
    threshold = "-"
    if verdict.threshold is not None:
        threshold = f"{sign} {_amount(verdict.threshold, verdict.unit)}"
    return (
        f"{_source(measured)}: {verdict.name}",
        _amount(verdict.value, verdict.unit),
        threshold,
        "-" if verdict.samples is None else f"{verdict.samples:,}",
        verdict_word(verdict),
    )


def _source(measured: Measured) -> str:
    method, identifier = measured.method, measured.identifier
    return method if identifier == method else f"{method} - {identifier}"


def _amount(value: float | None, unit: str) -> str:
    """``1.25s``, ``85ms``, ``99.5 pods/s``; a dash where there is nothing."""
    if value is None:
        return "-"
    if unit == "ms":
        return f"{value / _SECOND_MS:,.2f}s" if value >= _SECOND_MS else f"{value:.4g}ms"
    if unit in ("s", "%"):
        return f"{value:,.4g}{unit}"
    return f"{value:,.6g} {unit}".rstrip()


def _rounded(duration_ns: int) -> str:
    """A duration to milliseconds, or to tenths of a second if it is long."""
    unit_ns = 100 * MILLISECOND_NS if duration_ns >= 60 * SECOND_NS else MILLISECOND_NS
    return durations.go_string(durations.round_to(duration_ns, unit_ns))


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield f"{title} ({len(lines):,}):"
    for line in lines[:_LINES]:
        yield "  " + shortened(line, _LENGTH).replace("\n", "\n    ")
    if len(lines) > _LINES:
        yield f"  and {len(lines) - _LINES:,} more"
