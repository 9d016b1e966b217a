"""What came of loads, as a person reads it and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import printing
from kubestage.objects import durations
from kubestage.objects.tables import text
from kubestage.units import MILLISECOND_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.load.result import LoadResult, Measured
    from kubestage.measure.outcome import Verdict


_SECOND_MS: Final = 1000
_LINES: Final = 10
_LENGTH: Final = 400


def written(results: Sequence[LoadResult], output: str, report_dir: str | None) -> str:
    """All tests in one of the formats."""
    if output == "json":
        return printing.as_json(as_data(results, report_dir))
    lines = [line for result in results for line in (*_told(result), "")]
    if report_dir is not None:
        lines.append(f"Report: {report_dir}")
    elif lines:
        lines.pop()
    return "".join(f"{line}\n" for line in lines)


def as_data(results: Sequence[LoadResult], report_dir: str | None) -> Json:
    """All tests as plain values."""
    return {
        "passed": all(each.passed for each in results),
        "tests": [_data(each) for each in results],
        "reportDir": report_dir,
    }


def _data(result: LoadResult) -> Json:
    return {
        "name": result.name,
        "identifier": result.identifier,
        "path": result.path,
        "passed": result.passed,
        "interrupted": result.is_interrupted,
        "fatal": result.is_fatal,
        "seconds": result.took_ns / SECOND_NS,
        "calls": len(result.calls),
        "steps": [
            {
                "name": each.name,
                "named": each.is_named,
                "beganSeconds": (each.began_ns - result.began_ns) / SECOND_NS,
                "seconds": each.took_ns / SECOND_NS,
                "errors": each.errors,
            }
            for each in result.steps
        ],
        "verdicts": [_verdict_data(*each) for each in result.verdicts()],
        "errors": list(result.errors),
        "warnings": list(dict.fromkeys(result.warnings)),
        "skipped": [
            {"method": each.method, "identifier": each.identifier, "reason": reason}
            for each, reason in result.skipped()
        ],
        "chaos": result.chaos_events(),
    }


def _verdict_data(measured: Measured, verdict: Verdict) -> Json:
    return {
        "method": measured.method,
        "identifier": measured.identifier,
        "name": verdict.name,
        "value": verdict.value,
        "threshold": verdict.threshold,
        "unit": verdict.unit,
        "upper": verdict.is_upper,
        "samples": verdict.samples,
        "verdict": word(verdict),
        "enforced": verdict.is_enforced,
    }


def _told(result: LoadResult) -> Iterator[str]:
    yield _headline(result)
    steps = [each for each in result.steps if each.is_named]
    if steps:
        yield ""
        yield from text.align([("STEP", "TOOK", "ERRORS"), *map(_step, steps)])
    judged = result.verdicts()
    if judged:
        head = ("MEASURED", "VALUE", "THRESHOLD", "SAMPLES", "VERDICT")
        yield ""
        yield from text.align([head, *(_row(*each) for each in judged)])
    skipped = [f"{_source(each)}: {why}" for each, why in result.skipped()]
    for title, lines in (
        ("Errors", result.errors),
        ("Warnings", list(dict.fromkeys(result.warnings))),
        ("Skipped", skipped),
        ("Chaos", result.chaos_events()),
    ):
        yield from _list(title, lines)


def _headline(result: LoadResult) -> str:
    outcome = "passed" if result.passed else "FAILED"
    if result.is_interrupted:
        outcome = "interrupted"
    name = result.test_name or result.path
    took = rounded(result.took_ns)
    calls = f"{len(result.calls):,} calls"
    early = ", ended early by a fatal error" if result.is_fatal else ""
    return f"{name}: {outcome} after {took}, {len(result.steps)} steps, {calls}{early}"


def _step(step: Any) -> tuple[str, str, str]:
    return step.name, rounded(step.took_ns), str(len(step.errors) or "-")


def _row(measured: Measured, verdict: Verdict) -> tuple[str, ...]:
    sign = "<=" if verdict.is_upper else ">="
    threshold = "-"
    if verdict.threshold is not None:
        threshold = f"{sign} {amount(verdict.threshold, verdict.unit)}"
    return (
        f"{_source(measured)}: {verdict.name}",
        amount(verdict.value, verdict.unit),
        threshold,
        "-" if verdict.samples is None else f"{verdict.samples:,}",
        word(verdict),
    )


def _source(measured: Measured) -> str:
    method, identifier = measured.method, measured.identifier
    return method if identifier == method else f"{method} - {identifier}"


def word(verdict: Verdict) -> str:
    """What is said of a verdict."""
    if verdict.is_empty:
        return "no samples"
    if verdict.passed:
        return "pass"
    return "FAIL" if verdict.is_enforced else "missed"


def amount(value: float | None, unit: str) -> str:
    """``1.25s``, ``85ms``, ``99.5 pods/s``; a dash where there is nothing."""
    if value is None:
        return "-"
    if unit == "ms":
        return f"{value / _SECOND_MS:,.2f}s" if value >= _SECOND_MS else f"{value:.4g}ms"
    if unit in ("s", "%"):
        return f"{value:,.4g}{unit}"
    return f"{value:,.6g} {unit}".rstrip()


def rounded(duration_ns: int) -> str:
    """A duration to milliseconds, or to tenths of a second if it is long."""
    unit_ns = 100 * MILLISECOND_NS if duration_ns >= 60 * SECOND_NS else MILLISECOND_NS
    return durations.go_string(durations.round_to(duration_ns, unit_ns))


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield ""
    yield f"{title} ({len(lines):,}):"
    for line in lines[:_LINES]:
        short = line if len(line) <= _LENGTH else f"{line[:_LENGTH]}..."
        yield "  " + short.replace("\n", "\n    ")
    if len(lines) > _LINES:
        yield f"  and {len(lines) - _LINES:,} more"
