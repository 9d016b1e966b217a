"""What a search for a limit came to, as a person reads it and as data."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from kubestage.cli import printing
from kubestage.objects.tables import text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from kubestage.aliases import Json
    from kubestage.cli.load_choices import Choices
    from kubestage.cli.load_limit import Outcome, Point
    from kubestage.cli.load_slo import Slo
    from kubestage.results.load.limit_directory import LimitDirectory

_LENGTH = 300
_VERDICTS = {True: "meets", False: "misses", None: "unsure"}


def written(outcome: Outcome, output: str, report_dir: str | None) -> str:
    """A search in one of the formats."""
    if output == "json":
        return printing.as_json({**as_data(outcome), "reportDir": report_dir})
    lines = [*_told(outcome)]
    if report_dir is not None:
        lines += ["", f"Report: {report_dir}"]
    return "".join(f"{line}\n" for line in lines)


def as_data(outcome: Outcome) -> Json:
    """A search as plain values."""
    wanted, found = outcome.wanted, outcome.found
    return {
        "config": wanted.config,
        "vary": wanted.vary,
        "slos": [each.text for each in outcome.slos],
        "confidence": wanted.confidence,
        "limit": found.limit,
        "above": found.above,
        "monotonic": found.is_monotonic,
        "points": [
            {
                "value": point.value,
                "verdict": _VERDICTS[point.verdict],
                "runs": [
                    {
                        "seed": seed,
                        "met": run.is_met,
                        "values": {
                            slo.name: value
                            for slo, value in zip(outcome.slos, run.values, strict=True)
                        },
                        "problem": run.problem,
                    }
                    for seed, run in zip(point.seeds, point.runs, strict=True)
                ],
            }
            for point in outcome.points
        ],
    }


def _told(outcome: Outcome) -> Iterator[str]:
    wanted, found = outcome.wanted, outcome.found
    rows = [(wanted.vary, "RUNS", "MEET", *(each.name for each in outcome.slos), "VERDICT")]
    rows += [_row(point, outcome.slos) for point in outcome.points]
    yield from text.align(rows)
    yield ""
    yield _conclusion(outcome)
    if not found.is_monotonic:
        yield (
            "Warning: a higher load meets the goals where a lower one misses them, so there is "
            "no single limit. The one above is the first."
        )
    yield from _failures(outcome)


def _failures(outcome: Outcome) -> Iterator[str]:
    """What went wrong at the lowest load at which something did; a value alone does not tell."""
    for point in outcome.points:
        problems = dict.fromkeys(run.problem for run in point.runs if run.problem)
        if problems:
            yield f"At {point.value:g} a run failed: {_shortened(next(iter(problems)))}"
            return


def _shortened(problem: str) -> str:
    return problem if len(problem) <= _LENGTH else f"{problem[:_LENGTH]}..."


def _row(point: Point, slos: Sequence[Slo]) -> tuple[str, ...]:
    met = sum(each.is_met for each in point.runs)
    ranges = [_spread([run.values[at] for run in point.runs], slo) for at, slo in enumerate(slos)]
    return f"{point.value:g}", str(len(point.runs)), str(met), *ranges, _VERDICTS[point.verdict]


def _spread(values: Sequence[float | None], slo: Slo) -> str:
    known = [each for each in values if each is not None]
    if not known:
        return "no samples"
    low, high = slo.amount(min(known)), slo.amount(max(known))
    return low if low == high else f"{low} to {high}"


def _conclusion(outcome: Outcome) -> str:
    wanted, found = outcome.wanted, outcome.found
    goals = " and ".join(each.text for each in outcome.slos)
    if found.limit is None:
        return f"Even {wanted.vary} = {found.above:g} misses {goals}."
    if found.above is None:
        return f"{goals}: met up to {wanted.vary} = {found.limit:g}, where the search ends."
    return (
        f"{goals}: met up to {wanted.vary} = {found.limit:g} with {wanted.confidence:.0%} "
        f"confidence, missed at {found.above:g}."
    )


def claimed(report_dir: str | None) -> AbstractContextManager[LimitDirectory | None]:
    """The directory, refused before anything is run if it cannot be written."""
    if report_dir is None:
        return contextlib.nullcontext()
    from kubestage.results.load.limit_directory import LimitDirectory

    return LimitDirectory(report_dir)


def write(
    directory: LimitDirectory, outcome: Outcome, choices: Choices, words: Sequence[str]
) -> None:
    """Keep the search."""
    from kubestage.cli import load_keeping

    directory.write(as_data(outcome), load_keeping.about(choices, outcome.where, words))
