"""Rows of text: settings of one measure, effects, interactions and the front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.statistics import verdicts
from kubestage.sweep.report import amounts, axis_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.statistics.verdicts import Verdict
    from kubestage.sweep.report.sweep_report import SweepReport
    from kubestage.sweep.statistics.comparisons import Cell

EFFECTS: Final = "Effects"
INTERACTIONS: Final = "Interactions"
FRONT: Final = "Front"
_MOST: Final = 40
_WORTH_SHOWING: Final = 0.01
_NO_EFFECT: Final = 1e-9


class Section(msgspec.Struct, frozen=True):
    """One table of a report; `more` is how many rows are left out."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    more: int = 0
    measure: str | None = None
    """The measure of a table of settings; None of others."""
    name: str = ""
    """A word for the others."""


def sections(report: SweepReport, most: int = _MOST) -> list[Section]:
    """All tables of a report."""
    found = [_settings(report, measure, most) for measure in report.measures]
    found += [each for each in (_effects(report), _interactions(report)) if each.rows]
    if report.front:
        found.append(_front(report, most))
    return found


def title(report: SweepReport, measure: str) -> str:
    """A measure, and what is better of it."""
    better = report.source.measures[measure].better
    return f"{measure} ({better} is better)" if better is not None else measure


def order(report: SweepReport, measure: str, most: int) -> list[int]:
    """The places of the settings to show: all in order, or the reference and the best ones."""
    cells = report.cells[measure]
    if len(cells) <= most:
        return list(range(len(cells)))
    sign = -1 if report.source.measures[measure].better == "more" else 1
    known = [at for at, cell in enumerate(cells) if cell.estimate.mean is not None]
    ranked = sorted(known, key=lambda at: sign * (cells[at].estimate.mean or 0.0))
    others = [at for at in ranked if at != report.reference][: most - 1]
    return [report.reference, *others]


def verdict_text(verdict: Verdict | None) -> str:
    """``better``, ``undecided: about 12 more seeds``."""
    if verdict is None:
        return "reference"
    if verdict.is_decided:
        return verdict.word
    if verdict.reason:
        return f"{verdict.word}: {verdict.reason}"
    if verdict.more_seeds is None:
        return f"{verdict.word}: more seeds hardly help"
    plural = "" if verdict.more_seeds == 1 else "s"
    return f"{verdict.word}: about {verdict.more_seeds:,} more seed{plural}"


def _settings(report: SweepReport, measure: str, most: int) -> Section:
    axes = report.source.axes
    short = axis_names.short(axes)
    unit = report.source.measures[measure].unit
    places = order(report, measure, most)
    cells = report.cells[measure]
    rows = [
        (
            *axis_names.values(report.settings[at], axes),
            _seeds(cells[at]),
            _mean(cells[at], unit),
            *_difference(cells[at], unit),
            verdict_text(cells[at].verdict),
        )
        for at in places
    ]
    head = (*short, "SEEDS", "MEAN", "DIFFERENCE", "CHANGE", "VERDICT")
    return Section(title(report, measure), head, rows, len(cells) - len(places), measure)


def _seeds(cell: Cell) -> str:
    sample = cell.sample
    text = str(len(sample.values))
    if sample.failed:
        text += f", {sample.failed} failed"
    return f"{text}, {sample.missing} without" if sample.missing else text


def _mean(cell: Cell, unit: str | None) -> str:
    text, note = amounts.mean(cell.estimate, unit), cell.estimate.note
    return f"{text} ({note})" if note and cell.estimate.count else text


def _difference(cell: Cell, unit: str | None) -> tuple[str, str]:
    found = cell.difference
    if found is None or found.estimate.mean is None:
        return "", ""
    unpaired = f" ({found.unpaired} unpaired)" if found.unpaired else ""
    return f"{amounts.change(found.estimate, unit)}{unpaired}", amounts.share(found.share)


def _effects(report: SweepReport) -> Section:
    short = dict(zip(report.source.axes, axis_names.short(report.source.axes), strict=True))
    rows: list[tuple[str, ...]] = []
    for measure, effects in report.main_effects.items():
        unit = report.source.measures[measure].unit
        for effect in effects:
            known = sorted(effect.levels, key=lambda each: each.estimate.mean or 0.0)
            span = effect.span
            if effect.share is None or effect.share < _NO_EFFECT:
                rows.append((measure, short[effect.axis], "0%", "", "", "none"))
                continue
            low, high = (
                f"{amounts.mean(each.estimate, unit)} at {each.level.label}"
                for each in (known[0], known[-1])
            )
            rows.append(
                (measure, short[effect.axis], amounts.part(effect.share), low, high,
                 amounts.mean(span, unit))
            )  # fmt: skip
    if len(report.source.axes) < 2:
        rows = []
    head = ("MEASURE", "AXIS", "EXPLAINS", "LOWEST", "HIGHEST", "APART")
    return Section("Effect of each axis, the others averaged", head, rows, name=EFFECTS)


def _interactions(report: SweepReport) -> Section:
    short = dict(zip(report.source.axes, axis_names.short(report.source.axes), strict=True))
    rows = [
        (
            measure,
            " x ".join(short[axis] for axis in each.axes),
            amounts.part(each.share),
            ", ".join(each.strongest),
            amounts.change(each.beyond, report.source.measures[measure].unit),
        )
        for measure, found in report.interactions.items()
        for each in found
        if each.share is not None and each.share >= _WORTH_SHOWING
    ]
    head = ("MEASURE", "AXES", "EXPLAINS", "STRONGEST AT", "BEYOND THE SUM")
    return Section("Axes that depend on one another", head, rows, name=INTERACTIONS)


def _front(report: SweepReport, most: int) -> Section:
    axes, _settings = report.source.axes, report.settings
    units = [report.source.measures[each].unit for each in report.front_of]
    ranked = sorted(report.front, key=lambda each: (_STANDINGS.index(each.status), each.setting))
    shown = [each for each in ranked if each.status != "dominated"][:most]
    rows = [
        (
            *axis_names.values(report.settings[each.setting], axes),
            *(amounts.mean(found, unit) for found, unit in zip(each.estimates, units, strict=True)),
            each.status,
        )
        for each in shown
    ]
    head = (*axis_names.short(axes), *(each.upper() for each in report.front_of), "STANDING")
    named = " and ".join(report.front_of)
    return Section(f"Front of {named}", head, rows, len(ranked) - len(shown), name=FRONT)


_STANDINGS: Final = ("front", "unclear", "dominated")


def decided(report: SweepReport) -> tuple[int, int]:
    """How many comparisons there are, and how many of them are decided."""
    judged = [cell.verdict for cells in report.cells.values() for cell in cells]
    known = [each for each in judged if each is not None]
    return len(known), sum(each.word != verdicts.UNDECIDED for each in known)
