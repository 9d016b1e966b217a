"""What a search for a limit came to, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cli import printing
from kubestage.objects.tables import text
from kubestage.runs.load.limit_result import VERDICTS
from kubestage.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.runs.load.limit_result import LimitPoint, LimitResult
    from kubestage.runs.load.slos import Slo

_LENGTH: Final = 800


def formatted(result: LimitResult, output: str, report_dir: str | None) -> str:
    """A search in one of the formats."""
    if output == "json":
        return printing.as_json({**result.as_data(), "reportDir": report_dir})
    lines = [*_lines(result)]
    if report_dir is not None:
        lines += ["", f"Report: {report_dir}"]
    return "".join(f"{line}\n" for line in lines)


def _lines(result: LimitResult) -> Iterator[str]:
    search, found = result.search, result.found
    head = (search.vary, "RUNS", "MEET", "REQUESTED/S", "ACHIEVED/S")
    rows = [(*head, *(each.name for each in result.slos), "VERDICT")]
    rows += [_row(point, result.slos) for point in result.points]
    yield from text.align(rows)
    yield ""
    yield result.headline()
    influence = result.influence()
    if influence:
        yield influence
    if not found.is_monotonic:
        yield (
            "Warning: a higher load meets the goals where a lower one misses them, so there is "
            "no single limit. The one above is the first."
        )
    yield from _failures(result)


def _failures(result: LimitResult) -> Iterator[str]:
    """What failed at the lowest load at which something did; a value alone does not show it."""
    for point in result.points:
        problems = dict.fromkeys(run.problem for run in point.runs if run.problem)
        if problems:
            yield f"At {point.value:g} a run failed: {shortened(next(iter(problems)), _LENGTH)}"
            return


def _row(point: LimitPoint, slos: Sequence[Slo]) -> tuple[str, ...]:
    met = sum(each.is_met for each in point.runs)
    ranges = [_spread([run.values[at] for run in point.runs], slo) for at, slo in enumerate(slos)]
    paces = point.paces
    rates = (
        _mean([pace.requested for pace in paces]),
        _mean([pace.achieved for pace in paces]),
    )
    head = (f"{point.value:g}", str(len(point.runs)), str(met))
    return (*head, *rates, *ranges, VERDICTS[point.verdict])


def _mean(rates: Sequence[float]) -> str:
    return f"{sum(rates) / len(rates):.4g}" if rates else "-"


def _spread(values: Sequence[float | None], slo: Slo) -> str:
    known = [each for each in values if each is not None]
    if not known:
        return "no samples"
    low, high = slo.amount(min(known)), slo.amount(max(known))
    return low if low == high else f"{low} to {high}"
