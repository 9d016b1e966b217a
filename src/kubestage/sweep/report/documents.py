"""A report as text: for a terminal, as Markdown, CSV or JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage import wording
from kubestage.objects.tables import text
from kubestage.results import analysis
from kubestage.sweep.report import axis_names, settings_table
from kubestage.sweep.statistics.sequential import named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.sweep.report.settings_table import Section
    from kubestage.sweep.report.sweep_report import SweepReport

FORMATS: Final = ("table", "json", "markdown", "csv")
_MARKUP: Final = re.compile(r"[|<>*`\[\]]")
_ERRORS: Final = 3
_LENGTH: Final = 160


def formatted(report: SweepReport, output: str) -> str:
    """A report in one of the formats."""
    if output == "json":
        encoded = msgspec.json.encode(report.to_dict())
        return msgspec.json.format(encoded, indent=2).decode() + "\n"
    if output == "csv":
        return analysis.as_csv(report.table())
    return markdown(report) if output == "markdown" else plain(report)


def plain(report: SweepReport) -> str:
    """The tables one below the other."""
    lines = [summary(report), ""]
    for section in settings_table.sections(report):
        lines += [section.title, *(line.rstrip() for line in text.align(_lines(section)))]
        if section.more:
            lines.append(f"and {section.more:,} more: -o csv has all")
        lines.append("")
    lines += notes(report)
    return "".join(f"{line}\n" for line in lines)


def markdown(report: SweepReport) -> str:
    """The same as a document."""
    parts = [f"## {_escaped(summary(report))}"]
    for section in settings_table.sections(report):
        rows = [_row(["---"] * len(section.head)), *(_row(row) for row in section.rows)]
        table = "\n".join([_row(section.head), *rows])
        parts += [f"### {_escaped(section.title)}", table]
        if section.more:
            parts.append(f"and {section.more:,} more")
    parts += [_escaped(note) for note in notes(report)]
    return "\n\n".join(parts) + "\n"


def summary(report: SweepReport) -> str:
    """How many settings there are, and how much of their comparison is decided."""
    settings = wording.plural(len(report.settings), "setting")
    runs = wording.plural(len(report.source.rows), "run")
    compared, decided = settings_table.decided(report)
    if not compared:
        return f"{settings}, {wording.plural(report.seeds, 'seed')}, {runs}."
    reference = axis_names.label(report.settings[report.reference], report.source.axes)
    open_ = compared - decided
    state = "all differences are decided" if not open_ else f"{open_} undecided"
    return (
        f"{settings}, {wording.plural(report.seeds, 'seed')}, {runs}: "
        f"{compared} differences to {reference}, {state}."
    )


def notes(report: SweepReport) -> Iterator[str]:
    """How the figures were made, and what is not among them."""
    comparison = report.comparison
    corrected = {
        "measure": "corrected by Holm over the settings of a measure",
        "all": "corrected by Holm over all of them",
        "none": "not corrected for their number",
    }[comparison.correction]
    yield (
        f"Means and differences are with intervals of {report.options.level:g}%; differences are "
        f"paired by seed. Verdicts are {corrected}; same means no difference beyond "
        f"{comparison.margin}."
    )
    if report.looks:
        yield (
            f"Seeds were added until goals were met. For {wording.plural(report.looks, 'look')} at "
            f"results, the last one is computed at {100 * comparison.level:.4g}%."
        )
    others = report.other_measures
    if others:
        yield f"Not shown: {wording.few(others, 12)} (--measures)."
    failed = report.failed
    if failed:
        yield f"{wording.plural(len(failed), 'run')} of {len(report.source.rows):,} failed:"
        for row in failed[:_ERRORS]:
            error = (row.error or "").replace("\n", " ")
            yield f"  {named(row.parameters)}, seed {row.seed}: {error[:_LENGTH]}"
        if len(failed) > _ERRORS:
            yield f"  and {len(failed) - _ERRORS:,} more: -o json has all"


def _lines(section: Section) -> list[tuple[str, ...]]:
    return [section.head, *section.rows]


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(found: str) -> str:
    """Text in which nothing is markup."""
    return _MARKUP.sub(r"\\\g<0>", found.replace("\n", " "))
